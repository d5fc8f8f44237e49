import type { RunAttachment } from "@webagent/contract/v4"
import { type Turn, Workspaces, type WorkspacesService } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Schema from "effect/Schema"
import { field } from "./ExtensionFields.ts"
import * as FileLinks from "./FileLinks.ts"
import { invalid } from "./Invalid.ts"

/** The most files of a run and their total size, because they are copied to its browser. */
const most = { files: 20, bytes: 512 * 2 ** 20 }

const workspaceField = field(
  "workspaceId",
  Schema.decodeUnknownOption(Schema.NonEmptyString),
  "Expected the id of a workspace",
  "string_type"
)

const idsField = field(
  "attachedFileIds",
  Schema.decodeUnknownOption(Schema.Array(Schema.String)),
  "Expected a list of file ids: the id of each upload",
  "list_type"
)

/** The files of a new run or message, and its body without the fields that name them. */
interface Named<Body> {
  readonly body: Body
  readonly files: { readonly files?: Turn.Turn["files"] }
  /** The ids that name no file of the caller. */
  readonly missing: ReadonlyArray<string>
}

const wrongIds = (message: string) => invalid(["body", "attachedFileIds"], message)

const noWorkspace = invalid(["body", "workspaceId"], "You have no workspace with this id")

/** Reads the files of requests, and lists the files that runs downloaded. */
export const make = Effect.gen(function* () {
  const workspaces = yield* Workspaces
  const linksOf = yield* FileLinks.make

  /** Finds the files that a request names: some of the caller's, or all of a workspace. */
  const find = Effect.fnUntraced(
    function* (storage: WorkspacesService, workspaceId: string | null, wanted: ReadonlyArray<string>) {
      const files =
        workspaceId === null || wanted.length > 0
          ? yield* storage.filesById(wanted)
          : (yield* storage.files(workspaceId, "", "", most.files + 1)).files
      // a workspace that isn't the caller's is refused, even if its files aren't needed
      if (workspaceId !== null) yield* storage.find(workspaceId)
      const existing = new Set(files.map(({ id }) => id))
      return { files, missing: wanted.filter((id) => !existing.has(id)) }
    },
    Effect.catchTag("WorkspaceNotFound", () => noWorkspace)
  )

  return {
    /**
     * Reads which files a run may upload: those that the body names, or all files of the workspace that it names. Without
     * storage, the fields stay in the body, for whatever refuses what the server doesn't have.
     */
    of: Effect.fnUntracedEager(function* <Body extends object>(body: Body) {
      const none: Named<Body> = { body, files: {}, missing: [] }
      if (workspaces === null || !("workspaceId" in body || "attachedFileIds" in body)) return none
      const { workspaceId } = yield* workspaceField(body)
      const { attachedFileIds = [] } = yield* idsField(body)
      const rest = Object.fromEntries(
        Object.entries(body).filter(([name]) => name !== "workspaceId" && name !== "attachedFileIds")
      ) as Body
      const id = workspaceId?.toLowerCase() ?? null
      if (id === null && attachedFileIds.length === 0) return { ...none, body: rest }
      const wanted = [...new Set(attachedFileIds.map((each) => each.toLowerCase()))]
      const { files, missing } = yield* find(workspaces, id, wanted)
      if (Math.max(files.length, wanted.length) > most.files) {
        return yield* wrongIds(`A run takes at most ${most.files} files: name those that it needs`)
      }
      if (files.reduce((sum, { size }) => sum + size, 0) > most.bytes) {
        return yield* wrongIds(`A run's files have at most ${most.bytes} bytes together: name fewer`)
      }
      const named: Named<Body> = {
        body: rest,
        files: { files: { workspaceId: id, ids: files.map((file) => file.id) } },
        missing
      }
      return named
    }),
    /** Lists the files that a run downloaded, each with a link that opens it. */
    attachments: Effect.fnUntraced(function* (runId: string, request: HttpServerRequest.HttpServerRequest) {
      const files = yield* workspaces?.attachments(runId) ?? Effect.succeed([])
      const links = yield* linksOf(request)
      return files.map(({ contentType, id, path, size }): RunAttachment => ({
        id,
        name: path,
        contentType,
        sizeBytes: size,
        status: "uploaded",
        url: links.file(runId, path, FileLinks.downloadAs(path))
      }))
    })
  }
})
