import { Browser, Session, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

/** Levels of a record that no database reads as JSON. */
const depth = 12_000

/** JSON that is nested this deep. */
export const deepText = `${"[".repeat(depth)}${"]".repeat(depth)}`

/** A record without the fields of lists, as the version before stored it. */
const recordOf = (turn: Turn.Turn, modelParams = "null") => {
  const { node: _node, tags: _tags, title: _title, ...before } = turn
  return JSON.stringify(before).replace('"modelParams":null', `"modelParams":${modelParams}`)
}

const turnOf = (index: number, change: Partial<Turn.Turn> = {}): Turn.Turn => ({
  ...Turn.make({
    id: `t${index}`,
    sessionId: `s${index}`,
    owner: index % 2 === 0 ? "ann" : "bob",
    task: `Find mug ${index}`,
    model: "m",
    agentVersion: "1",
    modelParams: null,
    createdAt_ms: 1000 + index
  }),
  ...change
})

/** Inserts a session with its turn, as the version before did; `modelParams` are JSON. */
export const insertOld = Effect.fnUntraced(function* (
  index: number,
  change: Partial<Turn.Turn> = {},
  modelParams?: string
) {
  const sql = yield* SqlClient.SqlClient
  const turn = turnOf(index, change)
  const { createdAt_ms, owner, sessionId } = turn
  const session = { ...Session.make({ id: sessionId, thinkingLevel: null, createdAt_ms, owner }), turnCount: 1 }
  yield* sql`INSERT INTO sessions ${sql.insert({ id: sessionId, revision: 1, record: JSON.stringify(session) })}`
  yield* sql`INSERT INTO turns ${sql.insert({
    id: turn.id,
    session_id: sessionId,
    seq: 1,
    owner,
    status: turn.status,
    ended_at_ms: turn.finishedAt_ms,
    usd: Number(turn.cost ?? 0),
    record: recordOf(turn, modelParams)
  })}`
})

/** Ends the turn of a session, as the version before did, at a node. */
export const endOld = Effect.fnUntraced(function* (index: number, node: string) {
  const sql = yield* SqlClient.SqlClient
  const status = "failed" as const
  const turn = turnOf(index, { status, failure: "step_limit", cost: "0.5", finishedAt_ms: 86_400_000 + index })
  yield* sql`UPDATE sessions SET lease_node = ${node}, lease_turn = ${turn.id} WHERE id = ${turn.sessionId}`
  yield* sql`UPDATE turns SET status = ${status}, ended_at_ms = ${turn.finishedAt_ms}, usd = 0.5,
    record = ${recordOf(turn)} WHERE id = ${turn.id}`
  yield* sql`UPDATE sessions SET lease_node = NULL, lease_turn = NULL, stopped_at_ms = 9 WHERE id = ${turn.sessionId}`
})

/** Records of all kinds, including some that databases read with difficulty. */
export const insertAllOld = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let index = 1; index <= 5; index++) yield* insertOld(index)
  yield* insertOld(6, { task: "NUL \0 and half a pair \ud83d of a mug, and \\u0000", owner: "ann" })
  yield* insertOld(7, { owner: "ann", createdAt_ms: 5000 }, deepText)
  yield* endOld(2, "north")
  const browser = Browser.make({ id: "b1", proxyCountryCode: null, startedAt_ms: 3, owner: "ann", node: "north" })
  const row = { id: "b1", revision: 1, owner: "ann", node: "north", record: JSON.stringify(browser) }
  yield* sql`INSERT INTO browsers ${sql.insert(row)}`
})
