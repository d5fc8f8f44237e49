import { version } from "@webagent/simulation"
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import { backup, keys, migrate, prune } from "./database.ts"
import { drain, nodes, runs } from "./inspect.ts"
import { mcp } from "./mcp.ts"
import { browsers } from "./operate.ts"
import { layerPresenter, UserError, report } from "./UserError.ts"
import { serve } from "./serve.ts"
import { layerConfigFile } from "./settings.ts"

/** The command line, with what a failure prints; the arguments are those that it is run with. */
export const commandLine = (args: ReadonlyArray<string>) =>
  serve.pipe(
    Command.withSubcommands([keys, nodes, drain, runs, browsers, migrate, backup, prune, mcp]),
    Command.run({ version }),
    Effect.provide(layerConfigFile(args)),
    Effect.catchTags({
      // the presenter has said what is wrong
      ShowHelp: ({ errors }) => (errors.length === 0 ? Effect.void : Effect.fail(new UserError({ sentence: "" }))),
      "webagent/UserError": report
    }),
    Effect.provide(layerPresenter),
    // every command has a help
    Effect.provide(CliConfig.layer({ builtIns: GlobalFlag.BuiltIns.filter((flag) => flag !== GlobalFlag.Wizard) }))
  )

/** Ctrl-C is how a server ends. */
export const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)
