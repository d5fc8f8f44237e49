import {
  FileNotFound,
  IdSource,
  isFilePath,
  mostWorkspaces,
  Owner,
  WorkspaceNotFound,
  Workspaces,
  workspacesFull,
  type WorkspacesService
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { FileBytes } from "./FileBytes.ts"
import * as FileGarbage from "./FileGarbage.ts"
import * as FilePruning from "./FilePruning.ts"
import * as FileReads from "./FileReads.ts"
import * as FileUploads from "./FileUploads.ts"
import { read, transaction } from "./unavailable.ts"
import { type FileRow, isStorable, storedOf, noOwner, workspaceOf, type WorkspaceRow } from "./WorkspaceRows.ts"
import * as WorkspaceRows from "./WorkspaceRows.ts"

export { defaultFileLimits, type FileLimits } from "./FileUploads.ts"

const make = Effect.fnUntraced(function* (limits: FileUploads.FileLimits) {
  const sql = yield* SqlClient.SqlClient
  const bytes = yield* FileBytes
  const ids = yield* IdSource
  const rows = WorkspaceRows.make(sql)
  const { alone, open, rowOf } = rows
  const collect = FileGarbage.collect(sql, bytes)

  const find = (id: string) => read(rowOf(id))

  /** Commits a change, and deletes the bytes that it freed. `prune` deletes them if that fails. */
  const committed = <A, E>(body: Effect.Effect<A, E>) => Effect.tap(transaction(sql, body), Effect.ignore(collect))

  const workspaces: WorkspacesService = {
    maxBytes: limits.workspace,
    create: (name, keep) =>
      transaction(
        sql,
        Effect.gen(function* () {
          const owner = yield* Owner
          yield* alone(owner ?? noOwner)
          const [{ count } = { count: 0 }] = yield* sql<{ readonly count: number }>`SELECT count(*) AS count
            FROM workspaces WHERE owner = ${owner ?? noOwner} AND of_run = 0`
          const id = yield* ids.next("workspace")
          const now_ms = yield* Clock.currentTimeMillis
          const workspace = { id, owner, name, archived: false, createdAt_ms: now_ms, updatedAt_ms: now_ms }
          if (keep !== undefined) yield* keep(workspace, now_ms)
          if (Number(count) >= mostWorkspaces) return yield* workspacesFull()
          yield* sql`INSERT INTO workspaces ${sql.insert({
            id,
            owner: owner ?? noOwner,
            name: JSON.stringify(name),
            created_at_ms: now_ms,
            updated_at_ms: now_ms
          })}`
          return workspace
        })
      ),
    find: (id) => Effect.map(find(id), workspaceOf),
    list: (from, limit) =>
      Effect.gen(function* () {
        const owner = yield* Owner
        const seen = sql`of_run = 0 AND archived = 0 AND ${owner === null ? sql`1 = 1` : sql`owner = ${owner}`}`
        const rows = yield* sql<WorkspaceRow>`SELECT * FROM workspaces WHERE ${seen} ORDER BY n DESC
          LIMIT ${limit} OFFSET ${from}`
        const [all] = yield* sql<{ readonly count: number }>`SELECT count(*) AS count FROM workspaces WHERE ${seen}`
        return { items: rows.map(workspaceOf), total: Number(all?.count) }
      }).pipe(read),
    rename: (id, name) => change(id, { name: JSON.stringify(name) }),
    archive: (id) => Effect.asVoid(change(id, { archived: 1 })),
    remove: (id) =>
      committed(Effect.flatMap(rowOf(id), () => Effect.asVoid(sql`DELETE FROM workspaces WHERE id = ${id}`))),
    usedBytes: (id) => Effect.map(find(id), (row) => Number(row.bytes)),
    files: (id, prefix, after, limit) =>
      read(
        Effect.gen(function* () {
          yield* rowOf(id)
          if (!isStorable(prefix) || !isStorable(after)) return { files: [], hasMore: false }
          const rows = yield* sql<FileRow>`SELECT * FROM workspace_files WHERE workspace_id = ${id} AND path > ${after}
            AND path >= ${prefix} AND substr(path, 1, ${[...prefix].length}) = ${prefix} ORDER BY path LIMIT ${limit + 1}`
          return { files: rows.slice(0, limit).map(storedOf), hasMore: rows.length > limit }
        })
      ),
    ...FileReads.make(sql, bytes),
    ...FileUploads.make({ sql, bytes, ids, limits, rows }),
    removeFile: (id, path) =>
      committed(
        Effect.gen(function* () {
          yield* open(id)
          const gone = isFilePath(path)
            ? yield* sql`DELETE FROM workspace_files WHERE workspace_id = ${id} AND path = ${path} RETURNING 1`
            : []
          if (gone.length === 0) return yield* new FileNotFound({ path })
        })
      ),
    prune: FilePruning.make(sql, bytes)
  }

  function change(id: string, fields: { readonly name?: string; readonly archived?: number }) {
    return transaction(
      sql,
      Effect.gen(function* () {
        yield* rowOf(id)
        const now_ms = yield* Clock.currentTimeMillis
        const [row] = yield* sql<WorkspaceRow>`UPDATE workspaces SET ${sql.update({ ...fields })},
          updated_at_ms = CASE WHEN updated_at_ms > ${now_ms} THEN updated_at_ms ELSE ${now_ms} END
          WHERE id = ${id} RETURNING *`
        return row === undefined ? yield* new WorkspaceNotFound({ id }) : workspaceOf(row)
      })
    )
  }

  return workspaces
})

/** Workspaces in a database, whose files have their bytes at `FileBytes`. */
export const layer = (
  limits: FileUploads.FileLimits = FileUploads.defaultFileLimits
): Layer.Layer<never, never, SqlClient.SqlClient | FileBytes | IdSource> => Layer.effect(Workspaces, make(limits))

/**
 * Ends the uploads that a killed server left, on a database that no other server uses: their bytes are deleted with the
 * next `prune`.
 */
export const recover = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE file_garbage SET due_ms = 0`
  yield* sql`DELETE FROM workspace_uploads WHERE running = 1`
})
