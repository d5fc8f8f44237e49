import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as BrowserQueue from "./domain/BrowserQueue.ts"
import type { Turn } from "./domain/Turn.ts"
import type { LaunchQueue } from "./PoolLaunches.ts"

interface QueuedOptions {
  readonly turn: Turn
  /** Limits how long a run without a limit of its own waits, in milliseconds. */
  readonly timeout_ms: number | undefined
  readonly isMovable: LaunchQueue["isMovable"]
  /** Stores the place of the run in the queue. */
  readonly report: (queue: BrowserQueue.BrowserQueue) => Effect.Effect<unknown, unknown>
}

/** Launches the browser of a run, which may wait for room. The time that it waited at other nodes counts. */
export const queuedLaunch = <A, E, R>(
  { isMovable, report, timeout_ms, turn }: QueuedOptions,
  launch: (queue: LaunchQueue) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const began_ms = yield* Clock.currentTimeMillis
    // the clock of the node before may be ahead
    const since_ms = Math.min(began_ms, turn.browserQueue?.since_ms ?? began_ms)
    const most_ms = turn.queueTimeout_ms ?? timeout_ms
    const until_ms = most_ms === undefined ? null : since_ms + most_ms
    const places = yield* Queue.sliding<BrowserQueue.QueuePlace>(1)
    let stored: BrowserQueue.QueuePlace | null = null
    const reports = Effect.flatMap(Queue.take(places), (place) => {
      if (!BrowserQueue.isNews(stored, place)) return Effect.void
      stored = place
      return report({ ...place, since_ms, until_ms })
    })
    const reporting = yield* Effect.forkChild(Effect.ignore(Effect.forever(reports)))
    const queue: LaunchQueue = {
      ...(isMovable === undefined ? {} : { isMovable }),
      ...(until_ms === null ? {} : { within: Math.max(0, until_ms - began_ms) }),
      waited_ms: began_ms - since_ms,
      onWaiting: (place) => void Queue.offerUnsafe(places, place)
    }
    // no place is stored once the run has a browser
    return yield* Effect.ensuring(launch(queue), Fiber.interrupt(reporting))
  })
