import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { LaunchQueue } from "./PoolLaunches.ts"
import { LaunchFailed } from "./ports/BrowserPool.ts"
import { BrowserQueue } from "./ports/BrowserQueue.ts"

const callerLeft = new LaunchFailed({ reason: "left", message: "The caller left before there was a free browser" })

const stillPending = new LaunchFailed({
  reason: "pending",
  message: "An earlier request with this Idempotency-Key still waits for its browser. Try again to get that browser"
})

/**
 * Creates a browser for a caller that may close its connection, and that waits no longer than its `BrowserQueue` says. A
 * create that still waits, for room or for an earlier create with its key, then creates nothing. A browser that is
 * already starting is launched, and goes to `abandoned` if its caller left.
 */
export const attended = <A, E, R>(
  create: (queue: LaunchQueue | null) => Effect.Effect<A, E, R>,
  abandoned: (made: A) => void
): Effect.Effect<A, E | LaunchFailed, R> =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const limits = yield* BrowserQueue
      const now_ms = yield* Clock.currentTimeMillis
      const left = Deferred.makeUnsafe<never, LaunchFailed>()
      const queue = limits?.waitsForRoom === true ? { ...limits, over: Deferred.await(left) } : null
      const fiber = yield* Effect.forkDetach(create(queue), { startImmediately: true, uninterruptible: true })
      // only the wait for an earlier create can be interrupted
      const interrupted = Effect.andThen(Fiber.interrupt(fiber), Fiber.await(fiber))
      const within = limits === null ? Infinity : Math.max(0, limits.until_ms - now_ms)
      const ended = Effect.timeoutOrElse(Fiber.await(fiber), { duration: within, orElse: () => interrupted })
      const exit = yield* Effect.onInterrupt(restore(ended), () => {
        Deferred.doneUnsafe(left, Effect.fail(callerLeft))
        return Effect.map(interrupted, (exit) => {
          if (Exit.isSuccess(exit)) abandoned(exit.value)
        })
      })
      return yield* Exit.hasInterrupts(exit) ? Effect.fail(stillPending) : exit
    })
  )
