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

/** An output and its address: `prometheus=http://127.0.0.1:9090/api/v1/write`; nothing for any other text. */
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

// k6 takes no shorter times; years are a typing error
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

/** Default number of pairs, seed and accepted change of `--ab`. */
export const defaults = { pairs: 7, seed: 1, tolerance: 0.05 }

/** The flags and arguments of `load`. */
export const flags = {
  test: Argument.String("test").pipe(Argument.withDescription(`Load test: ${Object.keys(loadTests).join(", ")}`)),
  other: Argument.String("url").pipe(
    Argument.withDescription("With --ab: service B"),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  ),
  ab: Flags.text("ab", "Compare service B with A: --ab URL_A URL_B"),
  pairs: Flags.count("pairs", 3, `With --ab: run N pairs (default: ${defaults.pairs})`),
  baseline: Flags.text("baseline", "Compare with the earlier runs in FILE (NDJSON)"),
  record: Flags.switched("record", "Add this run to the --baseline file (default: no)"),
  tolerance: share(
    "tolerance",
    "0.05 for 5 %",
    `Accept changes up to this share (default: ${defaults.tolerance}, which is 5 %)`
  ),
  seed: Flags.count("seed", 0, `With --ab: draw the order in pairs from N (default: ${defaults.seed})`),
  target: Flags.target("a service started for this test"),
  rate: Flags.count("rate", 1, "Start N flows per second at full load (default: the test's)"),
  duration: time("duration", Duration.seconds(1), "Start new flows for this time, such as 60s (default: the test's)"),
  vus: Flags.count("vus", 1, "Run N virtual users (closed model) instead of a rate"),
  mix: Flags.text("mix", "Set the weights of the flows: runs=3,browsers=1 (default: the test's)"),
  sample: share("sample", "0.1", "Check this share of responses against the contract (default: 0.01)"),
  task: Flags.text("task", "Give runs this task (default: a greeting, 200 ms when simulated)"),
  runTimeout: time("run-timeout", Duration.millis(100), "Wait this long for a run to end (default: 30s)"),
  thresholds: Flags.text("thresholds", "Replace thresholds of the test by those in FILE, or by JSON"),
  profile: Flags.text("profile", "Set the behavior of the simulated service: a preset or a JSON file"),
  segments: Flags.integer("segments", 1).pipe(
    Flag.withDescription("Share the load among N k6 processes (default: 1)"),
    Flag.withDefault(1)
  ),
  out: Flags.texts("out", "Send metrics to prometheus=URL or otlp=URL; --render: write to DIR"),
  render: Flags.optional(
    Flag.Literals("render", ["k6-operator"]),
    "Send no load; write manifests for k6-operator to --out DIR"
  ),
  image: Flags.text("image", "With --render: put the script into this image (default: a ConfigMap)"),
  reportDir: Flags.reportDir("load-<test>.html, .json, .series.json and .junit.xml"),
  allowRemote: Flags.switched("allow-remote", "Allow a target on another machine or with real costs (default: no)"),
  apiKeyEnv: Flags.apiKeyEnv,
  apiKeyHeader: Flags.apiKeyHeader,
  config: Flags.config,
  json: Flags.json
}

type ParsedFlags = Command.Command.Config.Infer<typeof flags>

/** Converts the flags and arguments of `load` to options. */
export const optionsOf = ({ out, render, ...flags }: ParsedFlags) => ({
  ...flags,
  outputs: out.flatMap((text) => Option.toArray(parseOutput(text))),
  /** The values of `--out` that are no output: a folder, with `--render`. */
  folders: out.filter((text) => Option.isNone(parseOutput(text))),
  renders: render !== undefined
})

/** The options of `load`, from its flags and arguments. */
export type LoadOptions = ReturnType<typeof optionsOf>

/** The flags that were given. */
const givenOf = (flags: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  Object.entries(flags).flatMap(([flag, value]) => (value === undefined || value === false ? [] : [flag]))

const notWith = (given: ReadonlyArray<string>, flag: string): string | undefined =>
  given.length === 0 ? undefined : `${flag} cannot be combined with ${given.join(", ")}. Remove one.`

const needsPairs = (what: string | undefined): string | undefined =>
  what === undefined ? undefined : `${what} needs --ab URL_A URL_B.`

const quoted = (text: string | undefined) => (text === undefined ? undefined : `"${text}"`)

const ofPairs = ({ pairs, seed }: LoadOptions) => ({ "--pairs": pairs, "--seed": seed })
const ofBaseline = ({ baseline, record }: LoadOptions) => ({ "--baseline": baseline, "--record": record })

const inRender = (flags: LoadOptions): string | undefined => {
  const { ab, folders, json, other, profile, reportDir, tolerance } = flags
  const further = { "--tolerance": tolerance, "--profile": profile, "--report-dir": reportDir, "--json": json }
  const unused = { "--ab": ab, ...ofBaseline(flags), ...ofPairs(flags), ...further }
  return (
    notWith(givenOf(unused), "--render") ??
    needsPairs(quoted(other)) ??
    (folders.length > 1
      ? `With --render, --out must name one folder, besides prometheus=URL and otlp=URL; got "${folders.join('" and "')}".`
      : undefined)
  )
}

const inOne = (flags: LoadOptions): string | undefined => {
  const { baseline, other, record, tolerance } = flags
  if (record && baseline === undefined) return "--record needs --baseline FILE, to which it adds the run."
  if (tolerance !== undefined && baseline === undefined) {
    return "--tolerance needs --ab URL_A URL_B or --baseline FILE."
  }
  return needsPairs(quoted(other) ?? givenOf(ofPairs(flags))[0])
}

const isService = (text: string) => text === "simulated" || isWebAddress(text)

const inPairs = (flags: LoadOptions, ab: string): string | undefined => {
  const { other, outputs, segments, target, test, thresholds } = flags
  const unused = givenOf({
    "--target": target !== "simulated",
    "--segments": segments !== 1,
    "--out": outputs.length > 0,
    "--thresholds": thresholds,
    ...ofBaseline(flags)
  })
  const problem = notWith(unused, "--ab")
  if (problem !== undefined) return problem
  if (other === undefined && !isService(test)) return `--ab needs two services: load ${test} --ab ${ab} URL_B.`
  const wrong = [ab, other ?? test].find((service) => !isService(service))
  return wrong === undefined
    ? undefined
    : `--ab needs two services, each "simulated" or a URL such as https://host; got "${wrong}".`
}

/** Describes the first conflict between flags, in one sentence; undefined if there is none. */
export const problemIn = (flags: LoadOptions): string | undefined => {
  const { ab, folders, image, other, outputs, profile, rate, renders, target, test, vus } = flags
  const twice = outputs.find(({ name }, index) => outputs.findIndex((output) => output.name === name) < index)
  if (twice !== undefined) return `--out ${twice.name}=URL can be given once.`
  if (rate !== undefined && vus !== undefined) {
    return "--rate and --vus cannot be combined: with --vus the rate follows from response times."
  }
  if (renders) return inRender(flags)
  if (image !== undefined) return "--image needs --render k6-operator."
  if (folders[0] !== undefined) return `--out must be prometheus=URL or otlp=URL; got "${folders[0]}".`
  const problem = ab === undefined ? inOne(flags) : inPairs(flags, ab)
  const services = ab === undefined ? [target] : [ab, other ?? test]
  return (
    problem ??
    (profile !== undefined && !services.includes("simulated")
      ? "--profile applies only to the simulated service. Remove --profile or use the simulated service."
      : undefined)
  )
}
