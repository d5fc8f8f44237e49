import { help } from "../Help.ts"
import { loading } from "@webagent/cli/Loading"
import * as Flags from "../Flags.ts"
import { suites } from "../RunFlags.ts"
import { configured } from "../Configured.ts"

/** `list`: what `run` can run. What it runs with is loaded when it runs. */
export const list = configured(
  "list",
  { suites, builtIn: Flags.builtIn, json: Flags.json, config: Flags.config },
  (wanted) => loading(async () => (await import("./listSuites.ts")).listSuites(wanted)),
  ({ suites }) => suites
).pipe(help("List suites with scenarios, needs and tags", { exits: { 0: "listed", 2: "wrong usage" } }))
