import { NotFoundError } from "@webagent/admin"
import { fromMillis } from "@webagent/contract"
import { Profiles } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { owned } from "./Owned.ts"
import { group } from "./Operations.ts"

const mostListed = 100

const noProfiles = new NotFoundError({ detail: "This server has no browser profiles" })

/** Browser profiles that the caller's runs can use. */
export const layer = group("profiles", function* (handlers) {
  const profiles = yield* Profiles
  return handlers.handle("list", ({ query: { search = "" } }) =>
    Effect.gen(function* () {
      if (profiles === null) return yield* noProfiles
      const { items, total } = yield* owned(profiles.list(search, 0, mostListed))
      const rows = items.map(({ createdAt_ms, id, lastUsedAt_ms, name, userId }) => ({
        id,
        name,
        userId,
        lastUsedAt: lastUsedAt_ms === null ? null : fromMillis(lastUsedAt_ms),
        createdAt: fromMillis(createdAt_ms)
      }))
      return { rows, total }
    })
  )
})
