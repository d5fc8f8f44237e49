import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flags from "../Flags.ts"
import { program } from "../Program.ts"

const night = (name: string, what: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(`${what}: a report folder, its report.json, an id of the history, last or last-1`)
  )

/** `compare`: whether one night is worse than another. What it runs with is loaded when it runs. */
export const compare = Command.make(
  "compare",
  {
    a: night("before", "The night to compare with"),
    b: night("after", "The night to judge"),
    history: Flags.history
  },
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./compareNights.ts")),
      ({ compareNights }) => compareNights(options)
    )
).pipe(
  Command.withDescription(
    "Compare two nights. Exit code 0: no evidence that the second is worse, 1: it is worse, 2: wrong arguments"
  ),
  Command.withShortDescription("Compare two nights"),
  Command.withExamples([
    { command: `${program} compare last-1 last`, description: "Compare the last two nights of the history" },
    { command: `${program} compare release/ candidate/`, description: "Compare two report folders" }
  ])
)
