import {
  type Browser,
  type BrowserNotFound,
  Operator,
  Store,
  type StoreUnavailable,
  type TurnNotFound
} from "@webagent/engine"
import { PostgresHints, SqlStore } from "@webagent/sql"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as SqlClient from "effect/sql/SqlClient"
import { type Data, layerExisting } from "./data.ts"
import { orSentence } from "./orSentence.ts"
import { columns, json, jsonOf, print, since } from "./listing.ts"
import { program } from "./program.ts"
import { data } from "./settings.ts"
import { usage } from "@webagent/cli/UserError"

/** Runs an operator's command over a database that servers may be using. */
export const operating = <A, E>(data: Data, use: Effect.Effect<A, E, Operator | Store | SqlClient.SqlClient>) => {
  const hints = data._tag === "Postgres" ? PostgresHints.layer(data.url) : Layer.empty
  const parts = Operator.layer.pipe(Layer.provide(hints), Layer.provideMerge(SqlStore.layer))
  return orSentence(Effect.provide(use, Layer.provideMerge(parts, layerExisting(data))))
}

/** Says which server still has to let go, and whether it can. */
const holder = Effect.fnUntraced(function* (data: Data, node: string | null, task: string) {
  if (node === null) return ""
  if (data._tag === "File") return ` If a server is running, it ${task} within a second.`
  const living = yield* Store.use((store) => store.node(node))
  return living._tag === "Some" ? ` Node ${node} ${task} within a few seconds.` : ` Its node ${node} isn't running.`
})

const id = (what: string) => Argument.String("id").pipe(Argument.withDescription(`The id of the ${what}`))

const unknown = (what: string, asked: string, data: Data) =>
  Effect.fail(usage(`${data.name} has no ${what} ${asked}. List them: ${program} ${what}s --data ${data.name}`))

/** `runs cancel`. */
export const cancel = Command.make("cancel", { id: id("run"), data }, ({ data, id: asked }) =>
  operating(
    data,
    Effect.gen(function* () {
      const cancelled = Operator.use(({ cancelTurn }) => cancelTurn(asked.toLowerCase()))
      const { changed, node, record } = yield* Effect.catchTag(cancelled, "TurnNotFound", () =>
        unknown("run", asked, data)
      )
      yield* Console.log(
        changed
          ? `Cancelled run ${record.id}.${yield* holder(data, node, "stops its agent")}`
          : `Run ${record.id} is ${record.status} already. Nothing was changed.`
      )
    })
  )
).pipe(Command.withDescription("Cancel a run of any key, even while servers use the database"))

const stop = Command.make("stop", { id: id("browser"), data }, ({ data, id: asked }) =>
  operating(
    data,
    Effect.gen(function* () {
      const stopped = Operator.use(({ stopBrowser }) => stopBrowser(asked.toLowerCase()))
      const { changed, node, record } = yield* Effect.catchTag(stopped, "BrowserNotFound", () =>
        unknown("browser", asked, data)
      )
      yield* Console.log(
        changed
          ? `Stopped browser ${record.id}.${yield* holder(data, node, "closes it")}`
          : `Browser ${record.id} is stopped already. Nothing was changed.`
      )
    })
  )
).pipe(Command.withDescription("Stop a browser of any key, even while servers use the database"))

/** Maximum number of listed browsers. */
const mostBrowsers = 1000

/** `browsers` and `browsers stop`. */
export const browsers = Command.make("browsers", { data, json }, ({ data, json }) =>
  operating(
    data,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly record: string }>`SELECT record FROM browsers WHERE stopped_at_ms IS NULL
        ORDER BY n LIMIT ${mostBrowsers}`
      const all = rows.map(({ record }) => {
        const { id, node, owner, startedAt_ms, status } = JSON.parse(record) as Browser.Browser
        return { id, status, owner, node, startedAt_ms }
      })
      if (json) return yield* Console.log(jsonOf(all))
      if (all.length === 0) return yield* Console.error(`${data.name} has no open browsers.`)
      const now_ms = yield* Clock.currentTimeMillis
      yield* print(
        columns([
          ["ID", "STATUS", "SINCE", "KEY", "NODE"],
          ...all.map(({ id, node, owner, startedAt_ms, status }) => [
            id,
            status,
            since(startedAt_ms, now_ms),
            owner ?? "-",
            node ?? "-"
          ])
        ])
      )
    })
  )
).pipe(
  Command.withDescription("List the open browsers of a database, the oldest first"),
  Command.withSubcommands([stop])
)

/** Number of runs and browsers of a key that are stopped per batch, and the maximum number of batches. */
const batch = 200
const mostBatches = 500

/** Cancels the runs and stops the browsers of an owner. A revoked key creates none meanwhile, so this comes to an end. */
export const stopOwned = Effect.fnUntraced(function* (owner: string) {
  const sql = yield* SqlClient.SqlClient
  const operator = yield* Operator
  const stopped = { runs: 0, browsers: 0 }
  type Row = { readonly id: string }
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
          Effect.catchTags(end(id), {
            TurnNotFound: () => Effect.succeed({ changed: false }),
            BrowserNotFound: () => Effect.succeed({ changed: false })
          })
        ),
        (all) => all.filter(({ changed }) => changed).length
      )
    stopped.runs += yield* each(runs, operator.cancelTurn)
    stopped.browsers += yield* each(browsers, operator.stopBrowser)
  }
  return { ...stopped, isComplete: false }
})
