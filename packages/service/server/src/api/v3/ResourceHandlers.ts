import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LazyGroup from "../LazyGroup.ts"
import * as AccountOperations from "../AccountOperations.ts"
import * as NumberedPages from "../NumberedPages.ts"
import * as ProfileOperations from "../ProfileOperations.ts"
import * as WorkspaceOperations from "../WorkspaceOperations.ts"
import { Served } from "./Served.ts"

const profiles = LazyGroup.group(Served, "profiles", (handlers) =>
  Effect.map(ProfileOperations.make, ({ create, delete: remove, get, list, update }) =>
    handlers.handleAll({
      create,
      list: ({ query }) =>
        Effect.flatMap(NumberedPages.pageOf("page", query.page, query.page_size), (page) =>
          list(query.query ?? "", page)
        ),
      get,
      update,
      delete: remove
    })
  )
)

const workspaces = LazyGroup.group(Served, "workspaces", (handlers) =>
  Effect.map(WorkspaceOperations.make, ({ create, deleteFile, files, get, list, remove, size, update, upload }) =>
    handlers.handleAll({ create, delete: remove, deleteFile, files, get, list, size, update, upload })
  )
)

const billing = LazyGroup.group(Served, "billing", (handlers) =>
  Effect.map(AccountOperations.make, ({ account }) => handlers.handleAll({ account: () => account }))
)

/** The v3 operations on profiles, workspaces and the account. */
export const layer = Layer.mergeAll(profiles, workspaces, billing)
