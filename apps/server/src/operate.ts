import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { columns, json, jsonOf, print, since } from "./listing.ts"
import { program } from "./program.ts"
import { type Holder, Records } from "./records.ts"
import { from, within } from "./recordsOf.ts"
import { usage } from "@webagent/cli/UserError"

/** Says which server still has to let go, and whether it can. */
const releaseOf = (holder: Holder | null, task: string) => {
  if (holder === null) return ""
  const { isRunning, node } = holder
  if (isRunning === null) return ` If a server is running, it ${task} within a second.`
  return isRunning ? ` Node ${node} ${task} within a few seconds.` : ` Its node ${node} isn't running.`
}

const id = (what: string) => Argument.String("id").pipe(Argument.withDescription(`The id of the ${what}`))

const unknown = (what: string, asked: string, { flag, name }: typeof Records.Service) =>
  Effect.fail(usage(`${name} has no ${what} ${asked}. List them: ${program} ${what}s ${flag}`))

/** `runs cancel`. */
export const cancel = Command.make("cancel", { id: id("run"), ...from }, ({ id: asked, ...from }) =>
  within(
    from,
    Effect.gen(function* () {
      const records = yield* Records
      const run = yield* records.cancelRun(asked.toLowerCase())
      if (run === undefined) return yield* unknown("run", asked, records)
      yield* Console.log(
        run.changed
          ? `Cancelled run ${run.id}.${releaseOf(run.holder, "stops its agent")}`
          : `Run ${run.id} is ${run.status} already. Nothing was changed.`
      )
    })
  )
).pipe(Command.withDescription("Cancel a run of any key, even while servers use the database"))

const stop = Command.make("stop", { id: id("browser"), ...from }, ({ id: asked, ...from }) =>
  within(
    from,
    Effect.gen(function* () {
      const records = yield* Records
      const browser = yield* records.stopBrowser(asked.toLowerCase())
      if (browser === undefined) return yield* unknown("browser", asked, records)
      yield* Console.log(
        browser.changed
          ? `Stopped browser ${browser.id}.${releaseOf(browser.holder, "closes it")}`
          : `Browser ${browser.id} is stopped already. Nothing was changed.`
      )
    })
  )
).pipe(Command.withDescription("Stop a browser of any key, even while servers use the database"))

/** `browsers` and `browsers stop`. */
export const browsers = Command.make("browsers", { ...from, json }, ({ json, ...from }) =>
  within(
    from,
    Effect.gen(function* () {
      const records = yield* Records
      const all = yield* records.browsers
      if (json) return yield* Console.log(jsonOf(all))
      if (all.length === 0) return yield* Console.error(`${records.name} has no open browsers.`)
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
  Command.withDescription("List the open browsers in a database or a server, the oldest first"),
  Command.withSubcommands([stop])
)
