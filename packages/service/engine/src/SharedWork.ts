import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type { Node } from "./domain/Node.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Store } from "./ports/Store.ts"
import { type Hands, Work } from "./ports/Work.ts"

/** How nodes that share a store notice each other. */
export interface SharedOptions {
  /** How long a node lives after it last said so; 30 seconds unless given. */
  readonly lifetime?: Duration.Input
  /** How often it says so, and looks for what others left behind; every 5 seconds unless given. */
  readonly every?: Duration.Input
  /** What it tells of itself each time; its id as its name, and no address, unless given. */
  readonly about?: Effect.Effect<Omit<Node, "id">>
}

/** By the monotonic clock: the time of day can be set. */
const elapsed_ms = Effect.map(Clock.monotonicTimeNanos, (now_ns) => Number(now_ns) / 1e6)

/** How much of what others left behind a node takes at a time. */
const limit = 100

/**
 * Work of a store that several nodes share. What a node accepts it works on itself, at once. Each node says in the
 * store until when it lives, and takes over what a node left behind that does so no more. A node that was too late is
 * lost for good: it takes nothing from then on, and what it holds is refused.
 */
export const layer = ({ about, every = "5 seconds", lifetime = "30 seconds" }: SharedOptions = {}): Layer.Layer<
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
      const startedAt_ms = yield* Clock.currentTimeMillis
      const told = about ?? Effect.succeed({ name: node, address: null, room: 0, draining: false, startedAt_ms })
      let hands: Hands | undefined
      // after the engine has given back what it held
      yield* Effect.addFinalizer(() => Effect.ignore(store.leave(node)))

      const take = (sessionId: string) =>
        // what cannot be taken now is found again
        hands === undefined ? Effect.void : Effect.ignore(hands.take(sessionId))

      /** Until when this node lives, once it said that it does; its clock began to count before the store's did. */
      let until_ms = Infinity

      /** What this node does counts no more: others take what it had. */
      const lose = Effect.suspend(() => {
        const lost = hands
        if (lost === undefined) return Effect.void
        hands = undefined
        const said = Effect.logError(`Node ${node} was silent for too long and is lost. Start it again.`)
        return Effect.andThen(said, lost.abandon)
      })

      const sweep = Effect.gen(function* () {
        if (hands === undefined) return
        const before_ms = yield* elapsed_ms
        if (!(yield* store.renew({ id: node, ...(yield* told) }, lifetime_ms))) return yield* lose
        until_ms = before_ms + lifetime_ms
        const { browsers, sessions } = yield* store.abandoned(limit)
        for (const id of browsers) yield* hands.reap(id)
        for (const id of sessions) yield* take(id)
        yield* hands.look
      })
      const patient = sweep.pipe(
        Effect.catchCause((cause) => Effect.logWarning("The store is away", cause)),
        Effect.repeat(Schedule.spaced(every))
      )

      /** Does not wait for the store: one that does not answer may be cut off from this node alone. */
      const fence: Effect.Effect<void> = Effect.flatMap(elapsed_ms, (now_ms) =>
        now_ms < until_ms
          ? Effect.andThen(
              Effect.sleep(Math.min(until_ms - now_ms, lifetime_ms)),
              Effect.suspend(() => fence)
            )
          : lose
      )

      return Work.of({
        offer: () => Effect.void,
        offered: take,
        serve: Effect.fnUntraced(function* (given: Hands) {
          hands = given
          yield* Effect.forkScoped(patient, { startImmediately: true })
          yield* Effect.forkScoped(fence)
        })
      })
    })
  )
