import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Workspace, WorkspaceFile } from "../domain/Workspace.ts"
import type { Counted, NoRoom } from "./Profiles.ts"
import type { StoreUnavailable } from "./Store.ts"

/** No workspace of the caller has this id. */
export class WorkspaceNotFound extends Data.TaggedError("WorkspaceNotFound")<{ readonly id: string }> {}

/** The workspace has no file with this path. */
export class FileNotFound extends Data.TaggedError("FileNotFound")<{ readonly path: string }> {}

/** The workspace is archived: nothing is added to it. */
export class WorkspaceArchived extends Data.TaggedError("WorkspaceArchived")<{ readonly id: string }> {}

/** No upload is expected under this id: it is over, was used, or its workspace was deleted. */
export class UploadNotFound extends Data.TaggedError("UploadNotFound")<{ readonly id: string }> {}

/** A file to upload; a null size is not known yet. */
export interface UploadFile {
  readonly path: string
  readonly contentType: string
  readonly size: number | null
}

/** An upload that the storage expects, for some minutes and once. */
export interface Upload {
  readonly id: string
  /** The path of the file: another one than asked for if it was taken and may not be replaced. */
  readonly path: string
  /** True if it replaces a file. */
  readonly replaces: boolean
}

/** A file with its bytes. */
export interface FileContent extends WorkspaceFile {
  readonly bytes: Uint8Array
}

type OfWorkspace<A, E = never> = Effect.Effect<A, E | WorkspaceNotFound | StoreUnavailable>

/** Storage of workspaces and their files. Each caller sees its own. */
export interface WorkspacesService {
  /** The most bytes that the files of one workspace take. */
  readonly maxBytes: number
  readonly create: (name: string | null) => Effect.Effect<Workspace, NoRoom | StoreUnavailable>
  readonly find: (id: string) => OfWorkspace<Workspace>
  /** Lists the workspaces that are not archived: newest first, from this place on. */
  readonly list: (from: number, limit: number) => Effect.Effect<Counted<Workspace>, StoreUnavailable>
  readonly rename: (id: string, name: string | null) => OfWorkspace<Workspace>
  readonly archive: (id: string) => OfWorkspace<void>
  /** Deletes the workspace with its files. */
  readonly remove: (id: string) => OfWorkspace<void>
  readonly usedBytes: (id: string) => OfWorkspace<number>
  /** Lists the files whose path starts with a text and comes after another one, in the order of their paths. */
  readonly files: (
    id: string,
    prefix: string,
    after: string,
    limit: number
  ) => OfWorkspace<{ readonly files: ReadonlyArray<WorkspaceFile>; readonly hasMore: boolean }>
  /** Expects files, all of them or none. */
  readonly upload: (
    id: string,
    files: ReadonlyArray<UploadFile>,
    replace: boolean
  ) => OfWorkspace<ReadonlyArray<Upload>, WorkspaceArchived | NoRoom>
  /** Returns the bytes that an upload has, or may have at most. Any caller who knows its id may ask. */
  readonly expected: (
    uploadId: string
  ) => Effect.Effect<{ readonly size: number | null; readonly maxBytes: number }, UploadNotFound | StoreUnavailable>
  /** Stores the bytes of an upload. Any caller who knows its id may do so. */
  readonly write: (
    uploadId: string,
    bytes: Uint8Array
  ) => Effect.Effect<void, UploadNotFound | NoRoom | StoreUnavailable>
  /** Reads a file. Any caller who knows the workspace's id may do so: links to files take no key. */
  readonly read: (id: string, path: string) => OfWorkspace<FileContent, FileNotFound>
  readonly removeFile: (id: string, path: string) => OfWorkspace<void, FileNotFound | WorkspaceArchived>
}

/** The port to whatever keeps workspaces; null where there are none. */
export const Workspaces: Context.Reference<WorkspacesService | null> = Context.Reference(
  "@webagent/engine/Workspaces",
  { defaultValue: (): WorkspacesService | null => null }
)
