import { NotFoundError } from "@webagent/admin"
import { ConflictError, fromMillis } from "@webagent/contract"
import { Engine, mostWorkspaces, Workspaces, type WorkspacesService } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as FileLinks from "../../api/FileLinks.ts"
import * as Links from "../../api/Links.ts"
import * as WorkspaceOperations from "../../api/WorkspaceOperations.ts"
import { owned } from "./Owned.ts"
import { group } from "./Operations.ts"

/** Name of the workspace of each key that has the files of runs started here. */
const workspaceName = "Attached files"

const noRun = () => Effect.fail(new NotFoundError({ detail: "Run not found" }))
const noFiles = new NotFoundError({ detail: "This server's runs take no files" })

/** Finds or creates the workspace for files of new runs. Two of them, made at the same time, do no harm. */
const findWorkspace = Effect.fnUntraced(function* (workspaces: WorkspacesService) {
  const { items } = yield* workspaces.list(0, mostWorkspaces)
  return items.find(({ name }) => name === workspaceName) ?? (yield* workspaces.create(workspaceName))
})

/** Files that runs downloaded, and files for new runs. */
export const layer = group("files", function* (handlers) {
  const engine = yield* Engine
  const workspaces = yield* Workspaces
  const linksOf = yield* FileLinks.make
  const operations = yield* WorkspaceOperations.make
  /** The files of a run that the caller sees. */
  const filesOf = Effect.fnUntraced(function* (runId: string) {
    const { id } = yield* Effect.catchTag(engine.turn(runId.toLowerCase()), "TurnNotFound", noRun)
    return { id, files: yield* workspaces?.attachments(id) ?? Effect.succeed([]) }
  })
  return handlers
    .handle("attachments", ({ params }) =>
      Effect.map(filesOf(params.run_id), ({ files }) =>
        files.map(({ contentType, id, path, size }) => ({ id, name: path, contentType, sizeBytes: size }))
      )
    )
    .handle("attachment", ({ params, request }) =>
      Effect.gen(function* () {
        const { files, id } = yield* filesOf(params.run_id)
        const file = files.find((one) => one.id === params.attachment_id.toLowerCase())
        if (file === undefined) return yield* new NotFoundError({ detail: "File not found" })
        const links = yield* linksOf(request)
        return HttpServerResponse.redirect(Links.pathOf(links.file(id, file.path, FileLinks.downloadAs(file.path))), {
          headers: { "cache-control": "no-store" }
        })
      })
    )
    .handle("upload", ({ payload, request }) =>
      owned(
        Effect.gen(function* () {
          if (workspaces === null) return yield* noFiles
          const { id } = yield* findWorkspace(workspaces)
          // a folder of their own, so that files keep their names
          const folder = fromMillis(yield* Clock.currentTimeMillis)
          const files = { files: payload.files, allowOverrides: false }
          const params = { workspace_id: id }
          const expected = yield* operations.upload({ params, payload: files, query: { prefix: folder }, request })
          return "files" in expected
            ? expected.files.map(({ id, name, uploadUrl }) => ({ id, name, uploadUrl }))
            : expected
        })
      ).pipe(
        Effect.catchTags({
          NoRoom: ({ message }) => Effect.fail(new ConflictError({ detail: message })),
          WorkspaceNotFoundError: ({ detail }) => Effect.fail(new NotFoundError({ detail })),
          // only a create with an idempotency key can fail so
          KeyTaken: Effect.die
        })
      )
    )
})
