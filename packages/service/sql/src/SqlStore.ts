import {
  type Browser,
  type ModelCall,
  type Session,
  Store,
  type StoredMessage,
  type StoreUnavailable,
  type Turn
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Commits from "./Commits.ts"
import { dialectOf } from "./Dialect.ts"
import * as EventReads from "./EventReads.ts"
import * as ListFill from "./ListFill.ts"
import * as NodeLeases from "./NodeLeases.ts"
import * as Pruning from "./Pruning.ts"
import { Reader } from "./Reader.ts"
import { parsed, parsedKey, parsedTurn } from "./Rows.ts"
import { ids } from "./statements.ts"
import * as SqlLists from "./SqlLists.ts"
import { storeTime } from "./storeTime.ts"
import { read, transaction } from "./unavailable.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const reader = yield* Reader
  const { atOneMoment, browsersOpen, openOfSession } = dialectOf(sql)
  const now = storeTime(sql, yield* Clock.Clock)

  /** The record with this id, by one indexed statement. */
  const find =
    <A>(table: string, of: (text: unknown) => A = parsed, column = "id") =>
    (id: string): Effect.Effect<Option.Option<A>, StoreUnavailable> =>
      read(
        Effect.map(reader.get(`SELECT record FROM ${table} WHERE ${column} = ?`, id), (row) =>
          row === undefined ? Option.none() : Option.some(of(row["record"]))
        )
      )

  type Rows = Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, SqlError>

  const records = <A>(rows: Rows, of: (text: unknown) => A = parsed) =>
    read(Effect.map(rows, (records) => records.map(({ record }) => of(record))))

  const all = Effect.gen(function* () {
    const of = <A>(table: string, parse: (text: unknown) => A = parsed, order = "n") =>
      Effect.map(sql`SELECT record FROM ${sql(table)} ORDER BY ${sql.literal(order)}`, (rows) =>
        rows.map(({ record }) => parse(record))
      )
    return {
      sessions: yield* of<Session.Session>("sessions"),
      turns: yield* of("turns", parsedTurn),
      turnSteps: yield* of<Turn.TurnStep>("turn_steps", parsed, "turn_id, ordinal"),
      modelCalls: yield* of<ModelCall>("model_calls", parsed, "turn_id, ordinal"),
      messages: yield* of<StoredMessage>("messages"),
      browsers: yield* of<Browser.Browser>("browsers"),
      idempotencyRecords: yield* of("idempotency_keys", parsedKey)
    }
  })

  const fill = yield* ListFill.make(sql)
  const commit = yield* Commits.make(sql)

  return Store.of({
    commit: (step) => Effect.tap(commit(step), fill.committed),
    session: find("sessions"),
    // one statement, so that the session and its turns are of one snapshot
    sessionState: (id) =>
      read(
        Effect.map(
          reader.all(
            `SELECT 0 AS seq, record FROM sessions WHERE id = ?
            UNION ALL SELECT seq, record FROM turns WHERE session_id = ? AND ${openOfSession}
            UNION ALL SELECT seq, record FROM turns WHERE session_id = ? AND ended_at_ms IS NOT NULL
              AND id = (SELECT lease_turn FROM sessions WHERE id = ?)
            ORDER BY seq`,
            id,
            id,
            id,
            id
          ),
          ([session, ...turns]) =>
            session === undefined || session["seq"] !== 0
              ? Option.none()
              : Option.some({
                  session: parsed(session["record"]),
                  turns: turns.map(({ record }) => parsedTurn(record))
                })
        )
      ),
    turn: find("turns", parsedTurn),
    turnsOf: (sessionId) =>
      records(sql`SELECT record FROM turns WHERE session_id = ${sessionId} ORDER BY seq`, parsedTurn),
    stepsOf: (turnId) => records(sql`SELECT record FROM turn_steps WHERE turn_id = ${turnId} ORDER BY ordinal`),
    modelCallsOf: (turnId) => records(sql`SELECT record FROM model_calls WHERE turn_id = ${turnId} ORDER BY ordinal`),
    message: find("messages"),
    browser: find("browsers"),
    idempotencyRecord: (digest) =>
      read(
        Effect.map(reader.get("SELECT record FROM idempotency_keys WHERE key = ? OR also = ?", digest, digest), (row) =>
          row === undefined ? Option.none() : Option.some(parsedKey(row["record"]))
        )
      ),

    unfinished: (limit) =>
      read(
        Effect.all({
          sessions: ids(sql`SELECT session_id AS id, min(n) AS since FROM (
              SELECT session_id, n FROM turns WHERE ended_at_ms IS NULL
              UNION ALL SELECT session_id, n FROM turns WHERE id IN
                (SELECT lease_turn FROM sessions WHERE lease_node IS NOT NULL)
            ) AS waiting GROUP BY session_id ORDER BY since LIMIT ${limit}`),
          browsers: ids(sql`SELECT id FROM browsers ${browsersOpen}
            WHERE stopped_at_ms IS NULL ORDER BY n LIMIT ${limit}`)
        })
      ),
    ...NodeLeases.make(sql, now),
    cancelledAt: (node) =>
      records(
        sql`SELECT turns.record FROM sessions JOIN turns ON turns.id = sessions.lease_turn
          WHERE sessions.lease_node = ${node} AND turns.status = 'cancelled'`,
        parsedTurn
      ),
    leasedTo: (node) => records(sql`SELECT record FROM sessions WHERE lease_node = ${node}`),
    startingAt: (node) =>
      Effect.map(
        records<Browser.Browser>(
          sql`SELECT record FROM browsers ${browsersOpen} WHERE stopped_at_ms IS NULL AND node = ${node}`
        ),
        (open) => open.filter(({ status }) => status === "starting").map(({ id }) => id)
      ),
    abandoned: (limit) =>
      read(
        Effect.flatMap(now, (now_ms) =>
          Effect.all({
            sessions: ids(sql`SELECT session_id AS id, min(n) AS since FROM (
              SELECT turns.session_id, turns.n FROM turns JOIN sessions ON sessions.id = turns.session_id
                WHERE turns.ended_at_ms IS NULL AND sessions.lease_node IS NULL
              UNION ALL SELECT turns.session_id, turns.n FROM sessions JOIN turns ON turns.id = sessions.lease_turn
                WHERE sessions.lease_node IS NOT NULL
                  AND sessions.lease_node NOT IN (SELECT id FROM nodes WHERE until_ms > ${now_ms})
            ) AS waiting GROUP BY session_id ORDER BY since LIMIT ${limit}`),
            browsers: ids(sql`SELECT id FROM browsers ${browsersOpen} WHERE stopped_at_ms IS NULL
            AND coalesce(node, '') NOT IN (SELECT id FROM nodes WHERE until_ms > ${now_ms}) ORDER BY n LIMIT ${limit}`)
          })
        )
      ),

    ...EventReads.make(sql),
    ...Pruning.make(sql),
    lists: yield* SqlLists.make(sql, fill),

    records: Effect.provideService(transaction(sql, all), SqlClient.BeginTransaction, atOneMoment)
  })
})

/** The store of a database. */
export const layer: Layer.Layer<Store, never, SqlClient.SqlClient | Reader> = Layer.effect(Store, make)
