import type { Call } from "../Errors.ts"
import type { Answer, CallOptions, CreateOptions, Raw } from "../Options.ts"

// What the service sends, as @webagent/contract decodes it, in types without Effect.

/** 404: no browser profile has the given id. */
export interface ProfileNotFoundError extends Error {
  readonly _tag: "ProfileNotFoundError"
  readonly call?: Call
  readonly body?: string
  readonly detail: string
}

/** 404: no workspace has the given id, or it has no file at the given path. `detail` says which. */
export interface WorkspaceNotFoundError extends Error {
  readonly _tag: "WorkspaceNotFoundError"
  readonly call?: Call
  readonly body?: string
  readonly detail: string
}

/** The name and the user of a profile. Null clears a field. */
export interface ProfileInput {
  readonly name?: string | null
  /** Your own id of the person whose browser state it is. */
  readonly userId?: string | null
}

/** A browser profile: a name for browser state, such as cookies, that later browsers can start with. */
export interface Profile extends Raw {
  readonly id: string
  readonly name?: string | null
  readonly userId?: string | null
  readonly lastUsedAt?: string | null
  readonly createdAt?: string
  readonly updatedAt?: string
  readonly cookieDomains?: ReadonlyArray<string> | null
}

/** A page of profiles, newest first. */
export interface ProfilePage extends Raw {
  readonly items: ReadonlyArray<Profile>
  readonly totalItems?: number
  readonly pageNumber?: number
  readonly pageSize?: number
}

/** The operations on browser profiles. */
export interface Profiles<Query> {
  /**
   * Lists profiles, newest first. Pages are read while you iterate.
   *
   * @param options - The query of the list, and headers and retries of its requests.
   * @returns An iterable of profiles. Each page is one request.
   * @throws `OperationUnavailableError` if the service has no profiles.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const print = async (agent: WebAgent) => {
   *   for await (const { cookieDomains, name } of account(agent).profiles.list()) console.log(name, cookieDomains)
   * }
   * ```
   */
  list(options?: Query & Omit<CallOptions, "timeout">): AsyncIterable<Profile>
  /**
   * Reads one page of `list`.
   *
   * @param options - The same as for `list`, and a `timeout`.
   * @returns The profiles of the page. `totalItems` is the number of profiles on all pages.
   * @throws `OperationUnavailableError` if the service has no profiles.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const newest = (agent: WebAgent) => account(agent).profiles.listPage({ pageSize: 10 })
   * ```
   */
  listPage(options?: Query & CallOptions): Answer<ProfilePage>
  /**
   * Creates a profile. Runs and browsers that name it in `profileId` start with its cookies and other state.
   *
   * @param input - The name, and your own id of the person whose browser state it is.
   * @param options - An idempotency key, and headers and retries of this call.
   * @returns The profile.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const signIn = async (agent: WebAgent) => {
   *   const { id: profileId } = await account(agent).profiles.create({ name: "Ada", userId: "user-7" })
   *   return agent.runs.createAndWait({ task: "Sign in to the shop", browserSettings: { profileId } })
   * }
   * ```
   */
  create(input?: ProfileInput, options?: CreateOptions): Answer<Profile>
  /**
   * Reads a profile.
   *
   * @param id - The id of the profile.
   * @param options - A signal, and headers and retries of this call.
   * @returns The profile.
   * @throws `ProfileNotFoundError` if the service has no profile with this id, and `OperationUnavailableError` if it has
   *   no profiles.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const lastUse = async (agent: WebAgent, id: string) => (await account(agent).profiles.get(id)).lastUsedAt
   * ```
   */
  get(id: string, options?: CallOptions): Answer<Profile>
  /**
   * Changes the name or the user of a profile. Null clears a field.
   *
   * @param id - The id of the profile.
   * @param input - The fields to change.
   * @param options - A signal, and headers and retries of this call.
   * @returns The changed profile.
   * @throws `ProfileNotFoundError` if the service has no profile with this id.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const rename = (agent: WebAgent, id: string) => account(agent).profiles.update(id, { name: "Ada L." })
   * ```
   */
  update(id: string, input: ProfileInput, options?: CallOptions): Answer<Profile>
  /**
   * Deletes a profile and its state. It can't be undone.
   *
   * @param id - The id of the profile.
   * @param options - A signal, and headers and retries of this call.
   * @returns A promise that resolves once the profile is deleted.
   * @throws `ProfileNotFoundError` if the service has no profile with this id.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const forget = (agent: WebAgent, id: string) => account(agent).profiles.delete(id)
   * ```
   */
  delete(id: string, options?: CallOptions): Answer<void>
}

