import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CommandLine from "@webagent/cli/CommandLine"
import * as Settings from "@webagent/cli/Settings"
import { version } from "@webagent/server/Version"
import * as SimulateCommand from "@webagent/simulation/SimulateCommand"
import { usage } from "@webagent/cli/UserError"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import { flagGroups } from "./flagGroups.ts"
import { program } from "./program.ts"
import { serve } from "./serve.ts"
import { renamed, serveFields } from "./settings.ts"
import { shownCommand } from "./shownCommand.ts"

const simulate = SimulateCommand.make("simulate", { config: Settings.config })

const root = Command.make("webagent-server").pipe(
  Command.withDescription("Serve v2, v3 and v4 of the web-agent service, and manage servers")
)

/** Loads the commands of operators, unless the arguments begin with a command that serves: it starts sooner without them. */
const commandFor = ([name]: ReadonlyArray<string>) =>
  name === "serve" || name === "simulate"
    ? Effect.succeed(Command.withSubcommands(root, [serve, simulate]))
    : Effect.map(
        Effect.promise(() => import("./operatorCommands.ts")),
        ({ operatorCommands }) => Command.withSubcommands(root, [serve, simulate, ...operatorCommands])
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

/** Names the command to use if the arguments have flags only. */
const checkCommand = (args: ReadonlyArray<string>) => {
  if (args[0] !== undefined && !args[0].startsWith("--")) return Effect.void
  const given = args.flatMap((arg) => /^--[^=]+/u.exec(arg) ?? [])
  const commands = (["simulate", "serve"] as const)
    .filter((command) => given.every((flag) => flags[command].includes(flag)))
    .map((command) => shownCommand([command, ...args]))
  if (commands.length === 0) return Effect.void
  return Effect.fail(usage(`No command. Use: ${commands.join("\nOr, to keep runs in a database: ")}`))
}

/** The command line; a failure is printed. */
export const commandLine = Stdio.Stdio.use(({ args }) => Effect.flatMap(args, commandFor)).pipe(
  Effect.flatMap((command) =>
    CommandLine.run(command, {
      program,
      version,
      check: checkCommand,
      flags,
      groups: flagGroups,
      renamed: Settings.renamedFlags(renamed),
      settings: Settings.layerFile(settings, "serve", renamed)
    })
  )
)

/** Runs the command line of this process, and ends the process. */
export const main = () =>
  commandLine.pipe(
    Effect.provide(NodeServices.layer),
    NodeRuntime.runMain({ disableErrorReporting: true, teardown: CommandLine.teardown })
  )
