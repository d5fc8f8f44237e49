import type { Node } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { switched } from "@webagent/cli/Flags"
import { columns, json, jsonOf, print, shownOf, since } from "./listing.ts"
import { cancel } from "./operate.ts"
import { program } from "./program.ts"
import { type ListedNode, mostRuns, Records } from "./records.ts"
import { from, within } from "./recordsOf.ts"
import { usage } from "@webagent/cli/UserError"

/** A node with the fields of `--json`, in the same order from each source. */
const viewOf = ({ address, browsers, draining, id, name, room, sessions, startedAt_ms }: ListedNode): ListedNode => ({
  id,
  name,
  address,
  room,
  draining,
  startedAt_ms,
  sessions,
  browsers
})

/** `nodes`. */
export const nodes = Command.make("nodes", { ...from, json }, ({ json, ...from }) =>
  within(
    from,
    Effect.gen(function* () {
      const records = yield* Records
      const all = yield* records.nodes
      if (json) return yield* Console.log(JSON.stringify(all.map(viewOf)))
      if (all.length === 0) return yield* Console.error(`No node uses ${records.name} right now.`)
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
).pipe(Command.withDescription("List the nodes that share a database, with the sessions and browsers of each"))

/** The node that is meant: by its id, or by a name that no other has. */
const meant = (all: ReadonlyArray<Node>, asked: string, { flag, name }: typeof Records.Service) => {
  const exact = all.filter(({ id }) => id === asked)
  const found = exact.length > 0 ? exact : all.filter((node) => node.name === asked)
  const [node] = found
  if (node !== undefined && found.length === 1) return Effect.succeed(node)
  return Effect.fail(
    usage(
      node === undefined
        ? `No node of ${name} is named ${asked}. List them: ${program} nodes ${flag}`
        : `${found.length} nodes are named ${asked}. Choose one by its id: ${found.map(({ id }) => id).join(", ")}.`
    )
  )
}

const undo = switched("undo", "Let the node take new runs and browsers again")

/** `drain`. */
export const drain = Command.make(
  "drain",
  { node: Argument.String("node").pipe(Argument.withDescription("The name or id of a node")), undo, ...from },
  ({ node: asked, undo, ...from }) =>
    within(
      from,
      Effect.gen(function* () {
        const records = yield* Records
        const all = yield* records.nodes
        const { id } = yield* meant(all, asked, records)
        yield* records.drain(id, !undo)
        if (undo) return yield* Console.log(`${id} takes new runs and browsers again, within a second.`)
        const { browsers = 0, sessions = 0 } = all.find((node) => node.id === id) ?? {}
        const hasOthers = all.some((node) => node.id !== id && !node.draining)
        const instead = hasOthers
          ? "Other nodes start its queued runs."
          : "No other node accepts work, so it refuses creates with 503."
        yield* Console.log(
          `${id} drains: it starts no new run or browser. ${instead} Running sessions: ${sessions}, browsers: ${browsers}. Stop the node when both are 0, or add --undo to end the drain.`
        )
      })
    )
).pipe(Command.withDescription("Drain a node: finish its runs and start nothing new, so that you can stop it"))

const longestTask = 60
const longestError = 100

/** `runs`. */
export const runs = Command.make(
  "runs",
  {
    ...from,
    json,
    open: switched(
      "open",
      `List only unfinished runs, the longest-waiting first (default: the newest ${mostRuns.newest})`
    )
  },
  ({ json, open, ...from }) =>
    within(
      from,
      Effect.gen(function* () {
        const records = yield* Records
        const all = yield* records.runs(open)
        if (json) return yield* Console.log(jsonOf(all))
        if (all.length === 0) return yield* Console.error(`${records.name} has no ${open ? "open runs" : "runs"}.`)
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
).pipe(
  Command.withDescription("List the runs in a database or a server, as they are right now"),
  Command.withSubcommands([cancel])
)
