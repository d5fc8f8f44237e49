import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { program } from "./Program.ts"
import { flags, optionsOf } from "./RunFlags.ts"

/** `run`: suites against a target. What it runs with is loaded when it runs, so that help stays quick. */
export const run = Command.make("run", flags, (parsed) =>
  Effect.flatMap(
    Effect.promise(() => import("./runSuites.ts")),
    ({ runSuites }) => runSuites(optionsOf(parsed))
  )
).pipe(
  Command.withDescription(
    "Run suites against a service. Exit code 0: all passed, 1: something failed, 2: called wrongly, 3: no service there"
  ),
  Command.withShortDescription("Run suites against a service"),
  Command.withExamples([
    { command: `${program} run`, description: "Every built-in suite on a simulated service inside this program" },
    { command: `${program} run --target https://your.service`, description: "What a service can be asked for nothing" },
    { command: `${program} run checkout.suite.ts --tag nightly`, description: "Your own suite" }
  ])
)
