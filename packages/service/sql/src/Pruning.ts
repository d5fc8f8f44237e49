import type { Store } from "@webagent/engine"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { dialectOf } from "./Dialect.ts"
import { ids } from "./statements.ts"
import { read, transaction } from "./unavailable.ts"

/** Makes the deletions of old records, and of one session. */
export const make = (sql: SqlClient.SqlClient): Pick<Store["Service"], "prune" | "purge"> => {
  const { numbered, skipLocked } = dialectOf(sql)

  const forgetTurns = Effect.fnUntraced(function* (gone: ReadonlyArray<string>) {
    if (gone.length === 0) return
    yield* sql`DELETE FROM turn_steps WHERE ${sql.in("turn_id", gone)}`
    yield* sql`DELETE FROM model_calls WHERE ${sql.in("turn_id", gone)}`
    yield* sql`DELETE FROM run_notes WHERE ${sql.in("turn_id", gone)}`
    yield* sql`DELETE FROM messages WHERE ${sql.in("turn_id", gone)}`
    yield* sql`DELETE FROM turns WHERE ${sql.in("id", gone)}`
  })

  const purge = Effect.fnUntraced(function* (id: string) {
    // deleted first, so that no step changes it meanwhile
    const gone = yield* sql`DELETE FROM sessions WHERE id = ${id} AND stopped_at_ms IS NOT NULL AND lease_node IS NULL
      AND NOT EXISTS (SELECT 1 FROM turns WHERE session_id = sessions.id AND ended_at_ms IS NULL) RETURNING 1`
    if (gone.length === 0) return false
    for (const some of Arr.chunksOf(yield* ids(sql`SELECT id FROM turns WHERE session_id = ${id}`), 500)) {
      yield* forgetTurns(some)
    }
    return true
  })

  /** Deletes the oldest matching rows of a table, at most `limit`, and returns their number. */
  const forget = (table: string, key: string, column: string, until: number, limit: number) =>
    Effect.map(
      sql`DELETE FROM ${sql(table)} WHERE ${sql(key)} IN
        (SELECT ${sql(key)} FROM ${sql(table)} WHERE ${sql(column)} <= ${until}
          ORDER BY ${sql(column)} LIMIT ${limit} ${skipLocked})
        RETURNING 1`,
      (rows) => rows.length
    )

  const prune: Store["Service"]["prune"] = (retention) => {
    const { eventsUntil, finishedUntil_ms, keysUntil_ms, limit, turnsUntilId, turnsUntil_ms } = retention
    const { eventsLimit = limit } = retention
    const sessions = Effect.gen(function* () {
      if (finishedUntil_ms === undefined) return 0
      const gone = yield* ids(sql`SELECT id FROM sessions WHERE stopped_at_ms <= ${finishedUntil_ms}
        AND lease_node IS NULL AND NOT EXISTS (SELECT 1 FROM turns WHERE session_id = sessions.id AND ended_at_ms IS NULL)
        ORDER BY stopped_at_ms LIMIT ${limit} ${skipLocked}`)
      if (gone.length === 0) return 0
      yield* forgetTurns(yield* ids(sql`SELECT id FROM turns WHERE ${sql.in("session_id", gone)}`))
      yield* sql`DELETE FROM sessions WHERE ${sql.in("id", gone)}`
      return gone.length
    })
    const turns = Effect.gen(function* () {
      if (turnsUntil_ms === undefined) return 0
      const gone = yield* ids(sql`SELECT id FROM turns
        WHERE ended_at_ms <= ${turnsUntil_ms} AND (ended_at_ms < ${turnsUntil_ms} OR id <= ${turnsUntilId ?? "\uffff"})
        AND NOT EXISTS (SELECT 1 FROM sessions WHERE lease_turn = turns.id AND id = turns.session_id)
        ORDER BY ended_at_ms, id LIMIT ${limit} ${skipLocked}`)
      yield* forgetTurns(gone)
      return gone.length
    })
    const forgotten = Effect.gen(function* () {
      return {
        sessions: yield* sessions,
        turns: yield* turns,
        browsers:
          finishedUntil_ms === undefined ? 0 : yield* forget("browsers", "n", "stopped_at_ms", finishedUntil_ms, limit),
        keys:
          keysUntil_ms === undefined ? 0 : yield* forget("idempotency_keys", "n", "created_at_ms", keysUntil_ms, limit),
        events: eventsUntil === undefined ? 0 : yield* forget("events", "cursor", "cursor", eventsUntil, eventsLimit)
      }
    })
    return Effect.andThen(read(numbered), transaction(sql, forgotten))
  }

  return { prune, purge: (id) => transaction(sql, purge(id)) }
}
