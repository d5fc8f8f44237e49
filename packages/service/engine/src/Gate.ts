import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/**
 * Many pass at a time, until one holds the gate: that one waits for those inside, and nobody passes before it is
 * done. Whoever is inside must not pass again. Neither can be interrupted while it waits.
 */
export interface Gate {
  readonly pass: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly hold: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** A gate that nobody holds. */
export const make = (): Gate => {
  let inside = 0
  let held: Deferred.Deferred<void> | undefined
  let emptied: Deferred.Deferred<void> | undefined

  const leave = Effect.sync(() => {
    inside--
    if (inside === 0 && emptied !== undefined) Deferred.doneUnsafe(emptied, Effect.void)
  })

  const pass: Gate["pass"] = (effect) =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        if (held !== undefined) return Effect.andThen(Deferred.await(held), pass(effect))
        inside++
        return Effect.ensuring(effect, leave)
      })
    )

  const hold: Gate["hold"] = (effect) =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        if (held !== undefined) return Effect.andThen(Deferred.await(held), hold(effect))
        const mine = Deferred.makeUnsafe<void>()
        const empty = Deferred.makeUnsafe<void>()
        held = mine
        emptied = empty
        return Effect.ensuring(
          inside === 0 ? effect : Effect.andThen(Deferred.await(empty), effect),
          Effect.sync(() => {
            held = undefined
            emptied = undefined
            Deferred.doneUnsafe(mine, Effect.void)
          })
        )
      })
    )

  return { pass, hold }
}
