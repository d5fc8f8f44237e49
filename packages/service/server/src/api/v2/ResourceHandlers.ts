import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LazyGroup from "../LazyGroup.ts"
import * as AccountOperations from "../AccountOperations.ts"
import * as ProfileOperations from "../ProfileOperations.ts"
import { Served } from "./Served.ts"

const profiles = LazyGroup.group(Served, "profiles", (handlers) =>
  Effect.map(ProfileOperations.make, ({ create, delete: remove, get, listNumbered, update }) =>
    handlers.handleAll({ create, list: listNumbered, get, update, delete: remove })
  )
)

const billing = LazyGroup.group(Served, "billing", (handlers) =>
  Effect.map(AccountOperations.make, ({ account }) => handlers.handleAll({ account: () => account }))
)

/** The v2 operations on profiles and the account. */
export const layer = Layer.merge(profiles, billing)
