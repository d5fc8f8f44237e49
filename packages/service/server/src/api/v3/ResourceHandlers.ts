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

const workspaces = LazyGroup.group(
  Served,
  "workspaces",
  Effect.fnUntraced(function* (handlers) {
    const operations = yield* WorkspaceOperations.make
    return handlers.handleAll({
      create: operations.create,
      list: ({ query }) =>
        Effect.flatMap(NumberedPages.pageOf("pageNumber", query.pageNumber, query.pageSize), operations.list),
      get: ({ params }) => operations.get(params.workspace_id),
      update: ({ params, payload }) => operations.update(params.workspace_id, payload),
      delete: ({ params }) => operations.remove(params.workspace_id),
      size: ({ params }) => operations.size(params.workspace_id),
      files: ({ params, query, request }) => operations.files(params.workspace_id, query, request),
      upload: ({ params, payload, query, request }) =>
        operations.upload(params.workspace_id, payload, query.prefix, request),
      deleteFile: ({ params, query }) => operations.deleteFile(params.workspace_id, query.path)
    })
  })
)

const billing = LazyGroup.group(
  Served,
  "billing",
  Effect.fnUntraced(function* (handlers) {
    const { account } = yield* AccountOperations.make
    return handlers.handleAll({ account: () => account })
  })
)

/** The v3 operations on profiles, workspaces and the account. */
export const layer = Layer.mergeAll(profiles, workspaces, billing)
