import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { parseDuration } from "./DurationText.ts"
import * as Flags from "./Flags.ts"
import { program } from "./Program.ts"

/** `load`: a load test against a target, by k6. What it runs with is loaded when it runs. */
export const load = Command.make(
  "load",
  {
    test: Argument.String("test").pipe(
      Argument.withDescription("A load test by name: smoke, average-load, stress, spike, soak, breakpoint")
    ),
    target: Flags.target("a service that is started for this"),
    rate: Flags.integer("rate", 1).pipe(
      Flag.withDescription("How many runs, and as many browsers, are started per second; default: the test's own"),
      Flag.optional
    ),
    duration: Flag.String("duration").pipe(
      Flag.filterMap(parseDuration, (text) => `Expected: a time such as 5s or 1m, got "${text}"`),
      Flag.withDescription("How long new ones are started; default: the test's own"),
      Flag.optional
    ),
    reportDir: Flags.reportDir("load-<test>.json goes"),
    allowRemote: Flag.Boolean("allow-remote").pipe(
      Flag.withDescription("Send load to another machine, or to a service that is not simulated; default: no"),
      Flag.withDefault(false)
    ),
    apiKeyEnv: Flags.apiKeyEnv
  },
  ({ duration, rate, reportDir, ...rest }) =>
    Effect.flatMap(
      Effect.promise(() => import("./loadTest.ts")),
      ({ loadTest }) =>
        loadTest({
          ...rest,
          duration: Option.getOrUndefined(duration),
          rate: Option.getOrUndefined(rate),
          reportDir: Option.getOrUndefined(reportDir)
        })
    )
).pipe(
  Command.withDescription(
    "Send load to a service with k6. Exit code 0: every threshold held, 1: one was crossed, or k6 failed, 2: called wrongly, 3: no service there, 4: no k6, and no Go to build ours"
  ),
  Command.withShortDescription("Send load to a service with k6"),
  Command.withExamples([
    { command: `${program} load smoke`, description: "A few seconds on a simulated service" },
    { command: `${program} load smoke --rate 50 --duration 60s`, description: "The same, and more of it" }
  ])
)
