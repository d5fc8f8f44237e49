import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { dialectOf } from "./Dialect.ts"
import type { FileBytes } from "./FileBytes.ts"
import { read } from "./unavailable.ts"

/** Bytes whose deletion began this long ago are deleted again: their server was killed, or its disk failed. */
const claim_ms = 600_000

/**
 * Deletes bytes that no file has any more: up to a limit, and returns their number. While a server deletes bytes, their
 * time is the time of its claim as a negative number.
 */
export const collect = (sql: SqlClient.SqlClient, bytes: FileBytes["Service"], limit = 100) =>
  Effect.gen(function* () {
    const now_ms = yield* Clock.currentTimeMillis
    // a minute, because the clocks of nodes differ
    const until_ms = Math.max(0, now_ms - 60_000)
    const from_ms = Math.min(0, claim_ms - now_ms)
    // an upload whose bytes are about to be deleted can't be sent again
    const due = yield* read(
      sql<{ readonly id: string }>`UPDATE file_garbage SET due_ms = ${-Math.max(1, now_ms)} WHERE id IN
        (SELECT id FROM file_garbage WHERE due_ms BETWEEN ${from_ms} AND ${until_ms} ORDER BY due_ms LIMIT ${limit}
          ${dialectOf(sql).skipLocked}) RETURNING id`
    )
    const gone = due.map(({ id }) => id)
    if (gone.length === 0) return 0
    yield* Effect.forEach(gone, bytes.remove, { concurrency: 8, discard: true })
    return (yield* read(sql`DELETE FROM file_garbage WHERE ${sql.in("id", gone)} RETURNING 1`)).length
  })
