import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { atMost } from "./atMost.ts"
import { freePath, type Workspace, type WorkspaceFile } from "./domain/Workspace.ts"
import { freshId } from "./freshIds.ts"
import { IdSource } from "./ports/IdSource.ts"
import { Owner } from "./ports/Owner.ts"
import { NoRoom } from "./ports/Profiles.ts"
import {
  FileNotFound,
  mostWorkspaces,
  type UploadFile,
  UploadNotFound,
  WorkspaceArchived,
  WorkspaceNotFound,
  Workspaces,
  workspacesFull,
  type WorkspacesService,
  WrongSize
} from "./ports/Workspaces.ts"

/** Sizes of the storage in bytes and numbers, and the time that an upload is expected for. */
export interface WorkspaceLimits {
  /** The most bytes of one workspace; 16 MiB by default. */
  readonly maxBytes?: number
  /** The most bytes of all workspaces; 64 MiB by default. */
  readonly maxTotalBytes?: number
}

const mebibyte = 1_048_576

/** The most files of a workspace, including those that are expected. */
const mostFiles = 1000

const uploadLifetime_ms = 15 * 60_000

/** A file in memory. */
export interface MemoryFile extends WorkspaceFile {
  /** That of its upload. */
  readonly id: string
  readonly bytes: Uint8Array
}

/** A workspace with its files. */
export interface WorkspaceRecord {
  readonly workspace: Workspace
  readonly files: ReadonlyArray<MemoryFile>
}

interface Stored {
  workspace: Workspace
  readonly files: Map<string, MemoryFile>
}

interface Expected extends UploadFile {
  readonly workspaceId: string
  readonly until_ms: number
  /** True while its bytes arrive. */
  running: boolean
}

const storedOf = ({ contentType, id, modifiedAt_ms, path, size }: MemoryFile) => ({
  id,
  path,
  contentType,
  size,
  modifiedAt_ms
})

const contentOf = (file: MemoryFile) => ({ ...file, bytes: Stream.make(file.bytes) })

const sizeOf = (files: Iterable<{ readonly size: number | null }>) => {
  let bytes = 0
  for (const { size } of files) bytes += size ?? 0
  return bytes
}

const byPath = (left: { readonly path: string }, right: { readonly path: string }) =>
  left.path < right.path ? -1 : left.path > right.path ? 1 : 0

/** Workspaces in memory, and all of them for a snapshot. */
export interface MemoryWorkspaces {
  readonly workspaces: WorkspacesService
  readonly records: Effect.Effect<ReadonlyArray<WorkspaceRecord>>
}

/** The workspaces and expected uploads, and what they take. */
const makeTables = (records: ReadonlyArray<WorkspaceRecord>, maxBytes: number, maxTotalBytes: number) => {
  const stored = new Map<string, Stored>(
    records.map(({ files, workspace }) => [
      workspace.id,
      { workspace, files: new Map(files.map((file) => [file.path, file])) }
    ])
  )
  const expected = new Map<string, Expected>()

  const expectedIn = (workspaceId: string) =>
    [...expected.values()].filter((upload) => upload.workspaceId === workspaceId)

  /** The bytes that fit into a workspace besides its files, all other files, and the uploads that are expected. */
  const roomIn = ({ files, workspace }: Stored): number => {
    const everything = [...stored.values()].map((each) => sizeOf(each.files.values()))
    const total = everything.reduce((sum, size) => sum + size, sizeOf(expected.values()))
    return Math.min(maxBytes - sizeOf(files.values()) - sizeOf(expectedIn(workspace.id)), maxTotalBytes - total)
  }

  const remove = (workspaceId: string) => {
    stored.delete(workspaceId)
    for (const [id, upload] of expected) if (upload.workspaceId === workspaceId) expected.delete(id)
  }

  return {
    stored,
    expected,
    expectedIn,
    roomIn,
    /** Drops the uploads that are no longer expected at this time. */
    expire: (now_ms: number) => {
      for (const [id, { until_ms }] of expected) if (until_ms <= now_ms) expected.delete(id)
    },
    remove,
    /** Deletes old files and workspaces that were archived long ago, and returns their number. */
    prune: (until_ms: number) => {
      let count = 0
      for (const [id, { files, workspace }] of stored) {
        const old = [...files.values()].filter(({ modifiedAt_ms }) => modifiedAt_ms <= until_ms)
        for (const { path } of old) files.delete(path)
        count += old.length
        if (!workspace.archived || workspace.updatedAt_ms > until_ms) continue
        remove(id)
        count += 1
      }
      return count
    }
  }
}

