import { type BadCursorError, type ConflictError, WorkspaceNotFoundError } from "@webagent/contract"
import {
  type UploadRequest,
  type UploadResponse,
  type Workspace,
  WorkspaceExtensions,
  type WorkspaceInput,
  type WorkspaceSize
} from "@webagent/contract/Resources"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import { type CallOptions, type CreateOptions, provide } from "../CallOptions.ts"
import type { CallError, CreateError } from "../ContractClient.ts"
import type { OperationUnavailableError } from "../OperationUnavailableError.ts"
import { mustBe } from "../MustBe.ts"
import { Transport } from "../Transport.ts"
import { refused } from "../TransportError.ts"
import * as FileLinks from "./FileLinks.ts"
import * as Optional from "./Optional.ts"

/** Errors that an operation on a workspace can fail with. */
export type WorkspaceError = WorkspaceNotFoundError | CallError | OperationUnavailableError

/** Errors that creating a workspace can fail with. */
export type WorkspaceCreateError = CreateError | ConflictError | OperationUnavailableError

/** Errors that listing files can fail with. */
export type FileListError = WorkspaceError | BadCursorError

/** Errors that uploading files can fail with. */
export type UploadError = WorkspaceError | CreateError | ConflictError

/** A file to upload. */
export interface FileUpload {
  /** A plain file name. */
  readonly name: string
  readonly content: FileLinks.FileContent
  /** The media type; by default that of a Blob, otherwise `application/octet-stream`. */
  readonly contentType?: string | undefined
}

/** A file that was uploaded. */
export type UploadedFile = Omit<UploadResponse["files"][number], "uploadUrl">

/** Options of an upload. */
export interface UploadOptions extends CreateOptions {
  /** The folder that the files are stored in. */
  readonly prefix?: string | undefined
  /** False keeps a file that has the name already, and stores the new one under another name. */
  readonly allowOverrides?: boolean | undefined
}