/** The name of a workspace. Null clears it. */
export interface WorkspaceInput {
  readonly name?: string | null
}

/** A workspace: files that several sessions can use. An archived one can be read and not changed. */
export interface Workspace extends Raw {
  readonly id: string
  readonly name?: string | null
  readonly archived: boolean
  readonly createdAt?: string
  readonly updatedAt?: string
}

/** A page of workspaces, newest first. */
export interface WorkspacePage extends Raw {
  readonly items: ReadonlyArray<Workspace>
  readonly totalItems?: number
  readonly pageNumber?: number
  readonly pageSize?: number
}

/** The bytes that the files of a workspace take, and the most that they may take. */
export interface WorkspaceSize extends Raw {
  readonly usedBytes: number
  readonly maxBytes: number
}

/** A stored file: its path, and its size in bytes. */
export interface StoredFile extends Raw {
  readonly path: string
  readonly size: number
  readonly lastModified?: string
  /** Opens the file without an API key for some minutes. Only with `includeUrls`. */
  readonly url?: string | null
}

/** A page of files, in the order of their paths. */
export interface FilePage extends Raw {
  readonly files: ReadonlyArray<StoredFile>
  readonly nextCursor?: string | null
  readonly hasMore?: boolean
}

/** The query of a list of files. */
export interface FileQuery {
  /** The start of the paths. */
  readonly prefix?: string | undefined
  /** True gives each file a `url` that opens it without an API key for some minutes. */
  readonly includeUrls?: boolean | undefined
  /** The way in which links open files: `attachment`, the default, or `inline`. */
  readonly contentDisposition?: "attachment" | "inline" | undefined
  /** Number of files per page, from 1 to 100. */
  readonly limit?: number | undefined
  /** Continues after a page, with its `nextCursor`. */
  readonly cursor?: string | undefined
}

/** The content of a file. Text is sent as UTF-8. */
export type FileContent = Uint8Array<ArrayBuffer> | Blob | string

/** A file to upload. */
export interface FileUpload {
  /** A plain file name. */
  readonly name: string
  readonly content: FileContent
  /** The media type; by default that of a Blob, otherwise `application/octet-stream`. */
  readonly contentType?: string | undefined
}

/** A file that was uploaded. */
export interface UploadedFile extends Raw {
  readonly id?: string
  readonly name: string
  readonly storedName?: string
  readonly path: string
  readonly willOverride?: boolean
}

/** The files that links for uploads are requested for. */
export interface UploadRequest {
  readonly files: ReadonlyArray<{
    readonly name: string
    readonly contentType?: string
    readonly size?: number | null
  }>
  readonly allowOverrides?: boolean
}

/** Links for uploads: one per file, in the order of the request. */
export interface UploadLinks extends Raw {
  readonly files: ReadonlyArray<UploadedFile & { readonly uploadUrl: string }>
}

/** Options of an upload. */
export interface UploadOptions extends CreateOptions {
  /** The folder that the files are stored in. */
  readonly prefix?: string | undefined
  /** False keeps a file that has the name already, and stores the new one under another name. */
  readonly allowOverrides?: boolean | undefined
}

