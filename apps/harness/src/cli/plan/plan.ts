import { help } from "../Help.ts"
import * as Effect from "effect/Effect"
import * as Flags from "../Flags.ts"
import { flags, optionsOf } from "../RunFlags.ts"
import { configured, wordsOf } from "../Configured.ts"

/** `plan`: what `run` would do with the same flags. */
export const plan = configured(
  "plan",
  { ...flags, json: Flags.json },
  ({ json, ...parsed }, _words, { config }) =>
    Effect.gen(function* () {
      const { planSuites } = yield* Effect.promise(() => import("./planSuites.ts"))
      const words = yield* wordsOf("plan")
      yield* planSuites(
        optionsOf(parsed, config.nightly),
        words.filter((word) => word !== "--json"),
        json
      )
    }),
  ({ suites }) => suites
).pipe(
  help("Show the plan of a run with its cost", {
    does: "Show the plan of a run with the same flags: scenarios, order, time and maximum cost. Sends nothing",
    exits: { 0: "planned", 2: "wrong usage" },
    examples: {
      "plan --trials 5": "Plan every built-in suite, five trials each",
      "plan checkout.suite.ts --target https://your.service --allow-paid --max-cost 5.00": "What would run for 5 USD"
    }
  })
)
