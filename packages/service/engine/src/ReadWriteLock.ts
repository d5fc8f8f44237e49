import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/**
 * Many effects hold it shared at a time. An exclusive effect waits for those inside, and none enters before it is done.
 * An effect that holds it must not ask for it again. Waiting for it cannot be interrupted.
 */
export interface ReadWriteLock {
  readonly shared: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly exclusive: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** A free lock. */
export const make = (): ReadWriteLock => {
  let inside = 0
  let held: Deferred.Deferred<void> | undefined
  let emptied: Deferred.Deferred<void> | undefined

  const leave = Effect.sync(() => {
    inside--
    if (inside === 0 && emptied !== undefined) Deferred.doneUnsafe(emptied, Effect.void)
  })

  const shared: ReadWriteLock["shared"] = (effect) =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        if (held !== undefined) return Effect.andThen(Deferred.await(held), shared(effect))
        inside++
        return Effect.ensuring(effect, leave)
      })
    )

  const exclusive: ReadWriteLock["exclusive"] = (effect) =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        if (held !== undefined) return Effect.andThen(Deferred.await(held), exclusive(effect))
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

  return { shared, exclusive }
}