const full = (files: ReadonlyArray<UploadFile>, room: number) =>
  new NoRoom({
    message: `The files have ${sizeOf(files)} bytes, and ${Math.max(0, room)} bytes are free: delete files first`
  })

/** Makes the operation that stores the bytes of an upload. */
const makeWrite = ({ expected, expire, roomIn, stored }: ReturnType<typeof makeTables>) => {
  /** An upload that is still expected, with its workspace. */
  const awaited = (uploadId: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
      expire(now_ms)
      const upload = expected.get(uploadId)
      const into = upload === undefined ? undefined : stored.get(upload.workspaceId)
      return upload === undefined || into === undefined || into.workspace.archived
        ? Effect.fail(new UploadNotFound({ id: uploadId }))
        : Effect.succeed({
            upload,
            into,
            now_ms,
            // its own bytes, and those of the file that it replaces
            room: roomIn(into) + (upload.size ?? 0) + (into.files.get(upload.path)?.size ?? 0)
          })
    })

  return Effect.fnUntraced(function* <E>(uploadId: string, bytes: Stream.Stream<Uint8Array, E>, size: number | null) {
    const { room, upload } = yield* awaited(uploadId)
    if (upload.running) return yield* new UploadNotFound({ id: uploadId })
    const most = upload.size ?? Math.max(0, room)
    const tooMany = (received: number) =>
      upload.size === null
        ? full([{ ...upload, size: received }], room)
        : new WrongSize({ expected: upload.size, received })
    if (size !== null && (size > most || (upload.size !== null && size !== most))) return yield* tooMany(size)
    upload.running = true
    const chunks = yield* Stream.runCollect(atMost(bytes, most, tooMany)).pipe(
      Effect.ensuring(Effect.sync(() => void (upload.running = false)))
    )
    const content = Buffer.concat(chunks)
    if (upload.size !== null && content.length !== upload.size) return yield* tooMany(content.length)
    const now = yield* awaited(uploadId)
    if (content.length > now.room) return yield* full([{ ...upload, size: content.length }], now.room)
    const { contentType, path } = upload
    expected.delete(uploadId)
    now.into.files.set(path, {
      id: uploadId,
      path,
      contentType,
      size: content.length,
      modifiedAt_ms: now.now_ms,
      bytes: content
    })
  })
}

