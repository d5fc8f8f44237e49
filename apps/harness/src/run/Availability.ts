import * as Outage from "@webagent/report/Outage"
import type { RunEvent } from "@webagent/report/RunEvent"
import type { Skip } from "@webagent/report/Skip"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Seen } from "../observe/Seen.ts"
import type { Probe } from "../targets/Target.ts"

/** Availability of the target, as observed from the requests of a run. */
export interface Availability {
  /** Takes in a request that has ended. One without a response lets the probe look. */
  readonly see: (seen: Seen) => void
  /** Waits while nothing answers. Returns why to stop when that takes too long. */
  readonly reachable: Effect.Effect<Skip | undefined>
  /** Succeeds when the wait took too long: what still runs cannot end well. */
  readonly lost: Effect.Effect<Skip>
  /** True if the service was unreachable at some moment between two others, in milliseconds since 1970. */
  readonly overlaps: (from_ms: number, to_ms: number) => boolean
  /** The milliseconds of outages after a moment, in milliseconds since 1970. */
  readonly lostSince: (from_ms: number) => number
  /** The outages so far, in their order in time. */
  readonly outages: () => ReadonlyArray<Outage.Outage>
}

/** Takes the target to be there. */
export const always: Availability = {
  see: () => undefined,
  reachable: Effect.undefined,
  lost: Effect.never,
  overlaps: () => false,
  lostSince: () => 0,
  outages: () => []
}

/** True if a response with this status may be the sign of an outage. */
export const isAwayStatus = (status: number): boolean =>
  status === 401 || status === 403 || (status >= 502 && status <= 504)

// a request that a scenario gave up after this time may have met a service that is silent
const silent_ms = 5000

/**
 * True if a request failed as it does when the service is unreachable or no longer takes the key: no response, a gateway
 * without a backend, or a refusal. A scenario may send a wrong key on purpose, so only the probe knows.
 */
const isUnanswered = ({ at_ms, endedAt_ms = at_ms, failure, status }: Seen): boolean =>
  status === undefined
    ? failure !== undefined && (failure !== "given up" || endedAt_ms - at_ms >= silent_ms)
    : isAwayStatus(status)

const firstPause_ms = 250
const longestPause_ms = 15_000

const iso = (at_ms: number) => DateTime.formatIso(DateTime.makeUnsafe(at_ms))

/** A request without a response. Trials wait until the probe has looked, and while nothing responds. */
interface Suspicion {
  readonly from_ms: number
  readonly over: Deferred.Deferred<void>
}

/**
 * Watches over the requests of a run for as long as the scope lives. While nothing answers it probes, with longer and longer
 * pauses, for at most `longest_ms`, and never past `until_ms`, both in milliseconds; then it gives up for good.
 */
export const make = Effect.fnUntraced(function* (options: {
  readonly probe: Probe
  readonly longest_ms: number
  /** The end of the run by its limit of time, in milliseconds since 1970. */
  readonly until_ms: number
  readonly emit: (event: RunEvent) => Effect.Effect<void>
  /** The outages of the run before it was killed. */
  readonly before: ReadonlyArray<Outage.Outage>
}) {
  const { before, emit, longest_ms, probe, until_ms } = options
  let outages: ReadonlyArray<Outage.Outage> = before
  let suspicion: Suspicion | undefined
  let gaveUp: Skip | undefined
  const lost = Deferred.makeUnsafe<Skip>()
  const suspicions = yield* Queue.unbounded<Suspicion>()

  /** Probes until something answers; returns why not when the time is up. */
  const waitFor = Effect.fnUntraced(function* (since_ms: number) {
    const end_ms = Math.min(since_ms + longest_ms, until_ms)
    for (let pause_ms = firstPause_ms; ; pause_ms = Math.min(2 * pause_ms, longestPause_ms)) {
      const now_ms = yield* Clock.currentTimeMillis
      if (now_ms >= end_ms) return { _tag: "ServiceAway", waited_ms: now_ms - since_ms } satisfies Skip
      yield* Effect.sleep(Duration.millis(Math.min(pause_ms, end_ms - now_ms)))
      if ((yield* probe) === undefined) return undefined
    }
  })

  const check = Effect.fnUntraced(function* ({ from_ms }: Suspicion) {
    const why = yield* probe
    if (why === undefined) return
    const outage: Outage.Outage = { from: iso(from_ms), to: null, why }
    const earlier = outages
    outages = [...earlier, outage]
    yield* emit({ _tag: "OutageStarted", outage })
    gaveUp = yield* waitFor(from_ms)
    if (gaveUp !== undefined) return yield* Deferred.succeed(lost, gaveUp)
    const over = { ...outage, to: iso(yield* Clock.currentTimeMillis) }
    outages = [...earlier, over]
    yield* emit({ _tag: "OutageFinished", outage: over })
  })

  yield* Queue.take(suspicions).pipe(
    Effect.flatMap((one) =>
      Effect.ensuring(
        check(one),
        Effect.suspend(() => {
          suspicion = undefined
          return Deferred.succeed(one.over, undefined)
        })
      )
    ),
    Effect.forever,
    Effect.interruptible,
    Effect.forkScoped
  )

  return {
    see: (seen) => {
      if (suspicion !== undefined || gaveUp !== undefined || !isUnanswered(seen)) return
      suspicion = { from_ms: Math.floor(seen.at_ms), over: Deferred.makeUnsafe() }
      Queue.offerUnsafe(suspicions, suspicion)
    },
    reachable: Effect.suspend(() =>
      suspicion === undefined ? Effect.succeed(gaveUp) : Effect.map(Deferred.await(suspicion.over), () => gaveUp)
    ),
    lost: Deferred.await(lost),
    overlaps: (from_ms, to_ms) => outages.some((outage) => Outage.overlaps(outage, from_ms, to_ms)),
    lostSince: (from_ms) =>
      outages.reduce((sum, { from, to }) => {
        const since_ms = Math.max(from_ms, Date.parse(from))
        return to === null ? sum : sum + Math.max(0, Date.parse(to) - since_ms)
      }, 0),
    outages: () => outages
  } satisfies Availability
})
