import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { description } from "@webagent/cli/Description"
import * as Flags from "../Flags.ts"
import { namedIn, suites } from "../RunFlags.ts"
import { configured } from "../Configured.ts"

/** `list`: what `run` can run. What it runs with is loaded when it runs. */
export const list = configured(
  "list",
  { suites, builtIn: Flags.builtIn, json: Flags.json, config: Flags.config },
  namedIn,
  (wanted) =>
    Effect.flatMap(
      Effect.promise(() => import("./listSuites.ts")),
      ({ listSuites }) => listSuites(wanted)
    )
).pipe(
  Command.withDescription(description("List suites with scenarios, needs and tags", { 0: "listed", 2: "wrong usage" })),
  Command.withShortDescription("List suites with scenarios, needs and tags")
)
