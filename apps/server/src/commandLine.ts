import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CommandLine from "@webagent/cli/CommandLine"
import { quoted } from "@webagent/cli/Program"
import * as Settings from "@webagent/cli/Settings"
import { version } from "@webagent/server/Version"
import * as SimulateCommand from "@webagent/simulation/SimulateCommand"
import { usage } from "@webagent/cli/UserError"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { backup, migrate, prune } from "./database.ts"
import { drain, nodes, runs } from "./inspect.ts"
import { keys } from "./keys.ts"
import { mcp } from "./mcp.ts"
import { browsers } from "./operate.ts"
import { program } from "./program.ts"
import { schedules } from "./schedules.ts"
import { serve } from "./serve.ts"
import { serveFields } from "./settings.ts"
import { webhooks } from "./webhooks.ts"

const simulate = SimulateCommand.make("simulate", { config: Settings.config })

const root = Command.make("webagent-server").pipe(
  Command.withDescription("Serve v2, v3 and v4 of the web-agent service, and operate such a server"),
  Command.withSubcommands([
    serve,
    simulate,
    keys,
    nodes,
    drain,
    runs,
    browsers,
    webhooks,
    schedules,
    migrate,
    backup,
    prune,
    mcp
  ])
)

/** The settings that a configuration file may have, by command. */
const settings = {
  simulate: [...Object.keys(SimulateCommand.simulateSettings), "apiKey"],
  serve: serveFields
}

/** The flags of the commands that serve. */
const flags = {
  simulate: [...settings.simulate, "config", "controlKey", "quiet", "json"].map(Settings.flagOf),
  serve: [...settings.serve, "config"].map(Settings.flagOf)
}

/** Flags whose values may be secrets. */
const secretFlags = ["--admin-key", "--api-key", "--control-key", "--country-proxies", "--data"]

/** Quotes arguments for a shell, and leaves out values that may be secrets. */
const shown = (args: ReadonlyArray<string>) =>
  args.map((arg, index) => {
    if (secretFlags.includes(args[index - 1] ?? "")) return "..."
    const secret = secretFlags.find((flag) => arg.startsWith(`${flag}=`))
    return secret === undefined ? quoted(arg) : `${secret}=...`
  })

/** Names the command to use if the arguments have flags only. */
const checkCommand = (args: ReadonlyArray<string>) => {
  if (args[0] !== undefined && !args[0].startsWith("--")) return Effect.void
  const given = args.flatMap((arg) => /^--[^=]+/u.exec(arg) ?? [])
  const commands = (["simulate", "serve"] as const)
    .filter((command) => given.every((flag) => flags[command].includes(flag)))
    .map((command) => [program, command, ...shown(args)].join(" "))
  if (commands.length === 0) return Effect.void
  return Effect.fail(usage(`No command. Use: ${commands.join("\nOr, to keep runs in a database: ")}`))
}

/** The command line; a failure is printed. */
export const commandLine = CommandLine.run(root, {
  program,
  version,
  check: checkCommand,
  flags,
  settings: Settings.layerFile(settings, "serve")
})

/** Runs the command line of this process, and ends the process. */
export const main = () =>
  commandLine.pipe(
    Effect.provide(NodeServices.layer),
    NodeRuntime.runMain({ disableErrorReporting: true, teardown: CommandLine.teardown })
  )
