import * as Command from "effect/cli/Command"
import { usage } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import { program } from "../Program.ts"
import * as LoadFlags from "./LoadFlags.ts"
import { description } from "../Description.ts"
import { configured } from "../Configured.ts"

/** `load`: a load test against a target, by k6. What it runs with is loaded when it runs. */
export const load = configured(
  "load",
  LoadFlags.flags,
  ({ config, test }) => ({ config, named: [test] }),
  (parsed) =>
    Effect.gen(function* () {
      const options = LoadFlags.optionsOf(parsed)
      const problem = LoadFlags.problemIn(options)
      if (problem !== undefined) return yield* usage(problem)
      if (options.renders) {
        const { renderManifests } = yield* Effect.promise(() => import("./renderManifests.ts"))
        return yield* renderManifests(options)
      }
      if (options.ab === undefined) {
        const { runLoadTest } = yield* Effect.promise(() => import("./runLoadTest.ts"))
        return yield* runLoadTest(options)
      }
      const { comparePair } = yield* Effect.promise(() => import("./comparePair.ts"))
      return yield* comparePair(options, options.ab)
    })
).pipe(
  Command.withDescription(
    description("Send load to a service with k6", {
      0: "all thresholds held; with --ab: no difference seen, within the tolerance, or faster",
      1: "a threshold was crossed, the service got worse, or k6 failed; with --ab: B is worse",
      2: "wrong usage",
      3: "no service at the target, or it refuses the key",
      4: "no k6, and no Go to build it",
      5: "with --ab: slower, but maybe within the tolerance, or cannot tell; run more pairs, or see why a run failed",
      6: "with --ab: B is better",
      130: "stopped with Ctrl-C"
    })
  ),
  Command.withShortDescription("Send load to a service with k6"),
  Command.withExamples([
    { command: `${program} load smoke`, description: "Load a simulated service for a few seconds" },
    { command: `${program} load smoke --rate 50 --duration 60s`, description: "Send more load for longer" },
    {
      command: `${program} load average-load --ab http://127.0.0.1:4400 http://127.0.0.1:4401`,
      description: "Compare two services"
    }
  ])
)
