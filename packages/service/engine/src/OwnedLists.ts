import * as Effect from "effect/Effect"
import type { Lists } from "./ports/Lists.ts"
import { Owner } from "./ports/Owner.ts"

/** Makes lists that contain only the caller's records; a caller without an owner sees all, or those of one owner. */
export const make = (lists: Lists): Lists => {
  const scoped = <F extends { readonly owner?: string }, A, E>(
    filter: F,
    read: (own: F) => Effect.Effect<A, E>
  ): Effect.Effect<A, E> =>
    Effect.withFiber((fiber) => {
      const owner = fiber.getRef(Owner)
      return read(owner === null ? filter : { ...filter, owner })
    })
  return {
    turns: (filter, after, limit) => scoped(filter, (own) => lists.turns(own, after, limit)),
    sessions: (filter, after, limit) => scoped(filter, (own) => lists.sessions(own, after, limit)),
    browsers: (filter, after, limit) => scoped(filter, (own) => lists.browsers(own, after, limit)),
    turnCounts: (filter, most) => scoped(filter, (own) => lists.turnCounts(own, most)),
    sessionCounts: (filter, most) => scoped(filter, (own) => lists.sessionCounts(own, most)),
    browserCounts: (filter, most) => scoped(filter, (own) => lists.browserCounts(own, most)),
    spend: (filter) => scoped(filter, lists.spend),
    costliest: (filter, limit) => scoped(filter, (own) => lists.costliest(own, limit))
  }
}
