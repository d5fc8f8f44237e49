import { loadTests } from "@webagent/load/LoadTest"
import * as Output from "@webagent/load/Output"
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Flags from "../Flags.ts"
import * as Time from "@webagent/scenario/Time"
import { isWebAddress } from "../../config/Values.ts"

const makers: Readonly<Record<string, (url: string) => Output.Output>> = {
  prometheus: Output.prometheus,
  otlp: Output.otlp
}

/** Parses an output with its address, such as `prometheus=http://127.0.0.1:9090/api/v1/write`. */
const parseOutput = (text: string): Option.Option<Output.Output> => {
  const [, name = "", url = ""] = /^(\w+)=(.*)$/u.exec(text) ?? []
  return isWebAddress(url) ? Option.fromUndefinedOr(makers[name]?.(url)) : Option.none()
}

const share = (name: string, example: string, description: string) =>
  Flags.optional(
    Flag.Finite(name).pipe(
      Flag.filter(
        (share) => share >= 0 && share <= 1,
        () => `a share from 0 to 1, such as ${example}`
      )
    ),
    description
  )

// k6 has no shorter times, and years are a typing error
const time = (name: string, minimum: Duration.Duration, description: string) =>
  Flags.optional(
    Flag.String(name).pipe(
      Flag.filterMap(
        (text) => Option.filter(Time.parse(text), Duration.between({ minimum, maximum: Duration.days(365) })),
        () => `a time from ${Duration.format(minimum)} to 365d, such as 30s or 5m`
      )
    ),
    description
  )

const service = (name: "A" | "B") =>
  Argument.String(`url_${name.toLowerCase()}`).pipe(
    Argument.filter(
      (text) => text === "simulated" || isWebAddress(text),
      () => '"simulated", or a URL such as https://host'
    ),
    Argument.withDescription(`Address of service ${name}, or simulated`)
  )

const testNames = Object.keys(loadTests).join(", ")

const test = Argument.String("test").pipe(Argument.withDescription(`Load test: ${testNames}`))

const workload = {
  rate: Flags.count("rate", 1, "Start N flows per second at full load (default: the test's)"),
  vus: Flags.count("vus", 1, "Run N virtual users (closed model) instead of a rate"),
  duration: time("duration", Duration.seconds(1), "Start new flows for this time, such as 60s (default: the test's)"),
  mix: Flags.text("mix", "Set the flow weights: runs=3,browsers=1 (default: the test's)"),
  sample: share("sample", "0.1", "Check this share of responses against the contract (default: 0.01)"),
  task: Flags.text("task", "Give runs this task (default: a greeting, 200 ms when simulated)"),
  runTimeout: time("run-timeout", Duration.millis(100), "Wait this long for a run to finish (default: 30s)")
}

/** The flags that shape the load, the same for every command. */
export type Workload = Command.Command.Config.Infer<typeof workload>

const access = {
  profile: Flags.text("profile", "Set the behavior of the simulated service: a preset or a JSON file"),
  allowRemote: Flags.switched("allow-remote", "Allow a target on another machine or with real costs (default: no)"),
  apiKeyEnv: Flags.apiKeyEnv,
  apiKeyHeader: Flags.apiKeyHeader
}

/** The flags that give access to a service. */
export type Access = Command.Command.Config.Infer<typeof access>

const thresholds = Flags.text("thresholds", "Replace the test's thresholds by those in FILE, or by JSON")

const outputs = Flag.String("out").pipe(
  Flag.filterMap(parseOutput, () => "prometheus=URL or otlp=URL"),
  Flag.withDescription("Send metrics to prometheus=URL or otlp=URL"),
  Flag.atLeast(0),
  Flag.filter(
    (outputs) => new Set(outputs.map(({ name }) => name)).size === outputs.length,
    () => "each output once"
  )
)

const integer = (
  name: string,
  { least, initial }: { readonly least: number; readonly initial: number },
  description: string
) =>
  Flags.integer(name, least).pipe(
    Flag.withDescription(`${description} (default: ${initial})`),
    Flag.withDefault(initial)
  )

/** Accepted change if `--tolerance` isn't set. */
export const defaultTolerance = 0.05

const tolerance = share(
  "tolerance",
  "0.05 for 5 %",
  `Accept changes up to this share (default: ${defaultTolerance}, which is 5 %)`
)

/** The flags and arguments of `load`. */
export const load = {
  test,
  target: Flags.target("a service started for this test"),
  ...workload,
  thresholds,
  segments: integer("segments", { least: 1, initial: 1 }, "Share the load among N k6 processes"),
  baseline: Flags.text("baseline", "Compare with the earlier runs in FILE (NDJSON)"),
  record: Flags.switched("record", "Add this run to the --baseline file (default: no)"),
  tolerance,
  outputs,
  ...access,
  reportDir: Flags.reportDir("load-<test>.html, .json, .series.json and .junit.xml"),
  config: Flags.config,
  json: Flags.json
}

/** The options of `load`. */
export type LoadOptions = Command.Command.Config.Infer<typeof load>

/** The flags and arguments of `load compare`. */
export const compare = {
  a: service("A"),
  b: service("B"),
  test: Flag.String("test").pipe(
    Flag.withDescription(`Send this load test: ${testNames} (default: average-load)`),
    Flag.withDefault("average-load")
  ),
  pairs: integer("pairs", { least: 3, initial: 7 }, "Run N pairs"),
  tolerance,
  seed: integer("seed", { least: 0, initial: 1 }, "Draw the order in pairs from N"),
  ...workload,
  ...access,
  reportDir: Flags.reportDir("ab-<test>.html and .json"),
  config: Flags.config,
  json: Flags.json
}

/** The options of `load compare`. */
export type CompareOptions = Command.Command.Config.Infer<typeof compare>

/** The flags and arguments of `load render`. */
export const render = {
  test,
  folder: Argument.String("folder").pipe(Argument.withDescription("Folder for the manifests")),
  target: Flags.text("target", "Address of the service from the cluster, or a target of the configuration"),
  ...workload,
  thresholds,
  segments: integer("segments", { least: 1, initial: 1 }, "Share the load among N pods"),
  outputs,
  image: Flags.text("image", "Put the script into this image (default: a ConfigMap)"),
  apiKeyHeader: Flags.apiKeyHeader,
  config: Flags.config
}

/** The options of `load render`. */
export type RenderOptions = Command.Command.Config.Infer<typeof render>
