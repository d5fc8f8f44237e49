import { type ConsoleSession, ConsoleSessions } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { read, unavailable } from "./unavailable.ts"

interface SessionRow {
  readonly hash: string
  readonly key_name: string
  readonly key_created_at_ms: number | null
  readonly begun_at_ms: number
  readonly used_at_ms: number
}

const sessionOf = (row: SessionRow): ConsoleSession => ({
  hash: row.hash,
  key: row.key_name,
  keyCreatedAt_ms: row.key_created_at_ms === null ? null : Number(row.key_created_at_ms),
  begunAt_ms: Number(row.begun_at_ms),
  usedAt_ms: Number(row.used_at_ms)
})

/** The console's sessions in a database. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(
  ConsoleSessions,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      add: ({ begunAt_ms, hash, key, keyCreatedAt_ms, usedAt_ms }, { idleUntil_ms, perKey }) =>
        Effect.gen(function* () {
          yield* sql`INSERT INTO console_sessions ${sql.insert({
            hash,
            key_name: key,
            key_created_at_ms: keyCreatedAt_ms,
            begun_at_ms: begunAt_ms,
            used_at_ms: usedAt_ms
          })}`
          yield* sql`DELETE FROM console_sessions WHERE used_at_ms <= ${idleUntil_ms}`
          yield* sql`DELETE FROM console_sessions WHERE key_name = ${key} AND hash NOT IN (SELECT hash
            FROM console_sessions WHERE key_name = ${key} ORDER BY begun_at_ms DESC, hash LIMIT ${perKey})`
        }).pipe(Effect.mapError(unavailable)),
      get: (hash) =>
        Effect.map(read(sql<SessionRow>`SELECT * FROM console_sessions WHERE hash = ${hash}`), ([row]) =>
          row === undefined ? null : sessionOf(row)
        ),
      use: (hash, at_ms) =>
        Effect.asVoid(
          Effect.mapError(sql`UPDATE console_sessions SET used_at_ms = ${at_ms} WHERE hash = ${hash}`, unavailable)
        ),
      remove: (hash) =>
        Effect.asVoid(Effect.mapError(sql`DELETE FROM console_sessions WHERE hash = ${hash}`, unavailable))
    }
  })
)
