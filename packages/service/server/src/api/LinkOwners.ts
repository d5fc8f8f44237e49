import { ApiKeys, type StoreUnavailable } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"

interface LinkOwnersService {
  /** True if links to the browsers and recordings of an owner are valid. */
  readonly mayOpen: (owner: string | null) => Effect.Effect<boolean, StoreUnavailable>
  /** Waits until the owner's links don't open any more. */
  readonly revoked: (owner: string | null) => Effect.Effect<void>
}

/** The owners whose links open. All links open by default, because a server in memory has no keys to revoke. */
export const LinkOwners: Context.Reference<LinkOwnersService> = Context.Reference("@webagent/server/LinkOwners", {
  defaultValue: (): LinkOwnersService => ({ mayOpen: () => Effect.succeed(true), revoked: () => Effect.never })
})

/** The response to a link of a revoked key, and the reason with which its open connections are closed. */
export const revokedSentence = "The API key of this browser was revoked"

/** The connections of one owner, which wait together. */
interface Waiting {
  count: number
  readonly revoked: Deferred.Deferred<void>
}

const make = Effect.gen(function* () {
  const keys = yield* ApiKeys
  const waiting = new Map<string, Waiting>()
  /** Open while there are connections. */
  const some = Latch.makeUnsafe(false)

  const look = Effect.gen(function* () {
    if (waiting.size === 0) return
    for (const name of yield* keys.revokedOf([...waiting.keys()])) {
      const owner = waiting.get(name)
      if (owner === undefined) continue
      waiting.delete(name)
      yield* Deferred.succeed(owner.revoked, undefined)
    }
  })
  yield* Effect.suspend(() => {
    if (waiting.size === 0) some.closeUnsafe()
    return some.await
  }).pipe(
    Effect.andThen(Effect.sleep("1 second")),
    // while the database is away, connections stay open
    Effect.andThen(Effect.ignoreCause(look)),
    Effect.forever,
    Effect.forkScoped
  )

  const revoked = (name: string) =>
    Effect.suspend(() => {
      const owner = waiting.get(name) ?? { count: 0, revoked: Deferred.makeUnsafe<void>() }
      owner.count += 1
      waiting.set(name, owner)
      some.openUnsafe()
      const leave = Effect.sync(() => {
        owner.count -= 1
        if (owner.count === 0 && waiting.get(name) === owner) waiting.delete(name)
      })
      return Effect.ensuring(Deferred.await(owner.revoked), leave)
    })

  return {
    mayOpen: (owner: string | null) =>
      owner === null
        ? Effect.succeed(true)
        : Effect.map(keys.revokedOf([owner]), (revokedNames) => !revokedNames.has(owner)),
    revoked: (owner: string | null) => (owner === null ? Effect.never : revoked(owner))
  }
})

/**
 * Links open only while a key with their owner's name isn't revoked. Open connections are checked every second, with one
 * query for all of them.
 */
export const layer: Layer.Layer<never, never, ApiKeys> = Layer.effect(LinkOwners, make)
