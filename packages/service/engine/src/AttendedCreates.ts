import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { LaunchFailed } from "./ports/BrowserPool.ts"
import { BrowserQueue, type BrowserQueueLimits } from "./ports/BrowserQueue.ts"

const callerLeft = Effect.fail(
  new LaunchFailed({ reason: "left", message: "The caller closed its connection before there was a free browser" })
)

/**
 * Creates a browser for a caller that may close its connection. A create that still waits, for room or for an earlier
 * create with its key, then creates nothing. A browser that is already starting is launched, and goes to `abandoned`.
 */
export const attended = <A, E, R, R2>(
  create: (queue: BrowserQueueLimits | null) => Effect.Effect<A, E, R>,
  abandoned: (made: A) => Effect.Effect<void, never, R2>
): Effect.Effect<A, E, R | R2> =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const queue = yield* BrowserQueue
      const left = Deferred.makeUnsafe<never, LaunchFailed>()
      const limits = queue && { ...queue, over: Effect.raceFirst(queue.over, Deferred.await(left)) }
      const fiber = yield* Effect.forkDetach(create(limits), { startImmediately: true, uninterruptible: true })
      return yield* Effect.onInterrupt(restore(Fiber.join(fiber)), () => {
        Deferred.doneUnsafe(left, callerLeft)
        // only the wait for an earlier create can be interrupted
        fiber.interruptUnsafe()
        return Effect.flatMap(Fiber.await(fiber), (exit) =>
          Exit.isSuccess(exit) ? abandoned(exit.value) : Effect.void
        )
      })
    })
  )
