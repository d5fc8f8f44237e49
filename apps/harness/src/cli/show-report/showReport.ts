import { help } from "../Help.ts"
import { loading } from "@webagent/cli/Loading"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"

/** `show-report`: the page of a run. What it runs with is loaded when it runs. */
export const showReport = Command.make(
  "show-report",
  {
    run: Argument.String("run").pipe(
      Argument.withDescription("A report folder (default: the newest of .webagent/runs)"),
      Argument.optional,
      Argument.map(Option.getOrUndefined)
    )
  },
  ({ run }) => loading(async () => (await import("./openReport.ts")).openReport(run))
).pipe(
  help("Open the page of a run", {
    does: "Open the page of a run, and print its address",
    exits: { 0: "opened, or printed if there is no display", 2: "no such report" },
    examples: { "show-report": "The newest run" }
  })
)