/** The operations on workspaces and their files. */
export interface Workspaces {
  /**
   * Creates a workspace, whose files several sessions can use.
   *
   * @param input - The name of the workspace.
   * @param options - An idempotency key, and headers and retries of this call.
   * @returns The workspace.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const prices = (agent: WebAgent) => account(agent).workspaces.create({ name: "Prices" })
   * ```
   */
  create(input?: WorkspaceInput, options?: CreateOptions): Answer<Workspace>
  /**
   * Reads a workspace.
   *
   * @param id - The id of the workspace.
   * @param options - A signal, and headers and retries of this call.
   * @returns The workspace.
   * @throws `WorkspaceNotFoundError` if the service has no workspace with this id, and `OperationUnavailableError` if it
   *   has no workspaces.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const isArchived = async (agent: WebAgent, id: string) => (await account(agent).workspaces.get(id)).archived
   * ```
   */
  get(id: string, options?: CallOptions): Answer<Workspace>
  /**
   * Renames a workspace. Null clears the name.
   *
   * @param id - The id of the workspace.
   * @param input - The new name.
   * @param options - A signal, and headers and retries of this call.
   * @returns The renamed workspace.
   * @throws `WorkspaceNotFoundError` if the service has no workspace with this id.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const rename = (agent: WebAgent, id: string) => account(agent).workspaces.update(id, { name: "May" })
   * ```
   */
  update(id: string, input: WorkspaceInput, options?: CallOptions): Answer<Workspace>
  /**
   * Archives a workspace: it can be read, and not changed. API v3 deletes it with its files instead.
   *
   * @param id - The id of the workspace.
   * @param options - A signal, and headers and retries of this call.
   * @returns A promise that resolves once the workspace is archived.
   * @throws `WorkspaceNotFoundError` if the service has no workspace with this id.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const archive = (agent: WebAgent, id: string) => account(agent).workspaces.delete(id)
   * ```
   */
  delete(id: string, options?: CallOptions): Answer<void>
  /**
   * Reads the bytes that the files of a workspace take, and the most that they may take.
   *
   * @param id - The id of the workspace.
   * @param options - A signal, and headers and retries of this call.
   * @returns `usedBytes` and `maxBytes`.
   * @throws `WorkspaceNotFoundError` if the service has no workspace with this id.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const free_bytes = async (agent: WebAgent, id: string) => {
   *   const { maxBytes, usedBytes } = await account(agent).workspaces.size(id)
   *   return maxBytes - usedBytes
   * }
   * ```
   */
  size(id: string, options?: CallOptions): Answer<WorkspaceSize>
  /**
   * Lists the files of a workspace in the order of their paths. Pages are read while you iterate.
   *
   * @param id - The id of the workspace.
   * @param options - `prefix` is the start of the paths. `limit` is the number of files per page, from 1 to 100.
   *   `includeUrls` adds links.
   * @returns An iterable of files with their sizes in bytes. Each page is one request.
   * @throws `WorkspaceNotFoundError` if the service has no workspace with this id.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const print = async (agent: WebAgent, id: string) => {
   *   const { workspaces } = account(agent)
   *   for await (const { path, size } of workspaces.files(id, { prefix: "prices/" })) console.log(path, size)
   * }
   * ```
   */
  files(id: string, options?: FileQuery & Omit<CallOptions, "timeout">): AsyncIterable<StoredFile>
  /**
   * Reads one page of `files`.
   *
   * @param id - The id of the workspace.
   * @param options - The same as for `files`, and a `timeout`.
   * @returns The files of the page, with `nextCursor` and `hasMore`.
   * @throws `BadCursorError` if the cursor is another list's.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const links = (agent: WebAgent, id: string) =>
   *   account(agent).workspaces.filesPage(id, { includeUrls: true, limit: 10 })
   * ```
   */
  filesPage(id: string, options?: FileQuery & CallOptions): Answer<FilePage>
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
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const upload = async (agent: WebAgent, id: string, image: Blob) => {
   *   const { workspaces } = account(agent)
   *   const { files } = await workspaces.uploadLinks(id, { files: [{ name: "mug.png", size: image.size }] })
   *   for (const { uploadUrl } of files) await fetch(uploadUrl, { method: "PUT", body: image })
   * }
   * ```
   */
  uploadLinks(
    id: string,
    request: UploadRequest,
    options?: CreateOptions & { readonly prefix?: string | undefined }
  ): Answer<UploadLinks>
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
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const upload = (agent: WebAgent, id: string) =>
   *   account(agent).workspaces.upload(id, [{ name: "mugs.csv", content: "red,4.20" }], { prefix: "prices" })
   * ```
   */
  upload(id: string, files: ReadonlyArray<FileUpload>, options?: UploadOptions): Promise<ReadonlyArray<UploadedFile>>
  /**
   * Downloads a file by its path.
   *
   * @param id - The id of the workspace.
   * @param path - The path of the file.
   * @param options - A signal, and headers and the timeout of this call.
   * @returns The bytes of the file.
   * @throws `WorkspaceNotFoundError` if the service has no such workspace, or the workspace no such file.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   * import { writeFile } from "node:fs/promises"
   *
   * export const save = async (agent: WebAgent, id: string) =>
   *   writeFile("mugs.csv", await account(agent).workspaces.download(id, "prices/mugs.csv"))
   * ```
   */
  download(id: string, path: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>
  /**
   * Deletes a file by its path.
   *
   * @param id - The id of the workspace.
   * @param path - The path of the file.
   * @param options - A signal, and headers and retries of this call.
   * @returns A promise that resolves once the file is deleted.
   * @throws `WorkspaceNotFoundError` if there is no such file, and `ConflictError` if the workspace is archived.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const remove = (agent: WebAgent, id: string) => account(agent).workspaces.deleteFile(id, "prices/mugs.csv")
   * ```
   */
  deleteFile(id: string, path: string, options?: CallOptions): Answer<void>
}

/** The files that a browser has downloaded, by the id of the browser. */
export interface Downloads {
  /**
   * Lists the downloads of a browser in the order of their paths. Pages are read while you iterate.
   *
   * @param browserId - The id of the browser.
   * @param options - `prefix` is the start of the paths. `limit` is the number of files per page, from 1 to 100.
   *   `includeUrls` adds links.
   * @returns An iterable of files with their sizes in bytes. Each page is one request.
   * @throws `BrowserNotFoundError` if the service has no browser with this id.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const print = async (agent: WebAgent, browserId: string) => {
   *   for await (const { path, size } of account(agent).downloads.list(browserId)) console.log(path, size)
   * }
   * ```
   */
  list(browserId: string, options?: FileQuery & Omit<CallOptions, "timeout">): AsyncIterable<StoredFile>
  /**
   * Reads one page of `list`.
   *
   * @param browserId - The id of the browser.
   * @param options - The same as for `list`, and a `timeout`.
   * @returns The files of the page, with `nextCursor` and `hasMore`.
   * @throws `BrowserNotFoundError` if the service has no browser with this id, and `OperationUnavailableError` if it
   *   doesn't keep downloads.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const links = (agent: WebAgent, browserId: string) =>
   *   account(agent).downloads.listPage(browserId, { includeUrls: true })
   * ```
   */
  listPage(browserId: string, options?: FileQuery & CallOptions): Answer<FilePage>
  /**
   * Reads the bytes of a download by its path.
   *
   * @param browserId - The id of the browser.
   * @param path - The path of the file.
   * @param options - A signal, and headers and the timeout of this call.
   * @returns The bytes of the file.
   * @throws `BrowserNotFoundError` if the service has no such browser, or the browser no such file.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   * import { writeFile } from "node:fs/promises"
   *
   * export const save = async (agent: WebAgent, browserId: string) =>
   *   writeFile("report.pdf", await account(agent).downloads.get(browserId, "report.pdf"))
   * ```
   */
  get(browserId: string, path: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>
}

/** The plan of an account; a field of a subscription is null without one. */
export interface AccountPlan {
  readonly planName: string
  readonly subscriptionStatus?: string | null
  readonly subscriptionId?: string | null
  readonly subscriptionCurrentPeriodEnd?: string | null
  readonly subscriptionCanceledAt?: string | null
}

/**
 * The use that an API key has made, and the use that it may make. Amounts are in USD, `rateLimit` in requests per minute,
 * and null is unlimited. A day begins at midnight UTC.
 */
export interface AccountUsage extends Raw {
  readonly name?: string | null
  readonly totalCreditsBalanceUsd?: number | null
  readonly monthlyCreditsBalanceUsd?: number
  readonly additionalCreditsBalanceUsd?: number | null
  /** The account's plan. Our own server has no plans, so its name is `none`. */
  readonly planInfo?: AccountPlan
  readonly isFreeTier?: boolean
  readonly tracingDisabled?: boolean
  readonly rateLimit?: number | null
  readonly usedTodayUsd?: number
  readonly maxRuns?: number | null
  readonly maxBrowsers?: number | null
}

/** The profiles, the downloads and the usage of an API key. */
export interface AccountCalls<ProfileQuery> {
  readonly profiles: Profiles<ProfileQuery>
  readonly downloads: Downloads
  /**
   * Reads what the API key has used, and what it may use.
   *
   * @param options - A signal, and headers and retries of this call.
   * @returns The usage and the limits of the key. Amounts are in USD, and `rateLimit` in requests per minute.
   * @throws `OperationUnavailableError` if the service doesn't report it.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   * import { account } from "@webagent/v4/promise/account"
   *
   * export const today_usd = async (agent: WebAgent) => (await account(agent).usage()).usedTodayUsd
   * ```
   */
  usage(options?: CallOptions): Answer<AccountUsage>
}

/** The profiles, the workspaces, the downloads and the usage of an API key. */
export interface AccountClient<ProfileQuery, MoreOfWorkspaces = unknown> extends AccountCalls<ProfileQuery> {
  readonly workspaces: Workspaces & MoreOfWorkspaces
}
