import { loading } from "@webagent/cli/Loading"
import * as Command from "effect/cli/Command"
import * as Flags from "../Flags.ts"
import { program } from "../Program.ts"

/** `init`: a project that runs suites. What it runs with is loaded when it runs. */
export const init = Command.make(
  "init",
  { dryRun: Flags.switched("dry-run", "Print the files without writing them") },
  (options) => loading(async () => (await import("./initProject.ts")).initProject(options))
).pipe(
  Command.withDescription(
    "Write a configuration, a first suite, a nightly workflow, .gitignore lines and package scripts. Existing files stay as they are"
  ),
  Command.withShortDescription("Set up a project: configuration, first suite, nightly"),
  Command.withExamples([{ command: `${program} init --dry-run`, description: "Print the files without writing them" }])
)
