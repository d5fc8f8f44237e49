import * as CommandLine from "@webagent/cli/CommandLine"
import { version } from "@webagent/server"
import * as Command from "effect/cli/Command"
import { backup, keys, migrate, prune } from "./database.ts"
import { drain, nodes, runs } from "./inspect.ts"
import { mcp } from "./mcp.ts"
import { browsers } from "./operate.ts"
import { program } from "./program.ts"
import { serve } from "./serve.ts"
import { layerConfigFile } from "./settings.ts"

/** The command line; a failure is printed. */
export const commandLine = CommandLine.run(
  serve.pipe(Command.withSubcommands([keys, nodes, drain, runs, browsers, migrate, backup, prune, mcp])),
  { program, version, settings: layerConfigFile }
)
