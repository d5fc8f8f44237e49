import type { KeyLimits, WorkspacesService } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { dialectOf } from "./Dialect.ts"
import type { FileBytes } from "./FileBytes.ts"
import * as FileGarbage from "./FileGarbage.ts"
import { inBatches } from "./inBatches.ts"
import { read } from "./unavailable.ts"

const day_ms = 86_400_000

/** Makes the deletion of old files and workspaces, and of the bytes that no file has any more. */
export const make = (sql: SqlClient.SqlClient, bytes: FileBytes["Service"]): WorkspacesService["prune"] => {
  const { skipLocked } = dialectOf(sql)

  /** The limit of each owner: of the newest key with its name, because a key is rotated by revoking it first. */
  const daysByOwner = Effect.map(
    read(sql<{ readonly name: string; readonly limits: string }>`SELECT name, limits FROM api_keys ORDER BY id`),
    (keys) => new Map(keys.map(({ limits, name }) => [name, (JSON.parse(limits) as KeyLimits).fileDays ?? null]))
  )

  /** The owners of workspaces, by a look into the indexes for each: what isn't old is not read. */
  const owners = read(
    sql<Readonly<Record<"file_ms" | "over_ms", number | null>> & { readonly owner: string }>`WITH RECURSIVE owners AS (
        SELECT min(owner) AS owner FROM workspaces
        UNION ALL
        SELECT (SELECT min(w.owner) FROM workspaces AS w WHERE w.owner > owners.owner) FROM owners WHERE owner IS NOT NULL)
      SELECT owner,
        (SELECT min(modified_at_ms) FROM workspace_files AS f WHERE f.owner = owners.owner) AS file_ms,
        (SELECT min(updated_at_ms) FROM workspaces AS w WHERE w.owner = owners.owner AND archived + of_run > 0) AS over_ms
      FROM owners WHERE owner IS NOT NULL`
  )

  /** Deletes the old rows of an owner, and returns their number. */
  const deleteOld = (table: string, owner: string, isOld: Statement.Fragment) =>
    inBatches((limit) =>
      Effect.map(
        read(sql`DELETE FROM ${sql(table)} WHERE id IN (SELECT id FROM ${sql(table)}
          WHERE owner = ${owner} AND ${isOld} LIMIT ${limit} ${skipLocked}) RETURNING 1`),
        ({ length }) => length
      )
    )

  return Effect.fnUntraced(function* (until_ms) {
    const now_ms = yield* Clock.currentTimeMillis
    const days = yield* daysByOwner
    let count = 0
    for (const { file_ms, over_ms, owner } of yield* owners) {
      const own = days.get(owner) ?? null
      const old_ms = own === null ? until_ms : now_ms - own * day_ms
      const isOld = (oldest_ms: number | null) => oldest_ms !== null && Number(oldest_ms) <= old_ms
      const isOver = sql`archived + of_run > 0 AND updated_at_ms <= ${old_ms}`
      if (isOld(file_ms)) count += yield* deleteOld("workspace_files", owner, sql`modified_at_ms <= ${old_ms}`)
      if (isOld(over_ms)) count += yield* deleteOld("workspaces", owner, isOver)
    }
    yield* read(sql`DELETE FROM workspace_uploads WHERE until_ms <= ${now_ms}`)
    yield* inBatches((limit) => FileGarbage.collect(sql, bytes, limit))
    return count
  })
}
