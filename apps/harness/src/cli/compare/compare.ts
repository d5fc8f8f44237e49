import { help } from "../Help.ts"
import { loading } from "@webagent/cli/Loading"
import * as Argument from "effect/cli/Argument"
import * as Flags from "../Flags.ts"
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
  (options) => loading(async () => (await import("./compareNights.ts")).compareNights(options))
).pipe(
  help("Compare two nights", {
    exits: {
      0: "no difference seen",
      1: "the second night is worse",
      2: "wrong usage",
      5: "cannot tell",
      6: "the second night is better"
    },
    examples: {
      "compare last-1 last": "Compare the last two nights in the history",
      "compare release/ candidate/": "Compare two report folders"
    }
  })
)
