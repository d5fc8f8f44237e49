import {
  atMost,
  freePath,
  type IdSource,
  type KeyLimits,
  NoRoom,
  type UploadFile,
  UploadNotFound,
  type WorkspacesService,
  WrongSize
} from "@webagent/engine"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as Stream from "effect/Stream"
import type { FileBytes } from "./FileBytes.ts"
import * as FileGarbage from "./FileGarbage.ts"
import { transaction } from "./unavailable.ts"
import { isStorable, type make as makeRows, noOwner, type WorkspaceRow } from "./WorkspaceRows.ts"

/** Limits of stored files. Sizes are in bytes. */
export interface FileLimits {
  /** The largest file; 100 MiB by default. */
  readonly file: number
  /** The most bytes of a workspace; 1 GiB by default. */
  readonly workspace: number
  /** The most bytes of all workspaces of one API key; 10 GiB by default. */
  readonly owner: number
}

const mebibyte = 2 ** 20

export const defaultFileLimits: FileLimits = {
  file: 100 * mebibyte,
  workspace: 1024 * mebibyte,
  owner: 10 * 1024 * mebibyte
}

/** The most files of a workspace, including expected ones. */
const mostFiles = 10_000

/** For how long an upload is expected to begin, and how long it may run. */
const uploadLifetime_ms = 15 * 60_000
const uploadRuntime_ms = 3_600_000

interface UploadRow {
  readonly workspace_id: string
  readonly owner: string
  readonly path: string
  readonly content_type: string
  readonly announced: number | null
  readonly size: number
  readonly until_ms: number
}

const sizeOf = (files: ReadonlyArray<{ readonly size: number | null }>) =>
  files.reduce((sum, { size }) => sum + Number(size ?? 0), 0)

const noRoom = (bytes: number, room: number) =>
  new NoRoom({ message: `The files have ${bytes} bytes, and ${Math.max(0, room)} bytes are free: delete files first` })

const tooLarge = (most: number) => new NoRoom({ message: `A file has at most ${most} bytes` })

/** The database, the bytes of files, and what uploads need of both. */
interface Storage {
  readonly sql: SqlClient.SqlClient
  readonly bytes: FileBytes["Service"]
  readonly ids: IdSource["Service"]
  readonly limits: FileLimits
  readonly rows: ReturnType<typeof makeRows>
}

/** Makes the sums of what a workspace and its owner have stored. */
const makeRoom = (sql: SqlClient.SqlClient, limits: FileLimits) => {
  /** The most bytes of an owner, whose API key may have a limit of its own. */
  const ownerLimit = Effect.fnUntraced(function* (owner: string) {
    const [key] = yield* sql<{ readonly limits: string }>`SELECT limits FROM api_keys
      WHERE name = ${owner} AND revoked_at_ms IS NULL`
    const { fileMegabytes } = JSON.parse(key?.limits ?? "{}") as Partial<KeyLimits>
    return Math.min(limits.owner, typeof fileMegabytes === "number" ? fileMegabytes * mebibyte : Infinity)
  })

  /** The bytes that fit into a workspace besides all files and the uploads that are expected. */
  const roomIn = Effect.fnUntraced(function* ({ id, owner }: Pick<WorkspaceRow, "id" | "owner">) {
    const [sums] = yield* sql<{ readonly here: number; readonly all_of: number }>`SELECT
      (SELECT coalesce(sum(bytes), 0) FROM workspaces WHERE id = ${id})
        + (SELECT coalesce(sum(size), 0) FROM workspace_uploads WHERE workspace_id = ${id}) AS here,
      (SELECT coalesce(sum(bytes), 0) FROM workspaces WHERE owner = ${owner} AND bytes > 0)
        + (SELECT coalesce(sum(size), 0) FROM workspace_uploads WHERE owner = ${owner}) AS all_of`
    return Math.min(limits.workspace - Number(sums?.here), (yield* ownerLimit(owner)) - Number(sums?.all_of))
  })

  const pathsOf = (id: string, named: ReadonlyArray<string> | null) =>
    sql<{ readonly path: string; readonly size: number }>`SELECT path, size FROM workspace_files
      WHERE workspace_id = ${id} AND ${named === null ? sql`1 = 1` : sql.in("path", named)}`

  return { pathsOf, roomIn }
}

type Room = ReturnType<typeof makeRoom>

