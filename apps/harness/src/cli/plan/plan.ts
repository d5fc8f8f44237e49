import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { description } from "@webagent/cli/Description"
import * as Flags from "../Flags.ts"
import { program } from "../Program.ts"
import { flags, namedIn, optionsOf } from "../RunFlags.ts"
import { configured, wordsOf } from "../Configured.ts"

/** `plan`: what `run` would do with the same flags. */
export const plan = configured("plan", { ...flags, json: Flags.json }, namedIn, ({ json, ...parsed }) =>
  Effect.gen(function* () {
    const { planSuites } = yield* Effect.promise(() => import("./planSuites.ts"))
    const words = yield* wordsOf("plan")
    yield* planSuites(
      optionsOf(parsed),
      words.filter((word) => word !== "--json"),
      json
    )
  })
).pipe(
  Command.withDescription(
    description("Show what run would do with the same flags: scenarios, order, time and maximum cost. Sends nothing", {
      0: "planned",
      2: "wrong usage"
    })
  ),
  Command.withShortDescription("Show what run would do and cost"),
  Command.withExamples([
    { command: `${program} plan --trials 5`, description: "Plan every built-in suite, five trials each" },
    {
      command: `${program} plan checkout.suite.ts --target https://your.service --allow-paid --max-cost 5.00`,
      description: "What would run for 5 USD"
    }
  ])
)
