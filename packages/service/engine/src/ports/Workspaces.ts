import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Workspace, WorkspaceFile } from "../domain/Workspace.ts"
import { type Counted, NoRoom } from "./Profiles.ts"
import type { Keep, KeyTaken, StoreUnavailable } from "./Store.ts"

/** No workspace of the caller has this id. */
export class WorkspaceNotFound extends Data.TaggedError("WorkspaceNotFound")<{ readonly id: string }> {}

/** The workspace has no file with this path. */
export class FileNotFound extends Data.TaggedError("FileNotFound")<{ readonly path: string }> {}

/** The workspace is archived: nothing is added to it. */
export class WorkspaceArchived extends Data.TaggedError("WorkspaceArchived")<{ readonly id: string }> {}

/** No upload is expected under this id: it is over, was used or is running, or its workspace was deleted. */
export class UploadNotFound extends Data.TaggedError("UploadNotFound")<{ readonly id: string }> {}

/** An upload has another number of bytes than it announced. Of one that is longer, `received` is where it was cut. */
export class WrongSize extends Data.TaggedError("WrongSize")<{
  readonly expected: number
  readonly received: number
}> {}

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
  readonly bytes: Stream.Stream<Uint8Array, StoreUnavailable>
}

/** A file with its id: that of its upload. */
export interface StoredFile extends WorkspaceFile {
  readonly id: string
}

/** A file that an agent may upload. */
export interface AttachedFile extends FileContent {
  readonly id: string
}

type OfWorkspace<A, E = never> = Effect.Effect<A, E | WorkspaceNotFound | StoreUnavailable>

/** Storage of workspaces and their files. Each caller sees its own. */
export interface WorkspacesService {
  /** The most bytes that the files of one workspace take. */
  readonly maxBytes: number
  readonly create: (
    name: string | null,
    keep?: Keep<Workspace>
  ) => Effect.Effect<Workspace, NoRoom | KeyTaken | StoreUnavailable>
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
  ) => OfWorkspace<{ readonly files: ReadonlyArray<StoredFile>; readonly hasMore: boolean }>
  /** Expects files, all of them or none. */
  readonly upload: (
    id: string,
    files: ReadonlyArray<UploadFile>,
    replace: boolean
  ) => OfWorkspace<ReadonlyArray<Upload>, WorkspaceArchived | NoRoom>
  /**
   * Stores the bytes of an upload; `size` is their number if it is known before. Any caller who knows the id of the upload
   * may do so. An upload that fails or is cut stores nothing, and can be sent again.
   */
  readonly write: <E>(
    uploadId: string,
    bytes: Stream.Stream<Uint8Array, E>,
    size: number | null
  ) => Effect.Effect<void, UploadNotFound | WrongSize | NoRoom | StoreUnavailable | E>
  /** Finds the owner of a workspace or of an expected upload; undefined if there is none with this id. For any caller. */
  readonly ownerOf: (id: string) => Effect.Effect<string | null | undefined, StoreUnavailable>
  /** Reads a file. Any caller who knows the workspace's id may do so: links to files take no key. */
  readonly read: (id: string, path: string) => OfWorkspace<FileContent, FileNotFound>
  readonly removeFile: (id: string, path: string) => OfWorkspace<void, FileNotFound | WorkspaceArchived>
  /** Finds files of any workspace of the caller by their ids, in the order of the ids. Unknown ids are left out. */
  readonly filesById: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<AttachedFile>, StoreUnavailable>
  /**
   * Stores a file of a run that exists, under a name that is free. It counts toward the limits of the owner, and is
   * deleted with the run.
   */
  readonly attach: <E>(
    run: { readonly id: string; readonly owner: string | null },
    file: Pick<WorkspaceFile, "path" | "contentType">,
    bytes: Stream.Stream<Uint8Array, E>,
    size: number
  ) => Effect.Effect<void, NoRoom | UploadNotFound | WrongSize | StoreUnavailable | E>
  /** Lists the files of a run, in the order of their names. `read` reads them by the id of the run. For any caller. */
  readonly attachments: (runId: string) => Effect.Effect<ReadonlyArray<StoredFile>, StoreUnavailable>
  /**
   * Deletes the files that were last changed at this time or before and the workspaces that were archived by then, and
   * returns their number. The limit `fileDays` of the owner's key counts instead, where there is one. Frees the bytes of
   * deleted files and of uploads that were cut by a crash.
   */
  readonly prune: (until_ms: number) => Effect.Effect<number, StoreUnavailable>
}

/** The port to whatever keeps workspaces; null where there are none. */
export const Workspaces: Context.Reference<WorkspacesService | null> = Context.Reference(
  "@webagent/engine/Workspaces",
  { defaultValue: (): WorkspacesService | null => null }
)

/** The most workspaces of one owner. */
export const mostWorkspaces = 1000

/** The error of a workspace above the limit. */
export const workspacesFull = (): NoRoom =>
  new NoRoom({ message: `There are ${mostWorkspaces} workspaces, the most that one API key may have` })