/** Makes the operation that expects files. */
const makeAnnounce = ({ ids, limits, sql }: Storage, { pathsOf, roomIn }: Room) =>
  Effect.fnUntraced(function* (row: WorkspaceRow, files: Arr.NonEmptyReadonlyArray<UploadFile>, replace: boolean) {
    const { id } = row
    const now_ms = yield* Clock.currentTimeMillis
    yield* sql`DELETE FROM workspace_uploads WHERE owner = ${row.owner} AND until_ms <= ${now_ms}`
    const expected = yield* sql<{
      readonly path: string
    }>`SELECT path FROM workspace_uploads WHERE workspace_id = ${id}`
    const stored = new Map(
      (yield* pathsOf(id, replace ? files.map(({ path }) => path) : null)).map(({ path, size }) => [path, Number(size)])
    )
    const taken = new Set([...stored.keys(), ...expected.map(({ path }) => path)])
    const named = Arr.map(files, (file) => {
      const path = replace ? file.path : freePath(file.path, (each) => taken.has(each))
      taken.add(path)
      return { ...file, path }
    })
    const added = new Set([...expected, ...named].map(({ path }) => path).filter((path) => !stored.has(path)))
    if (Number(row.files) + added.size > mostFiles) {
      return yield* new NoRoom({ message: `A workspace has at most ${mostFiles} files: delete files first` })
    }
    if (named.some(({ size }) => (size ?? 0) > limits.file)) return yield* tooLarge(limits.file)
    // a file that is replaced several times frees its bytes once
    const replaced = new Set(named.map(({ path }) => path))
    const room = (yield* roomIn(row)) + [...replaced].reduce((sum, path) => sum + (stored.get(path) ?? 0), 0)
    if (sizeOf(named) > room) return yield* noRoom(sizeOf(named), room)
    const uploads = yield* Effect.forEach(named, (file) =>
      Effect.map(ids.next("upload"), (uploadId) => ({ ...file, uploadId }))
    )
    yield* sql`INSERT INTO workspace_uploads ${sql.insert(
      Arr.map(uploads, ({ contentType, path, size, uploadId }) => ({
        id: uploadId,
        workspace_id: id,
        owner: row.owner,
        path,
        content_type: contentType,
        announced: size,
        size: size ?? 0,
        until_ms: now_ms + uploadLifetime_ms
      }))
    )}`
    return uploads.map(({ path, uploadId }) => ({ id: uploadId, path, replaces: stored.has(path) }))
  })