/** Keeps workspaces and the bytes of their files in memory, with these at the start. */
export const make = Effect.fnUntraced(function* (
  { maxBytes = 16 * mebibyte, maxTotalBytes = 64 * mebibyte }: WorkspaceLimits = {},
  records: ReadonlyArray<WorkspaceRecord> = []
) {
  const ids = yield* IdSource
  const attached = new Map<string, Map<string, MemoryFile>>()
  const tables = makeTables(records, maxBytes, maxTotalBytes)
  const { expected, expectedIn, expire, remove, roomIn, stored } = tables

  const isSeenBy =
    (owner: string | null) =>
    ({ workspace }: Stored) =>
      owner === null || workspace.owner === owner

  const find = (id: string) =>
    Effect.flatMap(Owner, (owner) => {
      const owned = stored.get(id)
      return owned !== undefined && isSeenBy(owner)(owned)
        ? Effect.succeed(owned)
        : Effect.fail(new WorkspaceNotFound({ id }))
    })

  const open = (id: string) =>
    Effect.flatMap(find(id), (owned) =>
      owned.workspace.archived ? Effect.fail(new WorkspaceArchived({ id })) : Effect.succeed(owned)
    )

  const change = (id: string, fields: Partial<Workspace>) =>
    Effect.zipWith(find(id), Clock.currentTimeMillis, (owned, now_ms) => {
      owned.workspace = { ...owned.workspace, ...fields, updatedAt_ms: Math.max(now_ms, owned.workspace.updatedAt_ms) }
      return owned.workspace
    })

  const upload = Effect.fnUntraced(function* (id: string, files: ReadonlyArray<UploadFile>, replace: boolean) {
    const owned = yield* open(id)
    const now_ms = yield* Clock.currentTimeMillis
    expire(now_ms)
    const taken = new Set([...owned.files.keys(), ...expectedIn(id).map(({ path }) => path)])
    const named = files.map((file) => {
      const path = replace ? file.path : freePath(file.path, (each) => taken.has(each))
      taken.add(path)
      return { ...file, path }
    })
    if (taken.size > mostFiles) {
      return yield* new NoRoom({ message: `A workspace has at most ${mostFiles} files: delete files first` })
    }
    // a file that is replaced several times frees its bytes once
    const replaced = new Set(named.flatMap(({ path }) => owned.files.get(path) ?? []))
    const room = roomIn(owned) + sizeOf(replaced)
    if (sizeOf(named) > room) return yield* full(named, room)
    return yield* Effect.forEach(named, (file) =>
      Effect.map(
        freshId(ids, "upload", (each) => expected.has(each)),
        (uploadId) => {
          expected.set(uploadId, { ...file, workspaceId: id, until_ms: now_ms + uploadLifetime_ms, running: false })
          return { id: uploadId, path: file.path, replaces: owned.files.has(file.path) }
        }
      )
    )
  })

  const file = (files: Stored["files"], path: string) => {
    const storedFile = files.get(path)
    return storedFile === undefined ? Effect.fail(new FileNotFound({ path })) : Effect.succeed(storedFile)
  }

  const workspaces: WorkspacesService = {
    maxBytes,
    create: Effect.fnUntraced(function* (name, keep) {
      const owner = yield* Owner
      if ([...stored.values()].filter(isSeenBy(owner)).length >= mostWorkspaces) return yield* workspacesFull()
      const id = yield* freshId(ids, "workspace", (each) => stored.has(each))
      const now_ms = yield* Clock.currentTimeMillis
      const workspace: Workspace = { id, owner, name, archived: false, createdAt_ms: now_ms, updatedAt_ms: now_ms }
      if (keep !== undefined) yield* keep(workspace, now_ms)
      stored.set(id, { workspace, files: new Map() })
      return workspace
    }),
    find: (id) => Effect.map(find(id), ({ workspace }) => workspace),
    list: (from, limit) =>
      Effect.map(Owner, (owner) => {
        const fitting = [...stored.values()].filter((each) => isSeenBy(owner)(each) && !each.workspace.archived)
        const items = fitting.toReversed().slice(from, from + limit)
        return { items: items.map(({ workspace }) => workspace), total: fitting.length }
      }),
    rename: (id, name) => change(id, { name }),
    archive: (id) => Effect.asVoid(change(id, { archived: true })),
    remove: (id) => Effect.map(find(id), () => remove(id)),
    usedBytes: (id) => Effect.map(find(id), ({ files }) => sizeOf(files.values())),
    files: (id, prefix, after, limit) =>
      Effect.map(find(id), ({ files }) => {
        const fitting = [...files.values()].filter(({ path }) => path.startsWith(prefix) && path > after)
        return { files: fitting.toSorted(byPath).slice(0, limit), hasMore: fitting.length > limit }
      }),
    upload,
    write: makeWrite(tables),
    ownerOf: (id) => Effect.sync(() => stored.get(expected.get(id)?.workspaceId ?? id)?.workspace.owner),
    read: Effect.fnUntraced(function* (id, path) {
      const files = stored.get(id)?.files ?? attached.get(id)
      return files === undefined ? yield* new WorkspaceNotFound({ id }) : contentOf(yield* file(files, path))
    }),
    removeFile: (id, path) =>
      Effect.flatMap(open(id), ({ files }) => Effect.map(file(files, path), () => void files.delete(path))),
    filesById: (wanted) =>
      Effect.map(Owner, (owner) => {
        const all = [...stored.values()].filter(isSeenBy(owner)).flatMap(({ files }) => [...files.values()])
        return wanted.flatMap((id) => all.filter((each) => each.id === id).map(contentOf))
      }),
    attach: Effect.fnUntraced(function* (run, { contentType, path }, bytes) {
      const content = Buffer.concat(yield* Stream.runCollect(bytes))
      const files = attached.get(run.id) ?? new Map<string, MemoryFile>()
      const free = freePath(path, (each) => files.has(each))
      const id = yield* ids.next("upload")
      const modifiedAt_ms = yield* Clock.currentTimeMillis
      files.set(free, { id, path: free, contentType, size: content.length, modifiedAt_ms, bytes: content })
      attached.set(run.id, files)
    }),
    attachments: (runId) =>
      Effect.sync(() => [...(attached.get(runId)?.values() ?? [])].map(storedOf).toSorted(byPath)),
    prune: (until_ms) => Effect.sync(() => tables.prune(until_ms))
  }
  const made: MemoryWorkspaces = {
    workspaces,
    records: Effect.sync(() =>
      [...stored.values()].map((each) => ({ workspace: each.workspace, files: [...each.files.values()] }))
    )
  }
  return made
})

/** Keeps workspaces and their files in memory; they are lost with the process. */
export const layer = (limits?: WorkspaceLimits): Layer.Layer<never, never, IdSource> =>
  Layer.effect(
    Workspaces,
    Effect.map(make(limits), ({ workspaces }) => workspaces)
  )
