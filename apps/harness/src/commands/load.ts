import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { parseDuration } from "./DurationText.ts"
import * as Flags from "./Flags.ts"
import { program } from "./Program.ts"

const outputs: Readonly<Record<string, string>> = {
  prometheus: "experimental-prometheus-rw",
  otlp: "opentelemetry"
}

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

/** `load`: a load test against a target, by k6. What it runs with is loaded when it runs. */
export const load = Command.make(
  "load",
  {
    test: Argument.String("test").pipe(
      Argument.withDescription("A load test by name: smoke, average-load, stress, spike, soak, breakpoint")
    ),
    target: Flags.target("a service that is started for this"),
    rate: Flags.integer("rate", 1).pipe(
      Flag.withDescription("How many are started per second at the test's full height; default: the test's own"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    duration: Flag.String("duration").pipe(
      Flag.filterMap(parseDuration, (text) => `Expected: a time such as 5s or 1m, got "${text}"`),
      Flag.withDescription("How long new ones are started; default: the test's own"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    vus: Flags.integer("vus", 1).pipe(
      Flag.withDescription("A closed model: so many virtual users, each of which waits for its own; default: no"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    mix: text("mix", "Weights of the flows, such as runs=3,browsers=1,status=5; default: the test's own"),
    sample: Flag.Finite("sample").pipe(
      Flag.filter(
        (share) => share >= 0 && share <= 1,
        (share) => `Expected: a share from 0 to 1, got ${share}`
      ),
      Flag.withDescription("The share of answers that are decoded by the contract; default: 0.01"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    thresholds: text("thresholds", "A JSON file of limits by metric, over those of the test"),
    profile: text("profile", "How the service that is started for this behaves: a preset, or a profile's JSON file"),
    segments: Flags.integer("segments", 1).pipe(
      Flag.withDescription(
        "How many k6 processes share the load; what they measure is merged point by point; default: 1"
      ),
      Flag.withDefault(1)
    ),
    out: Flag.Literals("out", ["prometheus", "otlp"]).pipe(
      Flag.withDescription("Send what is measured there, too; k6's own K6_PROMETHEUS_RW_... or K6_OTEL_... say where"),
      Flag.optional
    ),
    reportDir: Flags.reportDir("load-<test>.html, .json, .series.json and .junit.xml go"),
    allowRemote: Flag.Boolean("allow-remote").pipe(
      Flag.withDescription("Send load to another machine, or to a service that is not simulated; default: no"),
      Flag.withDefault(false)
    ),
    apiKeyEnv: Flags.apiKeyEnv
  },
  ({ out, reportDir, ...rest }) =>
    Effect.flatMap(
      Effect.promise(() => import("./loadTest.ts")),
      ({ loadTest }) =>
        loadTest({
          ...rest,
          outputs: Option.toArray(out).flatMap((name) => outputs[name] ?? []),
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
