import {
  Engine,
  type EventLog,
  idempotencyLifetime_ms,
  type KeyLimits,
  type Pruned,
  Store,
  type StoreUnavailable
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { read } from "./unavailable.ts"

/** Retention of finished records. */
export interface RetentionPolicy {
  /** Runs, sessions and browsers for this long after their end, in milliseconds. */
  readonly keep_ms: number
  /** At most this many ended runs, the newest. */
  readonly keepRuns: number
}

const day_ms = 86_400_000

/**
 * Events that are stored for readers that come back: those of the last hour, up to the maximum, and always the newest
 * `least`, so that a quiet server has the events of its last runs.
 */
const keepEvents = { for_ms: 3_600_000, least: 10_000, most: 100_000 }

/** Number of records that one transaction deletes, because requests wait for it. Events are small. */
const batch = 50
const eventBatch = 1000

const none: Pruned = { sessions: 0, turns: 0, browsers: 0, keys: 0, events: 0 }

const sum = (left: Pruned, right: Pruned): Pruned => ({
  sessions: left.sessions + right.sessions,
  turns: left.turns + right.turns,
  browsers: left.browsers + right.browsers,
  keys: left.keys + right.keys,
  events: left.events + right.events
})

/** Returns the cursor up to which events are deleted. The log is sorted by time, roughly, so half of it is skipped at a time. */
const eventsUntil = Effect.fnUntraced(function* ({ eventsAfter, newestEvent, oldestEvent }: EventLog, now_ms: number) {
  const newest = yield* newestEvent
  let kept = newest - keepEvents.least + 1
  let deleted = Math.max((yield* oldestEvent) - 1, newest - keepEvents.most)
  while (kept - deleted > 1) {
    const middle = Math.floor((kept + deleted) / 2)
    const [event] = yield* eventsAfter(middle - 1, 1)
    if (event !== undefined && event.event.at_ms > now_ms - keepEvents.for_ms) kept = middle
    else deleted = middle
  }
  return Math.min(deleted, newest - keepEvents.least)
})

/** The last ended run that is forgotten, of those in the order of their end. */
interface Until {
  readonly turnsUntil_ms: number
  readonly turnsUntilId?: string
}

/** The newest run above the limit; ids decide among runs that ended in the same millisecond. */
const tooMany = (sql: SqlClient.SqlClient, keepRuns: number) =>
  Effect.map(
    sql<{ readonly at_ms: number; readonly id: string }>`SELECT ended_at_ms AS at_ms, id FROM turns
      WHERE ended_at_ms IS NOT NULL ORDER BY ended_at_ms DESC, id DESC LIMIT 1 OFFSET ${keepRuns}`,
    ([first]): Until =>
      first === undefined ? { turnsUntil_ms: -Infinity } : { turnsUntil_ms: first.at_ms, turnsUntilId: first.id }
  )

/** True if a key has a daily cost limit, which counts today's finished runs. */
const isMoneyLimited = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ readonly limits: string }>`SELECT limits FROM api_keys WHERE revoked_at_ms IS NULL`, (keys) =>
    keys.some(({ limits }) => (JSON.parse(limits) as KeyLimits).usdPerDay !== null)
  )

/**
 * Deletes ended records that are older than the policy keeps them, oldest first, in at most `most` small transactions,
 * so that requests run between them.
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
  const many = yield* read(tooMany(sql, policy.keepRuns))
  const old = many.turnsUntil_ms > finishedUntil_ms ? many : { turnsUntil_ms: finishedUntil_ms }
  const until: Until = old.turnsUntil_ms > latest_ms ? { turnsUntil_ms: latest_ms } : old
  const oldEvents = yield* eventsUntil(store, now_ms)
  let all = none
  for (let round = 0; round < most; round++) {
    const gone = yield* store.prune({
      finishedUntil_ms,
      ...until,
      keysUntil_ms: now_ms - idempotencyLifetime_ms,
      eventsUntil: oldEvents,
      eventsLimit: eventBatch,
      limit: batch
    })
    all = sum(all, gone)
    const { events, ...records } = gone
    if (events < eventBatch && Object.values(records).every((count) => count < batch)) break
    yield* Effect.sleep("5 millis")
  }
  return all
})

/** Sessions that are looked for at a time. */
const idleBatch = 100

/**
 * Stops the sessions that have been idle for this long, longest first, so that requests run between them. A session
 * that got work meanwhile goes on.
 */
export const stopIdle = Effect.fnUntraced(function* (
  idle_ms: number
): Effect.fn.Return<number, StoreUnavailable, SqlClient.SqlClient | Engine> {
  const sql = yield* SqlClient.SqlClient
  const engine = yield* Engine
  const since_ms = (yield* Clock.currentTimeMillis) - idle_ms
  let stopped = 0
  for (;;) {
    const idle = yield* read(sql<{ readonly id: string }>`SELECT id FROM sessions
      WHERE idle_since_ms <= ${since_ms} ORDER BY idle_since_ms LIMIT ${idleBatch}`)
    let now = 0
    for (const { id } of idle) if (yield* engine.stopIdleSession(id, since_ms)) now++
    stopped += now
    // no session of a whole batch could be stopped: the next batch would fail too
    if (idle.length < idleBatch || now === 0) return stopped
    yield* Effect.sleep("5 millis")
  }
})
