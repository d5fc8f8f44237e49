import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { FileBytes } from "./FileBytes.ts"
import { read } from "./unavailable.ts"

/** Bytes that are deleted at a time. */
export const batch = 100

/** The time of bytes that are being deleted, or were when a server was killed. */
export const claimed = -1

/** Makes the deletion of bytes that no file has any more: of a batch, whose number it returns. */
export const make = (sql: SqlClient.SqlClient, bytes: FileBytes["Service"]) =>
  Effect.gen(function* () {
    // a minute, because the clocks of nodes differ
    const until_ms = Math.max(0, (yield* Clock.currentTimeMillis) - 60_000)
    // an upload whose bytes are about to be deleted can't be sent again
    const due = yield* read(
      sql<{ readonly id: string }>`UPDATE file_garbage SET due_ms = ${claimed} WHERE id IN
        (SELECT id FROM file_garbage WHERE due_ms <= ${until_ms} ORDER BY due_ms LIMIT ${batch}) RETURNING id`
    )
    const gone = due.map(({ id }) => id)
    if (gone.length === 0) return 0
    yield* Effect.forEach(gone, bytes.remove, { concurrency: 8, discard: true })
    return (yield* read(sql`DELETE FROM file_garbage WHERE ${sql.in("id", gone)} RETURNING 1`)).length
  })
