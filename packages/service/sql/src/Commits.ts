import {
  Conflict,
  type IdempotencyRecord,
  idempotencyLifetime_ms,
  KeyTaken,
  type Step,
  type Store,
  type Turn
} from "@webagent/engine"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import {
  browserRow,
  eventRow,
  keyRow,
  messageRow,
  modelCallRow,
  parsedKey,
  sessionRow,
  stepRow,
  turnRow
} from "./Rows.ts"
import { changed } from "./statements.ts"
import { transaction } from "./unavailable.ts"

/** Makes the commit of a step: everything is written, or nothing. */
export const make = (sql: SqlClient.SqlClient): Store["Service"]["commit"] => {
  /** Writes a record if its revision follows the stored one; true if it was written. */
  const next = (table: "sessions" | "browsers", row: Readonly<Record<string, string | number | null>>) =>
    changed(
      row["revision"] === 1
        ? sql`INSERT INTO ${sql(table)} ${sql.insert(row)} ON CONFLICT (id) DO NOTHING RETURNING n`
        : // SQLite writes the indexes of a column that is set, although its value is the same
          sql`UPDATE ${sql(table)} SET ${sql.update(row, row["stopped_at_ms"] === null ? ["id", "stopped_at_ms"] : ["id"])}
            WHERE id = ${row["id"]} AND revision = ${Number(row["revision"]) - 1} RETURNING n`
    )

  /** A turn that is new, or a change of one that this session has. */
  const putTurn = (turn: Turn.Turn, isNew: boolean) => {
    const row = turnRow(turn)
    const written = sql.csv([
      sql`status = excluded.status`,
      sql`record = excluded.record`,
      sql`waiting_since_ms = excluded.waiting_since_ms`,
      ...(row.usd === 0 ? [] : [sql`usd = excluded.usd`]),
      ...(row.ended_at_ms === null ? [] : [sql`ended_at_ms = excluded.ended_at_ms`])
    ])
    return changed(
      isNew
        ? sql`INSERT INTO turns ${sql.insert(row)} ON CONFLICT DO NOTHING RETURNING n`
        : sql`INSERT INTO turns ${sql.insert(row)} ON CONFLICT (id) DO UPDATE SET ${written}
            WHERE turns.session_id = excluded.session_id RETURNING n`
    )
  }

  const putKey = Effect.fnUntraced(function* (record: IdempotencyRecord) {
    const digests = sql.in(record.also === undefined ? [record.key] : [record.key, record.also])
    // the same create at another node waits here until this commit is over
    const insert = sql`INSERT INTO idempotency_keys ${sql.insert(keyRow(record))} ON CONFLICT DO NOTHING RETURNING n`
    while ((yield* insert).length === 0) {
      const rows = yield* sql`SELECT n, created_at_ms, record FROM idempotency_keys
        WHERE key IN ${digests} OR also IN ${digests}`
      for (const { created_at_ms, n, record: text } of rows) {
        if (Number(created_at_ms) > record.createdAt_ms - idempotencyLifetime_ms) {
          return yield* new KeyTaken({ record: parsedKey(text) })
        }
        yield* sql`DELETE FROM idempotency_keys WHERE n = ${n}`
      }
    }
  })

  const put = Effect.fnUntraced(function* (step: Step) {
    const {
      also,
      browser,
      events,
      forgetKey,
      key,
      message,
      modelCalls = [],
      session,
      turnSteps = [],
      turns = [],
      unplaced
    } = step
    if (key !== undefined) yield* putKey(key)
    if (session !== undefined) {
      if (!(yield* next("sessions", sessionRow(session)))) return yield* new Conflict({ id: session.id })
      // in the order of their cost by day, so that commits that end several turns don't wait for each other in a circle
      for (const turn of turns.toSorted(({ model: left }, { model: right }) => (left < right ? -1 : 1))) {
        if (!(yield* putTurn(turn, session.revision === 1))) return yield* new Conflict({ id: turn.id })
      }
    }
    if (browser !== undefined && !(yield* next("browsers", browserRow(browser)))) {
      return yield* new Conflict({ id: browser.id })
    }
    if (unplaced !== undefined) {
      const { id, revision } = unplaced
      const deleted = sql`DELETE FROM browsers WHERE id = ${id} AND revision = ${revision} RETURNING n`
      if (!(yield* changed(deleted))) return yield* new Conflict({ id })
    }
    for (const each of turnSteps) {
      yield* sql`INSERT INTO turn_steps ${sql.insert(stepRow(each))}
        ON CONFLICT (turn_id, ordinal) DO UPDATE SET record = excluded.record`
    }
    for (const each of modelCalls) {
      yield* sql`INSERT INTO model_calls ${sql.insert(modelCallRow(each))}
        ON CONFLICT (turn_id, ordinal) DO UPDATE SET record = excluded.record`
    }
    if (message !== undefined) {
      const added = sql`INSERT INTO messages ${sql.insert(messageRow(message))} ON CONFLICT (id) DO NOTHING RETURNING n`
      if (!(yield* changed(added))) return yield* new Conflict({ id: message.id })
    }
    if (forgetKey !== undefined) yield* sql`DELETE FROM idempotency_keys WHERE key = ${forgetKey}`
    for (const some of Arr.chunksOf(events, 100)) {
      yield* sql`INSERT INTO events ${sql.insert(Arr.map(some, eventRow))}`
    }
    if (also !== undefined) yield* also
  })

  return (step) => transaction(sql, put(step))
}
