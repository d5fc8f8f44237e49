import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** The state of a wait when its next delay is computed. */
export interface Moment {
  /** Time since the wait began, in milliseconds. */
  readonly elapsed_ms: number
  /** Polls answered or failed so far; 0 before the first. */
  readonly polls: number
}

/**
 * Determines how long a wait pauses between two polls.
 *
 * A schedule is plain data without state, so you can share it, test it and plot it. Build one with `every`, `backoff`
 * or `proportional`, and change it with `withFirst` and `jittered`. All waits use `standard` unless you provide
 * `Current`.
 *
 * @example
 * ```ts
 * import { PollSchedule } from "@webagent/polling"
 *
 * // first after 1 second, then 2, 4, 8 and at most 30 seconds, each up to 10 % longer or shorter
 * export const schedule = PollSchedule.jittered(PollSchedule.backoff({ first: "1 second", max: "30 seconds" }))
 * ```
 */
export interface PollSchedule {
  /** Delay until the next poll in milliseconds, before jitter. */
  readonly delay_ms: (moment: Moment) => number
  /** Fraction by which a delay is randomly lengthened or shortened: 0.1 means 90 % to 110 %. */
  readonly jitter: number
}

const make = (delay_ms: (moment: Moment) => number): PollSchedule => ({ delay_ms, jitter: 0 })

const clip = (value: number, min: number, max: number) => Math.min(max, Math.max(min, value))

/** The same delay before every poll. */
export const every = (interval: Duration.Input): PollSchedule => {
  const interval_ms = Duration.toMillis(interval)
  return make(() => interval_ms)
}

/** A fixed share of the time already waited, so that a result is late by at most that share of its run. */
export const proportional = (options: {
  readonly factor: number
  readonly min: Duration.Input
  readonly max: Duration.Input
  readonly first?: Duration.Input
}): PollSchedule => {
  const min_ms = Duration.toMillis(options.min)
  const max_ms = Duration.toMillis(options.max)
  const schedule = make(({ elapsed_ms }) => clip(options.factor * elapsed_ms, min_ms, max_ms))
  return options.first === undefined ? schedule : withFirst(schedule, options.first)
}

/** `first`, then each delay `factor` (2 unless told) times the one before, at most `max`. */
export const backoff = (options: {
  readonly first: Duration.Input
  readonly factor?: number
  readonly max: Duration.Input
}): PollSchedule => {
  const first_ms = Duration.toMillis(options.first)
  const max_ms = Duration.toMillis(options.max)
  const factor = options.factor ?? 2
  return make(({ polls }) => Math.min(max_ms, first_ms * factor ** polls))
}

/** The same cadence with another delay before the first poll; zero polls at once. */
export const withFirst = (self: PollSchedule, first: Duration.Input): PollSchedule => {
  const first_ms = Duration.toMillis(first)
  return { ...self, delay_ms: (moment) => (moment.polls === 0 ? first_ms : self.delay_ms(moment)) }
}

/** The same cadence with each delay lengthened or shortened by up to `fraction`, 10 % unless told. */
export const jittered = (self: PollSchedule, fraction = 0.1): PollSchedule => ({ ...self, jitter: fraction })

/**
 * First poll after 2 s, then a quarter of the square root of the seconds waited, within 1 s and 15 s, jittered by
 * 10 %: a short run is noticed soon, a long one costs few requests, and many runs do not poll in step.
 */
export const standard: PollSchedule = jittered(
  withFirst(
    make(({ elapsed_ms }) => clip(250 * Math.sqrt(elapsed_ms / 1000), 1000, 15_000)),
    "2 seconds"
  )
)

/** The delay before the next poll, with its jitter drawn from Effect's Random. */
export const next = (self: PollSchedule, moment: Moment): Effect.Effect<Duration.Duration> => {
  const delay_ms = self.delay_ms(moment)
  return self.jitter === 0
    ? Effect.succeed(Duration.millis(delay_ms))
    : Effect.map(Random.next, (random) => Duration.millis(Math.round(delay_ms * (1 + self.jitter * (2 * random - 1)))))
}

/**
 * The longest that a wait leaves a service alone since that asks for it: 5 minutes, unless an application provides
 * another. One answer that asks for a year would else be the end of a wait that has found nothing.
 */
export const MaxRetryAfter = Context.Reference<Duration.Input>("@webagent/polling/PollSchedule/MaxRetryAfter", {
  defaultValue: () => "5 minutes"
})

/** The cadence of every wait that is not given its own; `standard` unless an application provides another. */
export const Current = Context.Reference<PollSchedule>("@webagent/polling/PollSchedule/Current", {
  defaultValue: () => standard
})
