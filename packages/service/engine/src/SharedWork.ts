import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { NodeId } from "./ports/NodeId.ts"
import { Store } from "./ports/Store.ts"
import { type Hands, Work } from "./ports/Work.ts"

/** How nodes that share a store notice each other. */
export interface SharedOptions {
  /** How long a node lives after it last said so; 30 seconds unless given. */
  readonly lifetime?: Duration.Input
  /** How often it says so, and looks for what others left behind; every 5 seconds unless given. */
  readonly every?: Duration.Input
}

/** How much of what others left behind a node takes at a time. */
const limit = 100

/**
 * Work of a store that several nodes share. What a node accepts it works on itself, at once. Each node says in the
 * store until when it lives, and takes over what a node left behind that does so no more. A node that was too late is
 * lost for good: it takes nothing from then on, and what it holds is refused.
 */
export const layer = ({ every = "5 seconds", lifetime = "30 seconds" }: SharedOptions = {}): Layer.Layer<
  Work,
  never,
  Store
> =>
  Layer.effect(
    Work,
    Effect.gen(function* () {
      const store = yield* Store
      const node = yield* NodeId
      const lifetime_ms = Duration.toMillis(Duration.fromInputUnsafe(lifetime))
      let hands: Hands | undefined
      // after the engine has given back what it held
      yield* Effect.addFinalizer(() => Effect.ignore(store.leave(node)))

      const take = (sessionId: string) =>
        // what cannot be taken now is found again
        hands === undefined ? Effect.void : Effect.ignore(hands.take(sessionId))

      const sweep = Effect.gen(function* () {
        if (!(yield* store.renew(node, lifetime_ms))) {
          hands = undefined
          return yield* Effect.logError(`Node ${node} was silent for too long and is lost. Start it again.`)
        }
        if (hands === undefined) return
        const { browsers, sessions } = yield* store.abandoned(limit)
        for (const id of browsers) yield* hands.reap(id)
        for (const id of sessions) yield* take(id)
        yield* hands.look
      })
      const patient = sweep.pipe(
        Effect.catchCause((cause) => Effect.logWarning("The store is away", cause)),
        Effect.repeat(Schedule.spaced(every))
      )

      return Work.of({
        offer: () => Effect.void,
        offered: take,
        serve: Effect.fnUntraced(function* (given: Hands) {
          hands = given
          yield* Effect.forkScoped(patient, { startImmediately: true })
        })
      })
    })
  )
