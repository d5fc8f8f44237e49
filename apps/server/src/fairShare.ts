import type { KeyLimits } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

const day_ms = 86_400_000

/**
 * True if a key has to leave browsers for other keys: another key used a browser or a run within a day, and this one
 * has no browser limit of its own, which would apply instead.
 */
export const sharesBrowsers = Effect.fnUntraced(function* (key: string) {
  const sql = yield* SqlClient.SqlClient
  const since_ms = (yield* Clock.currentTimeMillis) - day_ms
  const keys = yield* sql<{ readonly limits: string }>`SELECT limits FROM api_keys
    WHERE name = ${key} AND revoked_at_ms IS NULL`
  if (keys.some(({ limits }) => (JSON.parse(limits) as KeyLimits).browsers !== null)) return false
  // the ranges of an index: a server with one key reads nothing
  const others = yield* sql`
    SELECT 1 FROM turns WHERE owner < ${key} AND (ended_at_ms IS NULL OR ended_at_ms >= ${since_ms})
    UNION ALL SELECT 1 FROM turns WHERE owner > ${key} AND (ended_at_ms IS NULL OR ended_at_ms >= ${since_ms})
    UNION ALL SELECT 1 FROM browsers WHERE owner <> ${key} AND stopped_at_ms IS NULL
    UNION ALL SELECT 1 FROM browsers WHERE owner <> ${key} AND stopped_at_ms >= ${since_ms}
    LIMIT 1`
  return others.length > 0
})