/** Makes the operation that stores the bytes of an upload. */
const makeWrite = ({ bytes, limits, rows: { alone }, sql }: Storage, { pathsOf, roomIn }: Room) => {
  /**
   * Takes an upload that is expected, with room for its bytes. From now on a crash leaves a row of garbage, so that the
   * bytes are deleted later.
   */
  const begin = Effect.fnUntraced(function* (id: string, length: number | null) {
    const now_ms = yield* Clock.currentTimeMillis
    const row = () => sql<UploadRow>`SELECT u.* FROM workspace_uploads u JOIN workspaces w ON w.id = u.workspace_id
      WHERE u.id = ${isStorable(id) ? id : ""} AND u.until_ms > ${now_ms} AND u.running = 0 AND w.archived = 0`
    const [seen] = yield* row()
    if (seen === undefined) return yield* new UploadNotFound({ id })
    yield* alone(seen.owner)
    const [upload] = yield* row()
    if (upload === undefined) return yield* new UploadNotFound({ id })
    const announced = upload.announced === null ? null : Number(upload.announced)
    let most = announced ?? 0
    if (announced === null) {
      const replaced = yield* pathsOf(upload.workspace_id, [upload.path])
      const room = (yield* roomIn({ id: upload.workspace_id, owner: upload.owner })) + sizeOf(replaced)
      if (length !== null && length > limits.file) return yield* tooLarge(limits.file)
      most = length ?? Math.min(limits.file, Math.max(0, room))
      if (most > room) return yield* noRoom(most, room)
    } else if (length !== null && length !== announced) {
      return yield* new WrongSize({ expected: announced, received: length })
    }
    const due_ms = now_ms + uploadRuntime_ms
    yield* sql`UPDATE workspace_uploads SET running = 1, size = ${most}, until_ms = ${due_ms} WHERE id = ${id}`
    yield* sql`INSERT INTO file_garbage VALUES (${id}, ${due_ms})`
    return { upload, most, due_ms }
  })

  /** Makes a file of an upload whose bytes are stored. */
  const finish = Effect.fnUntraced(function* (
    id: string,
    { content_type, owner, path, workspace_id }: UploadRow,
    size: number
  ) {
    const now_ms = yield* Clock.currentTimeMillis
    const kept = yield* sql`DELETE FROM file_garbage WHERE id = ${id} AND due_ms > ${now_ms} RETURNING 1`
    const ended = yield* sql`DELETE FROM workspace_uploads WHERE id = ${id} AND running = 1
      AND EXISTS (SELECT 1 FROM workspaces WHERE id = ${workspace_id} AND archived = 0) RETURNING 1`
    if (kept.length + ended.length < 2) return yield* new UploadNotFound({ id })
    yield* sql`DELETE FROM workspace_files WHERE workspace_id = ${workspace_id} AND path = ${path}`
    yield* sql`INSERT INTO workspace_files ${sql.insert({ id, workspace_id, owner, path, content_type, size, modified_at_ms: now_ms })}`
  })

  /** Deletes the bytes of an upload that failed, and expects it again. What can't be done here, `prune` does later. */
  const giveUp = Effect.fnUntraced(
    function* (id: string, { announced, until_ms }: UploadRow) {
      const now_ms = yield* Clock.currentTimeMillis
      // no row if its commit went through although its response was lost
      const mine = yield* sql`UPDATE file_garbage SET due_ms = ${now_ms}
        WHERE id = ${id} AND due_ms >= 0 RETURNING 1`
      if (mine.length === 0) return
      yield* bytes.remove(id)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          const rows = yield* sql`DELETE FROM file_garbage
            WHERE id = ${id} AND due_ms >= 0 RETURNING 1`
          if (rows.length === 0) return
          yield* sql`UPDATE workspace_uploads SET running = 0, size = ${announced ?? 0}, until_ms = ${until_ms} WHERE id = ${id}`
        })
      )
    },
    (effect) => Effect.ignore(effect)
  )

  const collect = FileGarbage.collect(sql, bytes)

  return <E>(id: string, content: Stream.Stream<Uint8Array, E>, length: number | null) =>
    Effect.acquireUseRelease(
      transaction(sql, begin(id, length)),
      ({ most, upload }) =>
        Effect.gen(function* () {
          const tooMany = (received: number) =>
            upload.announced === null ? noRoom(received, most) : new WrongSize({ expected: most, received })
          const size = yield* bytes.write(id, atMost(content, most, tooMany))
          if (upload.announced !== null && size !== most)
            return yield* new WrongSize({ expected: most, received: size })
          yield* Effect.uninterruptible(Effect.tap(transaction(sql, finish(id, upload, size)), Effect.ignore(collect)))
        }).pipe(Effect.timeoutOrElse({ duration: uploadRuntime_ms, orElse: () => new UploadNotFound({ id }) })),
      ({ upload }, exit) => (Exit.isSuccess(exit) ? Effect.void : giveUp(id, upload))
    )
}

/** Makes the uploads of a storage. */
export const make = (storage: Storage): Pick<WorkspacesService, "attach" | "upload" | "write"> => {
  const { sql } = storage
  const room = makeRoom(sql, storage.limits)
  const announce = makeAnnounce(storage, room)
  const write = makeWrite(storage, room)

  /** Expects a file of a run, whose files are a workspace with the id of the run. */
  const announceOfRun = Effect.fnUntraced(function* (
    { id, owner }: { readonly id: string; readonly owner: string | null },
    file: UploadFile
  ) {
    const now_ms = yield* Clock.currentTimeMillis
    // the run may be deleted meanwhile, and its files with it
    yield* sql`INSERT INTO workspaces (id, owner, of_run, name, created_at_ms, updated_at_ms)
      SELECT id, CAST(${owner ?? noOwner} AS TEXT), 1, 'null', CAST(${now_ms} AS BIGINT), CAST(${now_ms} AS BIGINT) FROM turns WHERE id = ${id}
      ON CONFLICT (id) DO UPDATE SET updated_at_ms = excluded.updated_at_ms`
    const [row] = yield* sql<WorkspaceRow>`SELECT * FROM workspaces WHERE id = ${id} AND of_run = 1`
    if (row === undefined) return yield* new UploadNotFound({ id })
    yield* storage.rows.alone(row.owner)
    const [upload] = yield* announce(row, [file], false)
    return upload?.id ?? id
  })
  return {
    upload: (id, files, replace) =>
      Arr.isReadonlyArrayNonEmpty(files)
        ? transaction(
            sql,
            Effect.flatMap(storage.rows.open(id), (row) => announce(row, files, replace))
          )
        : Effect.succeed([]),
    write,
    attach: (run, { contentType, path }, bytes, size) =>
      Effect.flatMap(transaction(sql, announceOfRun(run, { path, contentType, size })), (id) => write(id, bytes, size))
  }
}
