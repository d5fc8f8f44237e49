import { type Node, Store, Turn } from "@webagent/engine"
import { SqlStore } from "@webagent/sql"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as SqlClient from "effect/sql/SqlClient"
import { type Data, layerExisting } from "./data.ts"
import { orSentence } from "./orSentence.ts"
import { columns, json, jsonOf, print, shownOf, since } from "./listing.ts"
import { heldBy } from "./installation.ts"
import { cancel } from "./operate.ts"
import { program } from "./program.ts"
import { data } from "./settings.ts"
import { usage } from "@webagent/cli/UserError"

const within = <A, E>(data: Data, use: Effect.Effect<A, E, Store | SqlClient.SqlClient>) =>
  orSentence(Effect.provide(use, Layer.provideMerge(SqlStore.layer, layerExisting(data))))

/** The nodes of a database; a file has one server, and no list of them. */
const nodesOf = (data: Data) =>
  data._tag === "File"
    ? Effect.fail(
        usage(
          `${data.name} is a file, which one server uses at a time. Nodes share a Postgres database: --data postgres://user@host/name.`
        )
      )
    : Store.use((store) => store.nodes)

const listed = Effect.fnUntraced(function* (data: Data) {
  const nodes = yield* nodesOf(data)
  const held = yield* heldBy
  return nodes.map((node) => ({ ...node, ...(held.get(node.id) ?? { sessions: 0, browsers: 0 }) }))
})

/** `nodes`. */
export const nodes = Command.make("nodes", { data, json }, ({ data, json }) =>
  within(
    data,
    Effect.gen(function* () {
      const all = yield* listed(data)
      if (json) return yield* Console.log(JSON.stringify(all))
      if (all.length === 0) return yield* Console.error(`No node uses ${data.name} right now.`)
      const now_ms = yield* Clock.currentTimeMillis
      const rows = all.map((node) => [
        node.name,
        node.draining ? "draining" : "up",
        since(node.startedAt_ms, now_ms),
        `${node.sessions}`,
        `${node.browsers}`,
        node.address ?? "no address",
        node.id
      ])
      yield* print(columns([["NAME", "STATE", "SINCE", "SESSIONS", "BROWSERS", "ADDRESS", "ID"], ...rows]))
    })
  )
).pipe(Command.withDescription("List the nodes that share a database, and what each has at work"))

/** The node that is meant: by its id, or by a name that no other has. */
const meant = (all: ReadonlyArray<Node>, asked: string, data: Data) => {
  const exact = all.filter(({ id }) => id === asked)
  const found = exact.length > 0 ? exact : all.filter(({ name }) => name === asked)
  const [node] = found
  if (node !== undefined && found.length === 1) return Effect.succeed(node)
  return Effect.fail(
    usage(
      node === undefined
        ? `No node of ${data.name} is named ${asked}. List them: ${program} nodes --data ${data.name}`
        : `${found.length} nodes are named ${asked}. Choose one by its id: ${found.map(({ id }) => id).join(", ")}.`
    )
  )
}

const undo = Flag.Boolean("undo").pipe(
  Flag.withDescription("Let the node take new runs and browsers again"),
  Flag.withDefault(false)
)

/** `drain`. */
export const drain = Command.make(
  "drain",
  { node: Argument.String("node").pipe(Argument.withDescription("The name or id of a node")), undo, data },
  ({ data, node: asked, undo }) =>
    within(
      data,
      Effect.gen(function* () {
        const all = yield* listed(data)
        const { id } = yield* meant(all, asked, data)
        yield* Store.use((store) => store.drain(id, !undo))
        if (undo) return yield* Console.log(`${id} takes new runs and browsers again, within a second.`)
        const { browsers = 0, sessions = 0 } = all.find((node) => node.id === id) ?? {}
        const hasOthers = all.some((node) => node.id !== id && !node.draining)
        const instead = hasOthers
          ? "Other nodes start what it gets."
          : "No other node takes work, so it answers creates with 503."
        yield* Console.log(
          `${id} drains: it starts no new run or browser. ${instead} Running sessions: ${sessions}, browsers: ${browsers}. Stop the node when both are 0, or add --undo to end the drain.`
        )
      })
    )
).pipe(Command.withDescription("Drain a node: it finishes its runs and starts no new run or browser; then stop it"))

/** Maximum number of listed runs: of the unfinished ones, and of all. */
const mostOpen = 1000
const newest = 100

const longestTask = 60
const longestError = 100

const viewOf = (turn: Turn.Turn, node: string | null) => {
  const { cost, createdAt_ms, error, finishedAt_ms, id, model, owner, sessionId, status, steps, task } = turn
  const reason = Turn.isTerminal(status) ? Turn.reasonOf(turn) : null
  return { id, status, reason, error, node, sessionId, owner, model, cost, steps, createdAt_ms, finishedAt_ms, task }
}

/** `runs`. */
export const runs = Command.make(
  "runs",
  {
    data,
    json,
    open: Flag.Boolean("open").pipe(
      Flag.withDescription(
        `List the runs that are not over, the longest waiting first (default: the newest ${newest})`
      ),
      Flag.withDefault(false)
    )
  },
  ({ data, json, open }) =>
    within(
      data,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const found = yield* sql<{
          readonly record: string
          readonly node: string | null
        }>`SELECT turns.record AS record,
            CASE WHEN sessions.lease_turn = turns.id THEN sessions.lease_node END AS node
          FROM turns JOIN sessions ON sessions.id = turns.session_id
          ${open ? sql`WHERE turns.ended_at_ms IS NULL ORDER BY turns.n LIMIT ${mostOpen}` : sql`ORDER BY turns.n DESC LIMIT ${newest}`}`
        const all = found.map(({ node, record }) => viewOf(JSON.parse(record) as Turn.Turn, node))
        if (json) return yield* Console.log(jsonOf(all))
        if (all.length === 0) return yield* Console.error(`${data.name} has no ${open ? "open runs" : "runs"}.`)
        const now_ms = yield* Clock.currentTimeMillis
        const rows = all.map((run) => [
          run.id,
          run.status,
          run.reason ?? "-",
          since(run.createdAt_ms, now_ms),
          `${run.steps}`,
          run.cost ?? "-",
          run.owner ?? "-",
          run.node ?? "-",
          shownOf(run.task, longestTask),
          shownOf(run.error ?? "-", longestError)
        ])
        const titles = ["ID", "STATUS", "REASON", "SINCE", "STEPS", "USD", "KEY", "NODE", "TASK", "ERROR"]
        yield* print(columns([titles, ...rows]))
      })
    )
).pipe(Command.withDescription("List the runs of a database, as they are right now"), Command.withSubcommands([cancel]))