/** The operations on workspaces and their files. */
export interface WorkspaceCalls {
  /**
   * Creates a workspace, whose files several sessions can use.
   *
   * @param input - The name of the workspace.
   * @param options - An idempotency key, and headers and retries of this call.
   * @returns The workspace.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @example
   * ```ts
   * import { Workspaces } from "@webagent/v4/account"
   *
   * export const prices = Workspaces.use((workspaces) => workspaces.create({ name: "Prices" }))
   * ```
   */
  readonly create: (input?: WorkspaceInput, options?: CreateOptions) => Effect.Effect<Workspace, WorkspaceCreateError>
  /**
   * Reads a workspace.
   *
   * @param id - The id of the workspace.
   * @param options - Headers, a request id and retries of this call.
   * @returns The workspace.
   * @throws `WorkspaceNotFoundError` if the service has no workspace with this id, and `OperationUnavailableError` if it
   *   has no workspaces.
   * @example
   * ```ts
   * import { Workspaces } from "@webagent/v4/account"
   *
   * export const workspace = Workspaces.use((workspaces) => workspaces.get("5f2e"))
   * ```
   */
  readonly get: (id: string, options?: CallOptions) => Effect.Effect<Workspace, WorkspaceError>
  /**
   * Renames a workspace. Null clears the name.
   *
   * @param id - The id of the workspace.
   * @param input - The new name.
   * @param options - Headers, a request id and retries of this call.
   * @returns The renamed workspace.
   * @throws `WorkspaceNotFoundError` if the service has no workspace with this id.
   * @example
   * ```ts
   * import { Workspaces } from "@webagent/v4/account"
   *
   * export const renamed = Workspaces.use((workspaces) => workspaces.update("5f2e", { name: "Prices in May" }))
   * ```
   */
  readonly update: (
    id: string,
    input: WorkspaceInput,
    options?: CallOptions
  ) => Effect.Effect<Workspace, WorkspaceError>
  /**
   * Archives a workspace: it can be read, and not changed. API v3 deletes it with its files instead.
   *
   * @param id - The id of the workspace.
   * @param options - Headers, a request id and retries of this call.
   * @returns Nothing, once the workspace is archived.
   * @throws `WorkspaceNotFoundError` if the service has no workspace with this id.
   * @example
   * ```ts
   * import { Workspaces } from "@webagent/v4/account"
   *
   * export const archived = Workspaces.use((workspaces) => workspaces.delete("5f2e"))
   * ```
   */
  readonly delete: (id: string, options?: CallOptions) => Effect.Effect<void, WorkspaceError>
  /**
   * Reads the bytes that the files of a workspace take, and the most that they may take.
   *
   * @param id - The id of the workspace.
   * @param options - Headers, a request id and retries of this call.
   * @returns `usedBytes` and `maxBytes`.
   * @throws `WorkspaceNotFoundError` if the service has no workspace with this id.
   * @example
   * ```ts
   * import { Workspaces } from "@webagent/v4/account"
   * import * as Effect from "effect/Effect"
   *
   * export const free_bytes = Workspaces.use((workspaces) =>
   *   Effect.map(workspaces.size("5f2e"), ({ maxBytes, usedBytes }) => maxBytes - usedBytes)
   * )
   * ```
   */
  readonly size: (id: string, options?: CallOptions) => Effect.Effect<WorkspaceSize, WorkspaceError>
  /** Lists the files of a workspace in the order of their paths. Pages are read while you take files. */
  readonly files: FileLinks.StoredFiles<FileListError>["list"]
  /** Reads one page of `files`. */
  readonly filesPage: FileLinks.StoredFiles<FileListError>["listPage"]
  /**
   * Requests links for uploads. PUT each file's bytes to its `uploadUrl` once, without an API key; `upload` does both.
   *
   * @param id - The id of the workspace.
   * @param request - The names, media types and sizes in bytes of the files.
   * @param options - `prefix` is the folder of the files. An idempotency key, and headers and retries of this call.
   * @returns One link per file, in the order of the request.
   * @throws `WorkspaceNotFoundError` if the service has no workspace with this id.
   * @example
   * ```ts
   * import { Workspaces } from "@webagent/v4/account"
   *
   * export const links = Workspaces.use((workspaces) =>
   *   workspaces.uploadLinks("5f2e", {
   *     files: [{ name: "mugs.csv", contentType: "text/csv", size: 8 }],
   *     allowOverrides: true
   *   })
   * )
   * ```
   */
  readonly uploadLinks: (
    id: string,
    request: UploadRequest,
    options?: CreateOptions & { readonly prefix?: string | undefined }
  ) => Effect.Effect<UploadResponse, UploadError>
  /**
   * Uploads files, four at a time. They are sent to links of the service, with `fetch` and without the API key.
   *
   * @param id - The id of the workspace.
   * @param files - The names and contents of the files.
   * @param options - `timeout` limits each request. A file that was sent stays stored if another one fails.
   * @returns The uploaded files with their paths, in the order of `files`.
   * @throws `TransportError` if a file can't be sent. Its `path` names the file, and not the link, which is a secret. The
   *   reason is an `InvalidRequest`, and no file was sent, if the content of a file is no content, or if the response of
   *   the service has no link for it.
   * @example
   * ```ts
   * import { Workspaces } from "@webagent/v4/account"
   *
   * export const uploaded = Workspaces.use((workspaces) =>
   *   workspaces.upload("5f2e", [{ name: "mugs.csv", content: "red,4.20" }], { prefix: "prices" })
   * )
   * ```
   */
  readonly upload: (
    id: string,
    files: ReadonlyArray<FileUpload>,
    options?: UploadOptions
  ) => Effect.Effect<ReadonlyArray<UploadedFile>, UploadError>
  /**
   * Downloads a file by its path.
   *
   * @throws `WorkspaceNotFoundError` if the service has no such workspace, or the workspace no such file.
   */
  readonly download: FileLinks.StoredFiles<FileListError>["get"]
  /**
   * Deletes a file by its path.
   *
   * @param id - The id of the workspace.
   * @param path - The path of the file.
   * @param options - Headers, a request id and retries of this call.
   * @returns Nothing, once the file is deleted.
   * @throws `WorkspaceNotFoundError` if there is no such file, and `ConflictError` if the workspace is archived.
   * @example
   * ```ts
   * import { Workspaces } from "@webagent/v4/account"
   *
   * export const deleted = Workspaces.use((workspaces) => workspaces.deleteFile("5f2e", "prices/mugs.csv"))
   * ```
   */
  readonly deleteFile: (
    id: string,
    path: string,
    options?: CallOptions
  ) => Effect.Effect<void, WorkspaceError | ConflictError>
}

