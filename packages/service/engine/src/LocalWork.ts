import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { Hints } from "./ports/Hints.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Store } from "./ports/Store.ts"
import { type Hands, Work } from "./ports/Work.ts"
import { storeRetries } from "./storeRetries.ts"

const everySecond = Schedule.spaced("1 second")

/** Pause between two looks without a hint, for what a slow database stored late. */
const pause = "8 seconds"

/**
 * Work of a store that one server has to itself: it is taken where it is offered, at once. With `looks`, the server looks
 * for runs and browsers that another process, such as an operator's command, stopped in the store: at each hint, because
 * a look reads all running and waiting runs.
 */
const make = Effect.fnUntraced(function* (looks: boolean) {
  const store = yield* Store
  const node = yield* NodeId
  const hints = yield* Hints
  const fork = Effect.runForkWith(yield* Effect.context())
  let hands: Hands | undefined
  const take = (sessionId: string): Effect.Effect<void> =>
    hands === undefined ? Effect.void : hands.take(sessionId).pipe(Effect.catch(() => retake(sessionId)))
  /** Takes the session once the store is available again. No caller waits for it. */
  const retake = (sessionId: string) =>
    Effect.sync(() => void fork(Effect.andThen(Effect.sleep("1 second"), take(sessionId))))
  return Work.of({
    offered: take,
    mayTake: () => true,
    isLost: store.isLost,
    // what an earlier start of the process left behind
    serve: Effect.fnUntraced(function* (newHands: Hands) {
      hands = newHands
      const { browsers, sessions } = yield* Effect.orDie(
        Effect.retry(store.unfinished(Number.MAX_SAFE_INTEGER), everySecond)
      )
      for (const id of browsers) yield* Effect.orDie(Effect.retry(newHands.resumeBrowser(id), everySecond))
      for (const id of sessions) yield* newHands.resume(id).pipe(Effect.catch(() => retake(id)))
      if (!looks) return
      const look = newHands.lookNow
      // another process waits for the outcome of its change
      const lookAtHint = Effect.ignoreCause(Effect.retry(look, storeRetries))
      yield* Effect.forkScoped(
        Stream.runForEach(hints.heard(node), () => lookAtHint),
        { startImmediately: true }
      )
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.ignoreCause(look), Effect.sleep(pause))))
    })
  })
})

/** Work of a store that only this process writes to, such as one in memory. */
export const layer: Layer.Layer<Work, never, Store> = Layer.effect(Work, make(false))

/** Work of a store that other processes write to, such as a file that an operator's commands use. */
export const layerLooking: Layer.Layer<Work, never, Store> = Layer.effect(Work, make(true))
