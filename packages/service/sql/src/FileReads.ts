import { FileNotFound, isFilePath, Owner, type WorkspacesService } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { FileBytes } from "./FileBytes.ts"
import { read } from "./unavailable.ts"
import { type FileRow, fileOf, isStorable, ownerIn, storedOf, type WorkspaceRow } from "./WorkspaceRows.ts"

type Reads = Pick<WorkspacesService, "attachments" | "filesById" | "ownerOf" | "read">

/** Makes the reads of files with their bytes. */
export const make = (sql: SqlClient.SqlClient, bytes: FileBytes["Service"]): Reads => ({
  ownerOf: (id) =>
    isStorable(id)
      ? Effect.map(
          read(sql<Pick<WorkspaceRow, "owner">>`SELECT owner FROM workspaces WHERE id = ${id}
            UNION ALL SELECT owner FROM workspace_uploads WHERE id = ${id}`),
          ([row]) => (row === undefined ? undefined : ownerIn(row))
        )
      : Effect.succeed(undefined),
  read: (id, path) =>
    read(
      Effect.gen(function* () {
        const [row] =
          isStorable(id) && isFilePath(path)
            ? yield* sql<FileRow>`SELECT * FROM workspace_files WHERE workspace_id = ${id} AND path = ${path}`
            : []
        if (row === undefined) return yield* new FileNotFound({ path })
        return { ...fileOf(row), bytes: bytes.read(row.id) }
      })
    ),
  filesById: (wanted) =>
    Effect.gen(function* () {
      const owner = yield* Owner
      const storable = wanted.filter(isStorable)
      if (storable.length === 0) return []
      const rows = yield* sql<FileRow>`SELECT f.* FROM workspace_files f JOIN workspaces w ON w.id = f.workspace_id
        WHERE ${sql.in("f.id", storable)} AND w.of_run = 0 AND ${owner === null ? sql`1 = 1` : sql`w.owner = ${owner}`}`
      return storable.flatMap((id) =>
        rows.filter((row) => row.id === id).map((row) => ({ ...fileOf(row), id, bytes: bytes.read(id) }))
      )
    }).pipe(read),
  attachments: (runId) =>
    Effect.map(read(sql<FileRow>`SELECT * FROM workspace_files WHERE workspace_id = ${runId} ORDER BY path`), (files) =>
      files.map(storedOf)
    )
})
