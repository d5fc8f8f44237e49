import { type Pruned, Store, type StoreUnavailable } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { read } from "./unavailable.ts"

/** What a server keeps of what is over. */
export interface RetentionPolicy {
  /** Runs, sessions and browsers for this long after their end, in milliseconds. */
  readonly keep_ms: number
  /** At most this many ended runs, the newest. */
  readonly keepRuns: number
}

/** Runs and browsers for 30 days, and not more than a million runs. */
export const defaultPolicy: RetentionPolicy = { keep_ms: 30 * 86_400_000, keepRuns: 1_000_000 }

/** For how long a repeated create gets what the first one made. */
const keepKeys_ms = 86_400_000

const day_ms = 86_400_000

/** How many events are kept for those who follow them. */
const keepEvents = 10_000

/** Records of a kind that go in one transaction: requests wait for it. */
const batch = 50

const none: Pruned = { sessions: 0, turns: 0, browsers: 0, keys: 0, events: 0 }

const sum = (left: Pruned, right: Pruned): Pruned => ({
  sessions: left.sessions + right.sessions,
  turns: left.turns + right.turns,
  browsers: left.browsers + right.browsers,
  keys: left.keys + right.keys,
  events: left.events + right.events
})

/** When the first run ended that is one too many; nothing where there are not that many. */
const tooManySince = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, keepRuns: number) {
  const [first] = yield* sql<{ readonly at_ms: number }>`SELECT ended_at_ms AS at_ms FROM turns
    WHERE ended_at_ms IS NOT NULL ORDER BY ended_at_ms DESC LIMIT 1 OFFSET ${keepRuns}`
  return first?.at_ms ?? -Infinity
})

/** Whether a key has a limit of money a day: what ended today counts against it. */
const isMoneyLimited = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql`SELECT 1 FROM api_keys WHERE revoked_at_ms IS NULL AND limits ->> 'usdPerDay' IS NOT NULL LIMIT 1`,
    (found) => found.length === 1
  )

/**
 * Forgets what is over for longer than the policy keeps it, the oldest first, in small transactions with room for
 * requests between them; at most `most` of these.
 */
export const prune = Effect.fnUntraced(function* (
  policy: RetentionPolicy,
  most = Number.MAX_SAFE_INTEGER
): Effect.fn.Return<Pruned, StoreUnavailable, SqlClient.SqlClient | Store> {
  const sql = yield* SqlClient.SqlClient
  const store = yield* Store
  const now_ms = yield* Clock.currentTimeMillis
  const latest_ms = (yield* read(isMoneyLimited(sql))) ? now_ms - (now_ms % day_ms) - 1 : now_ms
  const finishedUntil_ms = Math.min(latest_ms, now_ms - policy.keep_ms)
  const tooMany_ms = yield* read(tooManySince(sql, policy.keepRuns))
  const turnsUntil_ms = Math.min(latest_ms, Math.max(finishedUntil_ms, tooMany_ms))
  const [last] = yield* read(sql<{ readonly cursor: number | null }>`SELECT max(cursor) AS cursor FROM events`)
  let all = none
  for (let round = 0; round < most; round++) {
    const gone = yield* store.prune({
      finishedUntil_ms,
      turnsUntil_ms,
      keysUntil_ms: now_ms - keepKeys_ms,
      eventsUntil: (last?.cursor ?? 0) - keepEvents,
      limit: batch
    })
    all = sum(all, gone)
    if (Object.values(gone).every((count) => count < batch)) break
    yield* Effect.sleep("5 millis")
  }
  return all
})

/** The sessions that are active with nothing to do since this time, at most `limit`, the oldest first. */
export const idleSessions = (until_ms: number, limit: number) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly id: string }>`SELECT id FROM sessions WHERE stopped_at_ms IS NULL AND lease_node IS NULL
        AND NOT EXISTS (SELECT 1 FROM turns WHERE session_id = sessions.id
          AND (ended_at_ms IS NULL OR ended_at_ms > ${until_ms}))
        AND record ->> 'createdAt_ms' <= ${until_ms}
        ORDER BY n LIMIT ${limit}`,
      (rows) => rows.map(({ id }) => id)
    )
  )
