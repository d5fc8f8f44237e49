import {
  BadCursorError,
  ConflictError,
  ContentTooLargeError,
  fromMillis,
  type HTTPValidationError,
  WorkspaceNotFoundError
} from "@webagent/contract"
import type { FileListQuery, UploadRequest, Workspace, WorkspaceInput } from "@webagent/contract/v4"
import {
  Engine,
  isFileName,
  isFilePath,
  Owner,
  type UploadFile,
  type Workspace as Stored,
  Workspaces
} from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Cursor from "./Cursor.ts"
import * as FileLinks from "./FileLinks.ts"
import { invalid } from "./Invalid.ts"
import { withPort } from "./NoPort.ts"
import { pageOf } from "./NumberedPages.ts"
import * as SafeCreate from "./SafeCreate.ts"

const fromDomain = (workspace: Stored): Workspace => ({
  id: workspace.id,
  name: workspace.name,
  archived: workspace.archived,
  createdAt: fromMillis(workspace.createdAt_ms),
  updatedAt: fromMillis(workspace.updatedAt_ms)
})

const notFound = () => Effect.fail(new WorkspaceNotFoundError({ detail: "Workspace not found" }))
const noFile = () => Effect.fail(new WorkspaceNotFoundError({ detail: "File not found" }))
const archived = () => Effect.fail(new ConflictError({ detail: "Workspace is archived" }))

const usualFiles = 50

/** Reads the folder that files are uploaded to: empty, or names with `/` between them. */
const folderOf = (prefix = ""): Effect.Effect<string, HTTPValidationError> => {
  const folder = prefix.replace(/\/$/u, "")
  if (folder === "") return prefix === "" ? Effect.succeed("") : Effect.fail(wrongFolder)
  return isFilePath(folder) ? Effect.succeed(`${folder}/`) : Effect.fail(wrongFolder)
}

const wrongFolder = invalid(["query", "prefix"], "Expected a folder of the workspace, such as reports/2026")

/** Reads the files to upload. A name that could lead out of the workspace is refused. */
const filesOf = (
  { files }: UploadRequest,
  folder: string
): Effect.Effect<ReadonlyArray<UploadFile>, HTTPValidationError> =>
  Effect.forEach(files, ({ contentType, name, size = null }, index) => {
    const at = (field: string) => ["body", "files", index, field]
    const path = `${folder}${name}`
    if (!isFileName(name) || !isFilePath(path)) {
      return Effect.fail(invalid(at("name"), "Expected the name of a file, without a folder, such as data.csv"))
    }
    if (size !== null && size < 0) return Effect.fail(invalid(at("size"), "Expected a number of bytes"))
    return /^[\w.+-]+\/[\w.+-]+(?:;[\x20-\x7e]*)?$/u.test(contentType)
      ? Effect.succeed({ path, contentType, size })
      : Effect.fail(invalid(at("contentType"), "Expected a media type, such as text/csv"))
  })

/** Reads how links open files: as a download under the file's name by default. */
const dispositionOf = (value: string | undefined): Effect.Effect<string | undefined, HTTPValidationError> =>
  value === undefined || /^(?:attachment|inline)(?:;[\x20-\x7e]{0,255})?$/u.test(value)
    ? Effect.succeed(value)
    : Effect.fail(invalid(["query", "contentDisposition"], "Expected attachment or inline, with parameters if needed"))

/** A request about one workspace. */
interface OfWorkspace {
  readonly params: { readonly workspace_id: string }
}

interface WithRequest {
  readonly request: HttpServerRequest.HttpServerRequest
}

interface UploadInput extends OfWorkspace, WithRequest {
  readonly payload: UploadRequest
  readonly query: { readonly prefix?: string | undefined }
}

const idOf = ({ params }: OfWorkspace) => params.workspace_id.toLowerCase()

