import {
  ApiKeys,
  type Browser,
  type BrowserNotFound,
  Operator,
  Store,
  type StoreUnavailable,
  Turn,
  type TurnNotFound
} from "@webagent/engine"
import { PostgresHints, SqlApiKeys, SqlStore } from "@webagent/sql"
import { usage } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { Data } from "./data.ts"
import type { layerDatabase } from "./databaseLayers.ts"
import { heldBy } from "./installation.ts"
import { orSentence } from "./orSentence.ts"
import { type Holder, mostBrowsers, mostRuns, Records } from "./records.ts"

const runOf = (turn: Turn.Turn, node: string | null) => {
  const { cost, createdAt_ms, error, finishedAt_ms, id, model, owner, sessionId, status, steps, task } = turn
  const reason = Turn.isTerminal(status) ? Turn.reasonOf(turn) : null
  return { id, status, reason, error, node, sessionId, owner, model, cost, steps, createdAt_ms, finishedAt_ms, task }
}

/** Number of runs and browsers of a key that are stopped per batch, and the maximum number of batches. */
const batch = 200
const mostBatches = 500

type Row = { readonly id: string }

/** Cancels the runs and stops the browsers of an owner. A revoked key creates none meanwhile, so this comes to an end. */
const stopOwned = Effect.fnUntraced(function* (owner: string) {
  const sql = yield* SqlClient.SqlClient
  const operator = yield* Operator
  const stopped = { runs: 0, browsers: 0 }
  for (let round = 0; round < mostBatches; round++) {
    const runs = yield* sql<Row>`SELECT id FROM turns WHERE owner = ${owner} AND ended_at_ms IS NULL LIMIT ${batch}`
    const browsers = yield* sql<Row>`SELECT id FROM browsers
      WHERE owner = ${owner} AND stopped_at_ms IS NULL LIMIT ${batch}`
    if (runs.length === 0 && browsers.length === 0) return { ...stopped, isComplete: true }
    const each = (
      rows: ReadonlyArray<Row>,
      end: (
        id: string
      ) => Effect.Effect<{ readonly changed: boolean }, StoreUnavailable | TurnNotFound | BrowserNotFound>
    ) =>
      Effect.map(
        Effect.forEach(rows, ({ id }) =>
          // pruned meanwhile
          Effect.catchTag(end(id), ["TurnNotFound", "BrowserNotFound"], () => Effect.succeed({ changed: false }))
        ),
        (all) => all.filter(({ changed }) => changed).length
      )
    stopped.runs += yield* each(runs, operator.cancelTurn)
    stopped.browsers += yield* each(browsers, operator.stopBrowser)
  }
  return { ...stopped, isComplete: false }
})

const make = Effect.fnUntraced(function* (data: Data) {
  const sql = yield* SqlClient.SqlClient
  const store = yield* Store
  const operator = yield* Operator
  const keys = yield* ApiKeys
  const context = yield* Effect.context<SqlClient.SqlClient | Operator>()
  const isFile = data._tag === "File"

  /** The node that still has a record, and whether it can release it. */
  const holderOf = Effect.fnUntraced(function* (node: string | null) {
    if (node === null) return null
    const isRunning = isFile ? null : (yield* store.node(node))._tag === "Some"
    return { node, isRunning } satisfies Holder
  })

  /** The record that an operator has ended; undefined if it doesn't exist. */
  const ended = (end: ReturnType<typeof operator.cancelTurn> | ReturnType<typeof operator.stopBrowser>) =>
    Effect.gen(function* () {
      const { changed, node, record } = yield* end
      return { id: record.id, status: record.status, changed, holder: yield* holderOf(node) }
    }).pipe(
      Effect.catchTag(["TurnNotFound", "BrowserNotFound"], () => Effect.succeed(undefined)),
      orSentence
    )

  const runs = Effect.fnUntraced(function* (open: boolean) {
    const rows = yield* sql<{ readonly record: string; readonly node: string | null }>`SELECT turns.record AS record,
        CASE WHEN sessions.lease_turn = turns.id THEN sessions.lease_node END AS node
      FROM turns JOIN sessions ON sessions.id = turns.session_id
      ${open ? sql`WHERE turns.ended_at_ms IS NULL ORDER BY turns.n LIMIT ${mostRuns.open}` : sql`ORDER BY turns.n DESC LIMIT ${mostRuns.newest}`}`
    return rows.map(({ node, record }) => runOf(JSON.parse(record) as Turn.Turn, node))
  })

  const browsers = Effect.gen(function* () {
    const rows = yield* sql<{ readonly record: string }>`SELECT record FROM browsers WHERE stopped_at_ms IS NULL
      ORDER BY n LIMIT ${mostBrowsers}`
    return rows.map(({ record }) => {
      const { id, node, owner, startedAt_ms, status } = JSON.parse(record) as Browser.Browser
      return { id, status, owner, node, startedAt_ms }
    })
  })

  const nodes = Effect.gen(function* () {
    // a file has one server, and no list of them
    if (isFile) {
      return yield* usage(
        `${data.name} is a file, which one server uses at a time. Nodes share a Postgres database: --data postgres://user@host/name.`
      )
    }
    const all = yield* store.nodes
    const held = yield* Effect.provide(heldBy, context)
    return all.map((node) => ({ ...node, ...(held.get(node.id) ?? { sessions: 0, browsers: 0 }) }))
  })

  const isRevoked = (name: string) => Effect.map(keys.revokedOf([name]), (revoked) => revoked.has(name))

  return Records.of({
    name: data.name,
    flag: `--data ${data.name}`,
    runs,
    cancelRun: (id) => ended(operator.cancelTurn(id)),
    browsers,
    stopBrowser: (id) => ended(operator.stopBrowser(id)),
    nodes: orSentence(nodes),
    drain: (node, draining) => orSentence(Effect.asVoid(store.drain(node, draining))),
    keys: orSentence(keys.list),
    createKey: (request) => orSentence(Effect.map(keys.create(request), ({ secret }) => secret)),
    revokeKey: (name) =>
      keys.revoke(name).pipe(
        Effect.as("revoked" as const),
        Effect.catchTag("KeyNotFound", () =>
          Effect.map(isRevoked(name), (revoked) => (revoked ? ("already" as const) : ("unknown" as const)))
        ),
        orSentence
      ),
    stopOwned: (name) => orSentence(Effect.provide(stopOwned(name), context))
  })
})

/** The records of a database that servers may be using. */
export const layer = (data: Data, database: ReturnType<typeof layerDatabase>) => {
  const hints = data._tag === "Postgres" ? PostgresHints.layer(data.url) : Layer.empty
  const parts = Layer.merge(
    Operator.layer.pipe(Layer.provide(hints), Layer.provideMerge(SqlStore.layer)),
    SqlApiKeys.layer
  )
  return Layer.effect(Records, make(data)).pipe(Layer.provide(Layer.provideMerge(parts, database)))
}
