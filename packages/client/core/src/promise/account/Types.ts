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
  /** Lists profiles, newest first. Pages are read while you iterate. */
  list(options?: Query & Omit<CallOptions, "timeout">): AsyncIterable<Profile>
  /** Reads one page of `list`. `totalItems` is the number of profiles on all pages. */
  listPage(options?: Query & CallOptions): Answer<ProfilePage>
  /**
   * Creates a profile. Runs and browsers that name it in `profileId` start with its cookies and other state.
   *
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   */
  create(input?: ProfileInput, options?: CreateOptions): Answer<Profile>
  /**
   * Reads a profile.
   *
   * @throws `ProfileNotFoundError` if the service has no profile with this id, and `OperationUnavailableError` if it has
   *   no profiles.
   */
  get(id: string, options?: CallOptions): Answer<Profile>
  /** Changes the name or the user of a profile. Null clears a field. */
  update(id: string, input: ProfileInput, options?: CallOptions): Answer<Profile>
  /** Deletes a profile and its state. It can't be undone. */
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
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   */
  create(input?: WorkspaceInput, options?: CreateOptions): Answer<Workspace>
  /**
   * Reads a workspace.
   *
   * @throws `WorkspaceNotFoundError` if the service has no workspace with this id, and `OperationUnavailableError` if it
   *   has no workspaces.
   */
  get(id: string, options?: CallOptions): Answer<Workspace>
  /** Renames a workspace. Null clears the name. */
  update(id: string, input: WorkspaceInput, options?: CallOptions): Answer<Workspace>
  /** Archives a workspace: it can be read, and not changed. API v3 deletes it with its files instead. */
  delete(id: string, options?: CallOptions): Answer<void>
  /** Reads the bytes that the files of a workspace take, and the most that they may take. */
  size(id: string, options?: CallOptions): Answer<WorkspaceSize>
  /** Lists the files of a workspace in the order of their paths. Pages are read while you iterate. */
  files(id: string, options?: FileQuery & Omit<CallOptions, "timeout">): AsyncIterable<StoredFile>
  /** Reads one page of `files`. */
  filesPage(id: string, options?: FileQuery & CallOptions): Answer<FilePage>
  /**
   * Requests links for uploads. PUT each file's bytes to its `uploadUrl` once, without an API key; `upload` does both.
   */
  uploadLinks(
    id: string,
    request: UploadRequest,
    options?: CreateOptions & { readonly prefix?: string | undefined }
  ): Answer<UploadLinks>
  /**
   * Uploads files, four at a time. They are sent to links of the service, with `fetch` and without the API key.
   *
   * @param options - `timeout` limits each request. A file that was sent stays stored if another one fails.
   * @throws `TransportError` if a file can't be sent. Its `path` names the file, and not the link, which is a secret. The
   *   reason is an `InvalidRequest`, and no file was sent, if the content of a file is no content, or if the response of
   *   the service has no link for it.
   */
  upload(id: string, files: ReadonlyArray<FileUpload>, options?: UploadOptions): Promise<ReadonlyArray<UploadedFile>>
  /**
   * Downloads a file by its path.
   *
   * @throws `WorkspaceNotFoundError` if the service has no such workspace, or the workspace no such file.
   */
  download(id: string, path: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>
  /** Deletes a file by its path. */
  deleteFile(id: string, path: string, options?: CallOptions): Answer<void>
}

/** The files that a browser has downloaded, by the id of the browser. */
export interface Downloads {
  /** Lists the downloads of a browser in the order of their paths. Pages are read while you iterate. */
  list(browserId: string, options?: FileQuery & Omit<CallOptions, "timeout">): AsyncIterable<StoredFile>
  /**
   * Reads one page of `list`.
   *
   * @throws `BrowserNotFoundError` if the service has no browser with this id, and `OperationUnavailableError` if it
   *   doesn't keep downloads.
   */
  listPage(browserId: string, options?: FileQuery & CallOptions): Answer<FilePage>
  /**
   * Reads the bytes of a download by its path.
   *
   * @throws `BrowserNotFoundError` if the service has no such browser, or the browser no such file.
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
   * @throws `OperationUnavailableError` if the service doesn't report it.
   */
  usage(options?: CallOptions): Answer<AccountUsage>
}

/** The profiles, the workspaces, the downloads and the usage of an API key. */
export interface AccountClient<ProfileQuery, MoreOfWorkspaces = unknown> extends AccountCalls<ProfileQuery> {
  readonly workspaces: Workspaces & MoreOfWorkspaces
}
