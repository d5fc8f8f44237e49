import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as BrowserQueue from "./domain/BrowserQueue.ts"
import type { Turn } from "./domain/Turn.ts"
import type { PlaceReports } from "./PlaceReports.ts"
import type { LaunchQueue } from "./PoolLaunches.ts"

interface QueuedOptions {
  readonly turn: Turn
  /** Limits how long a run without a limit of its own waits, in milliseconds. */
  readonly timeout_ms: number | undefined
  readonly isMovable: LaunchQueue["isMovable"]
  readonly places: PlaceReports
  /** Stores the place of the run in the queue. */
  readonly report: (queue: BrowserQueue.BrowserQueue) => Effect.Effect<unknown, unknown>
}

/** Launches the browser of a run, which may wait for room. The time that it waited at other nodes counts. */
export const queuedLaunch = <A, E, R>(
  { isMovable, places, report, timeout_ms, turn }: QueuedOptions,
  launch: (queue: LaunchQueue) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const began_ms = yield* Clock.currentTimeMillis
    const { browserQueue = null } = turn
    // the clock of the node before may be ahead
    const since_ms = Math.min(began_ms, browserQueue?.since_ms ?? began_ms)
    const most_ms = turn.queueTimeout_ms ?? timeout_ms
    const until_ms = most_ms === undefined ? null : since_ms + most_ms
    // the record of a run that moved, or whose server started again, is still right if its times are
    const isStored = browserQueue?.since_ms === since_ms && browserQueue.until_ms === until_ms
    const reports = places.open(isStored ? browserQueue : null, (place) =>
      report({ position: place.position, reason: place.reason, since_ms, until_ms })
    )
    const queue: LaunchQueue = {
      ...(isMovable === undefined ? {} : { isMovable }),
      ...(until_ms === null ? {} : { within: Math.max(0, until_ms - began_ms) }),
      waited_ms: began_ms - since_ms,
      onWaiting: reports.report
    }
    // no place is stored once the run has a browser
    return yield* Effect.ensuring(launch(queue), reports.close)
  })
