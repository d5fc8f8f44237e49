import { Owner, type Workspace, WorkspaceArchived, type WorkspaceFile, WorkspaceNotFound } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"

export interface WorkspaceRow {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly archived: number
  readonly created_at_ms: number
  readonly updated_at_ms: number
  readonly bytes: number
  readonly files: number
}

export interface FileRow {
  readonly id: string
  readonly path: string
  readonly content_type: string
  readonly size: number
  readonly modified_at_ms: number
}

/** The owner of records without one; no key has this name. */
export const noOwner = ""

export const ownerIn = ({ owner }: Pick<WorkspaceRow, "owner">) => (owner === noOwner ? null : owner)

export const workspaceOf = (row: WorkspaceRow): Workspace => ({
  id: row.id,
  owner: ownerIn(row),
  // as JSON, because Postgres has no NUL
  name: JSON.parse(row.name) as string | null,
  archived: Number(row.archived) === 1,
  createdAt_ms: Number(row.created_at_ms),
  updatedAt_ms: Number(row.updated_at_ms)
})

export const fileOf = (row: FileRow): WorkspaceFile => ({
  path: row.path,
  contentType: row.content_type,
  size: Number(row.size),
  modifiedAt_ms: Number(row.modified_at_ms)
})

export const storedOf = (row: FileRow) => ({ ...fileOf(row), id: row.id })

export const isStorable = (text: string) => text.isWellFormed() && !text.includes("\0")

/** Makes the reads of workspaces that may be part of a commit. */
export const make = (sql: SqlClient.SqlClient) => {
  /** Has other changes of an owner's files wait. SQLite runs one commit at a time anyway. */
  const alone = (owner: string) =>
    sql.onDialectOrElse({
      pg: () => Effect.asVoid(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`files ${owner}`}, 0))`),
      orElse: () => Effect.void
    })

  const rowOf = Effect.fnUntraced(function* (id: string) {
    const owner = yield* Owner
    const [row] = isStorable(id)
      ? yield* sql<WorkspaceRow>`SELECT * FROM workspaces WHERE id = ${id} AND of_run = 0
          AND ${owner === null ? sql`1 = 1` : sql`owner = ${owner}`}`
      : []
    return row ?? (yield* new WorkspaceNotFound({ id }))
  })

  /** A workspace that may be changed, while no other change of its owner's files runs. */
  const open = Effect.fnUntraced(function* (id: string) {
    yield* alone((yield* rowOf(id)).owner)
    const row = yield* rowOf(id)
    return Number(row.archived) === 1 ? yield* new WorkspaceArchived({ id }) : row
  })

  return { alone, rowOf, open }
}
