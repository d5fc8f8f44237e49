import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { description } from "@webagent/cli/Description"
import { program } from "../Program.ts"

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
  ({ run }) =>
    Effect.flatMap(
      Effect.promise(() => import("./openReport.ts")),
      ({ openReport }) => openReport(run)
    )
).pipe(
  Command.withDescription(
    description("Open the page of a run, and print its address", {
      0: "opened, or only printed where there is no display",
      2: "no such report"
    })
  ),
  Command.withShortDescription("Open the page of a run"),
  Command.withExamples([{ command: `${program} show-report`, description: "The newest run" }])
)
