import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flags from "../Flags.ts"
import { program } from "../Program.ts"
import { description } from "@webagent/cli/Description"
import { configured } from "../Configured.ts"

const night = (name: string, what: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(`${what}: a report folder, its report.json, an id of the history, last or last-1`)
  )

/** `compare`: how one night differs from another. What it runs with is loaded when it runs. */
export const compare = configured(
  "compare",
  {
    a: night("before", "The night to compare with"),
    b: night("after", "The night to judge"),
    history: Flags.history,
    json: Flags.json,
    config: Flags.config
  },
  ({ config }) => ({ config }),
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./compareNights.ts")),
      ({ compareNights }) => compareNights(options)
    )
).pipe(
  Command.withDescription(
    description("Compare two nights", {
      0: "no difference seen",
      1: "the second night is worse",
      2: "wrong usage",
      5: "cannot tell",
      6: "the second night is better"
    })
  ),
  Command.withShortDescription("Compare two nights"),
  Command.withExamples([
    { command: `${program} compare last-1 last`, description: "Compare the last two nights of the history" },
    { command: `${program} compare release/ candidate/`, description: "Compare two report folders" }
  ])
)
