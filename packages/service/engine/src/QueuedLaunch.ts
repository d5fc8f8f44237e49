import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as BrowserQueue from "./domain/BrowserQueue.ts"
import type { Turn } from "./domain/Turn.ts"
import type { PlaceReports } from "./PlaceReports.ts"
import type { LaunchQueue } from "./PoolLaunches.ts"
import type { LaunchFailed } from "./ports/BrowserPool.ts"
import type { StoreUnavailable } from "./ports/StoreUnavailable.ts"
import { storeRetries } from "./storeRetries.ts"

interface QueuedOptions {
  readonly turn: Turn
  /** Limits how long a run without a limit of its own waits, in milliseconds. */
  readonly timeout_ms: number | undefined
  readonly isMovable: LaunchQueue["isMovable"]
  readonly places: PlaceReports
  /** Stores the place of the run in the queue. */
  readonly report: (queue: BrowserQueue.BrowserQueue) => Effect.Effect<unknown, unknown>
}

/**
 * Launches the browser of a run, which may wait for room. The time that it waited at other nodes counts. While the store
 * is away, the launch is retried.
 */
export const queuedLaunch = <A, R>(
  { isMovable, places, report, timeout_ms, turn }: QueuedOptions,
  launch: (queue: LaunchQueue) => Effect.Effect<A, LaunchFailed | StoreUnavailable, R>
): Effect.Effect<A, LaunchFailed, R> =>
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
    const launched = launch({ isMovable, since_ms, until_ms, onWaiting: reports.report })
    return yield* Effect.retry(launched, {
      schedule: storeRetries,
      while: ({ _tag }) => _tag === "StoreUnavailable"
    }).pipe(
      Effect.catchTag("StoreUnavailable", Effect.die),
      // no place is stored once the run has a browser
      Effect.ensuring(reports.close)
    )
  })
