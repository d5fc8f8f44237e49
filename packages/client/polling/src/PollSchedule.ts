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
  /**
   * Returns the delay until the next poll, before jitter.
   *
   * @param moment - The number of polls so far, and the time since the wait began in milliseconds.
   * @returns The delay in milliseconds.
   * @example
   * ```ts
   * import { PollSchedule } from "@webagent/polling"
   *
   * const schedule = PollSchedule.backoff({ first: "1 second", max: "10 seconds" })
   * console.log([0, 1, 2].map((polls) => schedule.delay_ms({ elapsed_ms: 0, polls }))) // [1000, 2000, 4000]
   * ```
   */
  readonly delay_ms: (moment: Moment) => number
  /** Fraction by which a delay is randomly lengthened or shortened: 0.1 means 90 % to 110 %. */
  readonly jitter: number
}

const make = (delay_ms: (moment: Moment) => number): PollSchedule => ({ delay_ms, jitter: 0 })

const clip = (value: number, min: number, max: number) => Math.min(max, Math.max(min, value))

/**
 * Polls at a fixed interval.
 *
 * @param interval - The delay before each poll, including the first one.
 * @returns A schedule without jitter. Add it with `jittered`, so that many waits don't poll at the same time.
 * @example
 * ```ts
 * import { PollSchedule } from "@webagent/polling"
 *
 * export const schedule = PollSchedule.every("5 seconds")
 * ```
 */
export const every = (interval: Duration.Input): PollSchedule => {
  const interval_ms = Duration.toMillis(interval)
  return make(() => interval_ms)
}

/**
 * Waits for a fixed share of the time that has passed, so that you learn about a result late by at most that share.
 *
 * @param options - `factor` is the share: 0.1 polls a run of 10 minutes once per minute at its end. `min` and `max` limit
 *   the delay, and `first` replaces the first one.
 * @returns A schedule without jitter.
 * @example
 * ```ts
 * import { PollSchedule } from "@webagent/polling"
 *
 * export const schedule = PollSchedule.proportional({ factor: 0.1, min: "1 second", max: "1 minute" })
 * ```
 */
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

/**
 * Multiplies the delay after every poll, up to a maximum.
 *
 * @param options - `first` is the delay before the first poll, `factor` multiplies the delay after each poll and is 2 by
 *   default, and `max` limits it.
 * @returns A schedule without jitter.
 * @example
 * ```ts
 * import { PollSchedule } from "@webagent/polling"
 *
 * // 1, 2, 4, 8, then every 10 seconds
 * export const schedule = PollSchedule.backoff({ first: "1 second", max: "10 seconds" })
 * ```
 */
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

/**
 * Replaces the delay before the first poll.
 *
 * @param self - The schedule for all other polls.
 * @param first - The delay before the first poll. Zero polls immediately.
 * @returns The changed schedule.
 * @example
 * ```ts
 * import { PollSchedule } from "@webagent/polling"
 *
 * export const schedule = PollSchedule.withFirst(PollSchedule.every("10 seconds"), "1 second")
 * ```
 */
export const withFirst = (self: PollSchedule, first: Duration.Input): PollSchedule => {
  const first_ms = Duration.toMillis(first)
  return { ...self, delay_ms: (moment) => (moment.polls === 0 ? first_ms : self.delay_ms(moment)) }
}

/**
 * Adds jitter: each delay becomes randomly longer or shorter, so that waits that start together don't poll together.
 *
 * @param self - The schedule to change.
 * @param fraction - The largest change as a share of the delay. The default is 0.1, which is 10 %.
 * @returns The changed schedule.
 * @example
 * ```ts
 * import { PollSchedule } from "@webagent/polling"
 *
 * export const schedule = PollSchedule.jittered(PollSchedule.every("10 seconds"), 0.2) // 8 to 12 seconds
 * ```
 */
export const jittered = (self: PollSchedule, fraction = 0.1): PollSchedule => ({ ...self, jitter: fraction })

/**
 * The default schedule. It polls after 2 seconds, and then waits for a quarter of the square root of the seconds that have
 * passed, from 1 to 15 seconds, with a jitter of 10 %. You learn about a short run soon, and a long one costs few requests.
 */
export const standard: PollSchedule = jittered(
  withFirst(
    make(({ elapsed_ms }) => clip(250 * Math.sqrt(elapsed_ms / 1000), 1000, 15_000)),
    "2 seconds"
  )
)

/**
 * Computes the delay before the next poll. The jitter comes from Effect's `Random`, so a test can repeat it.
 *
 * @param self - The schedule.
 * @param moment - The time that has passed and the number of polls so far.
 * @returns An effect with the delay. It never fails.
 * @example
 * ```ts
 * import { PollSchedule } from "@webagent/polling"
 *
 * export const delay = PollSchedule.next(PollSchedule.every("10 seconds"), { elapsed_ms: 0, polls: 0 })
 * ```
 */
export const next = (self: PollSchedule, moment: Moment): Effect.Effect<Duration.Duration> => {
  const delay_ms = self.delay_ms(moment)
  return self.jitter === 0
    ? Effect.succeed(Duration.millis(delay_ms))
    : Effect.map(Random.next, (random) => Duration.millis(Math.round(delay_ms * (1 + self.jitter * (2 * random - 1)))))
}

/**
 * Limits how long a wait follows `Retry-After`: 5 minutes, unless you provide another time. Otherwise, one response that
 * asks for a year would end the wait without a result.
 */
export const MaxRetryAfter = Context.Reference<Duration.Input>("@webagent/polling/PollSchedule/MaxRetryAfter", {
  defaultValue: () => "5 minutes"
})

/** The schedule of every wait without one of its own. It's `standard` unless you provide another. */
export const Current = Context.Reference<PollSchedule>("@webagent/polling/PollSchedule/Current", {
  defaultValue: () => standard
})
