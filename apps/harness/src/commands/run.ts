import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { parseDuration } from "./DurationText.ts"
import * as Flags from "./Flags.ts"
import { program } from "./Program.ts"
import { type ReporterName, reporterNames } from "./RunOptions.ts"

const parseReporters = (text: string): Option.Option<ReadonlyArray<ReporterName>> => {
  const names = text.split(",").map((name) => name.trim())
  const known = reporterNames.filter((name) => names.includes(name))
  return known.length === new Set(names).size ? Option.some(known) : Option.none()
}

const several = (name: string) => Flag.String(name).pipe(Flag.atLeast(0))

/** `run`: suites against a target. What it runs with is loaded when it runs, so that help stays quick. */
export const run = Command.make(
  "run",
  {
    suites: Argument.String("suite").pipe(
      Argument.withDescription("Built-in suites by name, and files *.suite.ts; default: every built-in suite"),
      Argument.variadic()
    ),
    target: Flags.target("a service inside this program"),
    suite: several("suite").pipe(Flag.withDescription("The same as naming the suite without a flag; may be repeated")),
    tag: several("tag").pipe(Flag.withDescription("Only scenarios with this tag; may be repeated; default: all")),
    name: Flag.String("name").pipe(
      Flag.withDescription("Only scenarios whose name contains this; default: all"),
      Flag.optional
    ),
    concurrency: Flags.integer("concurrency", 1).pipe(
      Flag.withDescription("How many scenarios run at a time; default: 8"),
      Flag.withDefault(8)
    ),
    timeout: Flag.String("timeout").pipe(
      Flag.filterMap(parseDuration, (text) => `Expected: a time such as 500ms, 30s or 5m, got "${text}"`),
      Flag.withDescription("The longest a scenario may take; default: 30s on a simulated service, else 10m"),
      Flag.optional
    ),
    seed: Flags.integer("seed", 0).pipe(
      Flag.withDescription("Random inputs derive from it: the same seed, the same inputs; default: 1"),
      Flag.withDefault(1)
    ),
    reportDir: Flags.reportDir("report.json, junit.xml and events.ndjson go"),
    reporters: Flag.String("reporter").pipe(
      Flag.filterMap(
        parseReporters,
        (text) => `Expected: some of ${reporterNames.join(", ")}, with commas, got "${text}"`
      ),
      Flag.withDescription(`Which reports to make; default: ${reporterNames.join(",")}`),
      Flag.withDefault(reporterNames)
    ),
    apiKeyEnv: Flags.apiKeyEnv,
    v2SessionId: Flag.String("v2-session-id").pipe(
      Flag.withDescription("A session of the service that scenarios of API v2 may read; default: none"),
      Flag.optional
    ),
    allowPaid: Flag.Boolean("allow-paid").pipe(
      Flag.withDescription("Run scenarios that cost, on a service that is not simulated; default: no"),
      Flag.withDefault(false)
    )
  },
  ({ name, reportDir, suite, suites, tag, timeout, v2SessionId, ...rest }) =>
    Effect.flatMap(
      Effect.promise(() => import("./runSuites.ts")),
      ({ runSuites }) =>
        runSuites({
          ...rest,
          suites: [...suites, ...suite],
          tags: tag,
          name: Option.getOrUndefined(name),
          timeout: Option.getOrUndefined(timeout),
          reportDir: Option.getOrUndefined(reportDir),
          v2SessionId: Option.getOrUndefined(v2SessionId)
        })
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