const encoder = new TextEncoder()

/**
 * Makes the operations on workspaces of a version.
 *
 * @param version - The API version.
 * @returns The operations.
 * @example
 * ```ts
 * import { Workspaces } from "@webagent/core/account"
 * import * as Effect from "effect/Effect"
 *
 * export const create = Effect.flatMap(Workspaces.make("v4"), (workspaces) => workspaces.create({ name: "Prices" }))
 * ```
 */
export const make = (version: ApiVersion): Effect.Effect<WorkspaceCalls, never, Transport> =>
  Effect.gen(function* () {
    const optional = yield* Optional.make(version, "Workspaces", WorkspaceExtensions)
    const { baseUrls } = yield* Transport
    const base = baseUrls[version]
    const ofWorkspace = (id: string) => ({ params: { workspace_id: id } })
    const stored = FileLinks.stored(
      base,
      (id, input, options) => optional.files({ ...ofWorkspace(id), ...input }, options),
      (detail) => new WorkspaceNotFoundError({ detail })
    )

    const refuse = (name: unknown, issue: string) =>
      refused({ method: "PUT", origin: new URL(base).origin, path: `/(file ${String(name)})` }, issue)

    /** Returns a file as it is sent. */
    const sentOf = (file: FileUpload) => {
      const { content, contentType, name } = Object(file) as FileUpload
      const body = typeof content === "string" ? encoder.encode(content) : content
      const blob = body instanceof Blob ? body : undefined
      if (blob === undefined && !ArrayBuffer.isView(body)) {
        return refuse(name, mustBe("content", "text, bytes or a Blob", content))
      }
      const size = blob?.size ?? (body as Uint8Array).byteLength
      return Effect.succeed({
        name,
        body,
        size,
        contentType: contentType ?? (blob?.type || "application/octet-stream")
      })
    }

    const uploadLinks: WorkspaceCalls["uploadLinks"] = (id, request, given) => {
      const { prefix, ...options } = given ?? {}
      return optional.upload({ ...ofWorkspace(id), payload: request, query: { prefix } }, options)
    }

    const upload: WorkspaceCalls["upload"] = (id, files, given) => {
      const { allowOverrides = true, prefix, ...options } = given ?? {}
      return Effect.gen(function* () {
        // in plain JavaScript, it may be a single file, or none
        const sent = yield* Effect.forEach([files].flat(), sentOf)
        const described = sent.map(({ contentType, name, size }) => ({ name, contentType, size }))
        const { files: links } = yield* uploadLinks(id, { files: described, allowOverrides }, { prefix })
        const lacking = sent[links.length]
        if (lacking !== undefined)
          return yield* refuse(lacking.name, "the response has no link for it. Upload it again.")
        return yield* Effect.forEach(
          links.slice(0, sent.length),
          ({ uploadUrl, ...target }, index) =>
            Effect.as(
              FileLinks.send({ ...sent[index], method: "PUT", base, url: uploadUrl, file: target.path }),
              target
            ),
          { concurrency: 4 }
        )
      }).pipe(provide(options))
    }

    return {
      create: (input = {}, options) => optional.create({ payload: input }, options),
      get: (id, options) => optional.get(ofWorkspace(id), options),
      update: (id, input, options) => optional.update({ ...ofWorkspace(id), payload: input }, options),
      delete: (id, options) => optional.delete(ofWorkspace(id), options),
      size: (id, options) => optional.size(ofWorkspace(id), options),
      files: stored.list,
      filesPage: stored.listPage,
      uploadLinks,
      upload,
      download: stored.get,
      deleteFile: (id, path, options) => optional.deleteFile({ ...ofWorkspace(id), query: { path } }, options)
    }
  })