/** The operations on workspaces and their files, the same in every version that has them. */
export const make = Effect.gen(function* () {
  const engine = yield* Engine
  const port = yield* Workspaces
  const linksOf = yield* FileLinks.make

  return {
    create: (wanted: SafeCreate.CreateRequest<WorkspaceInput>) =>
      withPort(port, (workspaces) =>
        SafeCreate.once(wanted, (safe) =>
          engine.once(safe, "Workspace", (keep) => workspaces.create(wanted.payload.name ?? null, keep))
        ).pipe(
          Effect.map(({ workspace }) => fromDomain(workspace)),
          Effect.catchTag("NoRoom", ({ message }) => Effect.fail(new ConflictError({ detail: message })))
        )
      ),
    list: ({ query }: { readonly query: { readonly pageNumber?: number; readonly pageSize?: number } }) =>
      withPort(
        port,
        Effect.fnUntraced(function* (workspaces) {
          const page = yield* pageOf("pageNumber", query.pageNumber, query.pageSize)
          const { items, total } = yield* workspaces.list(page.skipped, page.size)
          return { items: items.map(fromDomain), totalItems: total, pageNumber: page.number, pageSize: page.size }
        })
      ),
    get: (wanted: OfWorkspace) =>
      withPort(port, (workspaces) =>
        workspaces.find(idOf(wanted)).pipe(Effect.map(fromDomain), Effect.catchTag("WorkspaceNotFound", notFound))
      ),
    update: ({ payload: { name }, ...wanted }: OfWorkspace & { readonly payload: WorkspaceInput }) =>
      withPort(port, (workspaces) =>
        (name === undefined ? workspaces.find(idOf(wanted)) : workspaces.rename(idOf(wanted), name)).pipe(
          Effect.map(fromDomain),
          Effect.catchTag("WorkspaceNotFound", notFound)
        )
      ),
    /** Makes a workspace read-only, as v4's delete does. */
    archive: (wanted: OfWorkspace) =>
      withPort(port, (workspaces) => Effect.catchTag(workspaces.archive(idOf(wanted)), "WorkspaceNotFound", notFound)),
    /** Deletes a workspace with its files, as v3's delete does. */
    remove: (wanted: OfWorkspace) =>
      withPort(port, (workspaces) => Effect.catchTag(workspaces.remove(idOf(wanted)), "WorkspaceNotFound", notFound)),
    size: (wanted: OfWorkspace) =>
      withPort(port, (workspaces) =>
        workspaces.usedBytes(idOf(wanted)).pipe(
          Effect.map((usedBytes) => ({ usedBytes, maxBytes: workspaces.maxBytes })),
          Effect.catchTag("WorkspaceNotFound", notFound)
        )
      ),
    files: ({ query, request, ...wanted }: OfWorkspace & WithRequest & { readonly query: FileListQuery }) =>
      withPort(
        port,
        Effect.fnUntraced(
          function* (workspaces) {
            const id = idOf(wanted)
            const { contentDisposition, cursor, limit = usualFiles, prefix = "" } = query
            const as = yield* dispositionOf(contentDisposition)
            const scope = { list: "files", owner: yield* Owner, filter: { workspaceId: id, prefix } }
            const after = cursor === undefined ? "" : Cursor.decodeText(scope, cursor)
            if (after === undefined) return yield* new BadCursorError({ detail: Cursor.badCursor })
            const { files, hasMore } = yield* workspaces.files(id, prefix, after, limit)
            const links = query.includeUrls === "true" ? yield* linksOf(request) : null
            const last = files.at(-1)
            return {
              files: files.map(({ modifiedAt_ms, path, size }) => ({
                path,
                size,
                lastModified: fromMillis(modifiedAt_ms),
                url: links?.file(id, path, as ?? FileLinks.downloadAs(path.slice(path.lastIndexOf("/") + 1))) ?? null
              })),
              nextCursor: hasMore && last !== undefined ? Cursor.encodeText(scope, last.path) : null,
              hasMore
            }
          },
          Effect.catchTag("WorkspaceNotFound", notFound)
        )
      ),
    upload: ({ payload: body, query: { prefix }, request, ...wanted }: UploadInput) =>
      withPort(
        port,
        Effect.fnUntraced(
          function* (workspaces) {
            const files = yield* filesOf(body, yield* folderOf(prefix))
            const uploads = yield* workspaces.upload(idOf(wanted), files, body.allowOverrides)
            const links = yield* linksOf(request)
            return {
              files: uploads.map(({ id, path, replaces }, index) => ({
                id,
                name: body.files[index]?.name ?? "",
                storedName: path.slice(path.lastIndexOf("/") + 1),
                path,
                willOverride: replaces,
                uploadUrl: links.upload(id)
              }))
            }
          },
          Effect.catchTags({
            WorkspaceNotFound: notFound,
            WorkspaceArchived: archived,
            NoRoom: ({ message }) => Effect.fail(new ContentTooLargeError({ detail: message }))
          })
        )
      ),
    deleteFile: ({ query: { path }, ...wanted }: OfWorkspace & { readonly query: { readonly path: string } }) =>
      withPort(port, (workspaces) =>
        Effect.catchTags(workspaces.removeFile(idOf(wanted), path), {
          WorkspaceNotFound: notFound,
          FileNotFound: noFile,
          WorkspaceArchived: archived
        })
      )
  }
})
