import { Session, Turn } from "@webagent/engine"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

/** Start of the first day of the filled runs, in milliseconds. */
export const start_ms = Date.UTC(2026, 0, 1)

/** Time over which the runs of a full database were created. */
export const days_ms = 90 * 86_400_000

/** Tables whose records are in lists. */
const listed = ["turns", "sessions", "browsers"]

/** Rows of one statement. */
const together = 500

/** Place of a run among a thousand, in another order for each prime. */
const share = (i: number, prime: number) => (i * prime) % 1000

const ownerOf = (i: number) => {
  const place = share(i, 7919)
  if (place === 0) return "key_5"
  if (place < 50) return "key_4"
  if (place < 150) return "key_3"
  return place < 400 ? "key_2" : "key_1"
}

const statusOf = (i: number, runs: number): Turn.TurnStatus => {
  if (i > runs - 20) return "queued"
  if (i > runs - 40) return "running"
  const place = share(i, 6007)
  return place < 120 ? "failed" : place < 170 ? "cancelled" : "completed"
}

const taskOf = (i: number) =>
  `Find the cheapest red mug number ${i} at https://shop${i % 97}.example/items and tell its price with shipping` +
  `${i % 10 === 0 ? " and an umbrella" : ""}${i % 100_000 === 9 ? " for a zeppelin" : ""}`

/** Makes a run: of five owners, six models, twelve nodes and 51 tags, including rare ones. */
export const turnOf = (i: number, runs: number): Turn.Turn => {
  const createdAt_ms = start_ms + Math.floor((i * days_ms) / runs)
  const status = statusOf(i, runs)
  const isOver = Turn.isTerminal(status)
  const tags = i % 100_000 === 3 ? ["rare"] : i % 5 === 0 ? [`tag-${(i / 5) % 50}`] : []
  return {
    ...Turn.make({
      id: `run-${i}`,
      sessionId: `session-${Math.ceil(i / 5)}`,
      owner: ownerOf(i),
      seq: ((i - 1) % 5) + 1,
      task: taskOf(i),
      model: i % 100_000 === 7 ? "model-rare" : `model-${share(i, 4561) % 5}`,
      agentVersion: "bench-1",
      modelParams: null,
      tags,
      createdAt_ms
    }),
    status,
    node: status === "queued" ? null : `node-${share(i, 3181) % 12}`,
    failure: status === "failed" ? (i % 7 === 0 ? "step_limit" : "agent") : null,
    error: status === "failed" ? "An error" : null,
    output: isOver ? { found: "x".repeat(500) } : null,
    cost: i % 21_739 === 1 ? "5.000000001" : String(((i * 37) % 4000) / 1000),
    tokens: { input: 1200, output: 300 },
    dispatchedAt_ms: createdAt_ms,
    startedAt_ms: createdAt_ms,
    finishedAt_ms: isOver ? createdAt_ms + 60_000 : null
  }
}

const sessionRow = ({ createdAt_ms, owner, sessionId: id }: Turn.Turn) => ({
  id,
  revision: 1,
  record: JSON.stringify({
    ...Session.make({ id, thinkingLevel: null, createdAt_ms, owner }),
    revision: 1,
    turnCount: 5
  })
})

const turnRow = (turn: Turn.Turn) => ({
  id: turn.id,
  session_id: turn.sessionId,
  seq: turn.seq,
  owner: turn.owner,
  status: turn.status,
  ended_at_ms: turn.finishedAt_ms,
  usd: Number(turn.cost),
  record: JSON.stringify(turn)
})

/**
 * Writes runs with a session for each five, as rows of the store's tables. A store of a Postgres database that opens
 * afterwards adds them to its lists, as after an update.
 */
export const fill = Effect.fnUntraced(function* (runs: number, log: (line: string) => void) {
  const sql = yield* SqlClient.SqlClient
  const inPostgres = (...texts: ReadonlyArray<string>) =>
    sql.onDialectOrElse({
      pg: () => Effect.forEach(texts, (text) => sql.unsafe(text), { discard: true }),
      orElse: () => Effect.void
    })
  yield* inPostgres(...listed.map((table) => `ALTER TABLE ${table} DISABLE TRIGGER USER`))
  for (let from = 1; from <= runs; from += together) {
    const turns = Arr.makeBy(Math.min(together, runs - from + 1), (index) => turnOf(from + index, runs))
    yield* sql.withTransaction(
      Effect.gen(function* () {
        const first = turns.filter(({ seq }) => seq === 1)
        if (Arr.isReadonlyArrayNonEmpty(first))
          yield* sql`INSERT INTO sessions ${sql.insert(Arr.map(first, sessionRow))}`
        yield* sql`INSERT INTO turns ${sql.insert(Arr.map(turns, turnRow))}`
      })
    )
    if ((from - 1) % 100_000 === 0) log(`${from - 1} runs`)
  }
  yield* inPostgres(
    ...listed.map((table) => `ALTER TABLE ${table} ENABLE TRIGGER USER`),
    ...listed.map(
      (table) => `UPDATE list_fill SET until = (SELECT coalesce(max(n), 0) FROM ${table}) WHERE name = '${table}'`
    )
  )
})

/** Vacuums Postgres and makes its statistics, as autovacuum does a while after rows are written. */
export const vacuum = SqlClient.SqlClient.use((sql) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.scoped(
        Effect.gen(function* () {
          const connection = yield* sql.reserve
          const run = (text: string) => connection.executeUnprepared(text, [], undefined)
          yield* run("SET statement_timeout = 0")
          yield* run("VACUUM (ANALYZE) turns, turn_list, turn_texts, turn_tags, sessions, session_list, spend_days")
          yield* run("RESET statement_timeout")
        })
      ),
    orElse: () => Effect.void
  })
)
