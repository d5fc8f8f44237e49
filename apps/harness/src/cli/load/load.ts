import { loadTests } from "@webagent/load/LoadTest"
import * as Output from "@webagent/load/Output"
import { usage } from "@webagent/report/UserError"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flags from "../Flags.ts"
import { isWebAddress, parseDuration } from "../Parsers.ts"
import { program } from "../Program.ts"
import * as LoadFlags from "./LoadFlags.ts"

const makers: Readonly<Record<string, (url: string) => Output.Output>> = {
  prometheus: Output.prometheus,
  otlp: Output.otlp
}

/** An output and its address: `prometheus=http://127.0.0.1:9090/api/v1/write`; nothing for any other text. */
const parseOutput = (text: string): Option.Option<Output.Output> => {
  const [, name = "", url = ""] = /^(\w+)=(.*)$/u.exec(text) ?? []
  return isWebAddress(url) ? Option.fromUndefinedOr(makers[name]?.(url)) : Option.none()
}

const optional = <A>(flag: Flag.Flag<A>, description: string) =>
  flag.pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

const text = (name: string, description: string) => optional(Flag.String(name), description)

const share = (name: string, example: string, description: string) =>
  optional(
    Flag.Finite(name).pipe(
      Flag.filter(
        (share) => share >= 0 && share <= 1,
        (share) => `Expected: a share from 0 to 1, such as ${example}, got ${share}`
      )
    ),
    description
  )

const duration = (name: string, example: string, description: string) =>
  optional(
    Flag.String(name).pipe(
      Flag.filterMap(parseDuration, (text) => `Expected: a time such as ${example}, got "${text}"`)
    ),
    description
  )

const defaultPairs = 7
const defaultSeed = 1
const defaultTolerance = 0.05

/** `load`: a load test against a target, by k6. What it runs with is loaded when it runs. */
export const load = Command.make(
  "load",
  {
    test: Argument.String("test").pipe(Argument.withDescription(`Load test: ${Object.keys(loadTests).join(", ")}`)),
    other: Argument.String("url").pipe(Argument.withDescription("With --ab: service B"), Argument.optional),
    ab: text("ab", "Compare service B with A: --ab URL_A URL_B"),
    pairs: optional(Flags.integer("pairs", 3), `With --ab: run N pairs (default: ${defaultPairs})`),
    baseline: text("baseline", "Compare with the earlier runs in FILE (NDJSON)"),
    record: Flag.Boolean("record").pipe(
      Flag.withDescription("Add this run to the --baseline file (default: no)"),
      Flag.withDefault(false)
    ),
    tolerance: share(
      "tolerance",
      "0.05 for 5 %",
      `Accept changes up to this share (default: ${defaultTolerance}, which is 5 %)`
    ),
    seed: optional(Flags.integer("seed", 0), `With --ab: draw the order in pairs from N (default: ${defaultSeed})`),
    target: Flags.target("a service started for this test"),
    rate: optional(Flags.integer("rate", 1), "Start N flows per second at full load (default: the test's)"),
    duration: duration("duration", "5s or 1m", "Start new flows for this time, such as 60s (default: the test's)"),
    vus: optional(Flags.integer("vus", 1), "Run N virtual users (closed model) instead of a rate"),
    mix: text("mix", "Set the weights of the flows: runs=3,browsers=1 (default: the test's)"),
    sample: share("sample", "0.1", "Check this share of responses against the contract (default: 0.01)"),
    task: text("task", "Give runs this task (default: a greeting, 200 ms when simulated)"),
    runTimeout: duration("run-timeout", "30s or 10m", "Wait this long for a run to end (default: 30s)"),
    thresholds: text("thresholds", "Replace thresholds of the test by those in FILE (JSON)"),
    profile: text("profile", "Set the behavior of the simulated service: a preset or a JSON file"),
    segments: Flags.integer("segments", 1).pipe(
      Flag.withDescription("Share the load among N k6 processes (default: 1)"),
      Flag.withDefault(1)
    ),
    out: Flag.String("out").pipe(
      Flag.atLeast(0),
      Flag.withDescription("Send metrics to prometheus=URL or otlp=URL; --render: write to DIR")
    ),
    render: Flag.Literals("render", ["k6-operator"]).pipe(
      Flag.withDescription("Send no load; write manifests for k6-operator to --out DIR"),
      Flag.optional
    ),
    image: text("image", "With --render: put the script into this image (default: a ConfigMap)"),
    reportDir: Flags.reportDir("load-<test>.html, .json, .series.json and .junit.xml"),
    allowRemote: Flag.Boolean("allow-remote").pipe(
      Flag.withDescription("Allow a target on another machine or with real costs (default: no)"),
      Flag.withDefault(false)
    ),
    apiKeyEnv: Flags.apiKeyEnv
  },
  ({
    ab,
    baseline,
    image,
    other,
    out,
    pairs,
    record,
    render,
    reportDir,
    seed,
    segments,
    target,
    test,
    tolerance,
    ...rest
  }) =>
    Effect.gen(function* () {
      const options = { ...rest, reportDir: Option.getOrUndefined(reportDir) }
      const second = Option.getOrUndefined(other)
      const outputs = out.flatMap((text) => Option.toArray(parseOutput(text)))
      const folders = out.filter((text) => Option.isNone(parseOutput(text)))
      const renders = Option.isSome(render)
      const flags = {
        ab,
        baseline,
        folders,
        image,
        outputs,
        pairs,
        record,
        renders,
        seed,
        segments,
        target,
        test,
        tolerance
      }
      const problem = LoadFlags.problemIn({ ...options, ...flags, other: second })
      if (problem !== undefined) return yield* usage(problem)
      if (renders) {
        const { renderManifests } = yield* Effect.promise(() => import("./renderManifests.ts"))
        return yield* renderManifests({ ...options, test, target, segments, image, outputs, folder: folders[0] })
      }
      const allowed = tolerance ?? defaultTolerance
      if (ab === undefined) {
        const { runLoadTest } = yield* Effect.promise(() => import("./runLoadTest.ts"))
        const all = { ...options, test, target, segments, baseline, record, tolerance: allowed, outputs }
        return yield* runLoadTest(all)
      }
      const { comparePair } = yield* Effect.promise(() => import("./comparePair.ts"))
      return yield* comparePair({
        // `load --ab URL_A URL_B` names no test, and its second address stands where a test does
        ...options,
        test: second === undefined ? "average-load" : test,
        a: ab,
        b: second ?? test,
        pairs: pairs ?? defaultPairs,
        tolerance: allowed,
        seed: seed ?? defaultSeed
      })
    })
).pipe(
  Command.withDescription(
    [
      "Send load to a service with k6.",
      "",
      "Exit codes:",
      "  0    all thresholds held; with --ab: B is better, or no difference seen",
      "  1    a threshold was crossed, the service got worse, or k6 failed",
      "  2    wrong usage",
      "  3    no service at the target",
      "  4    no k6, and no Go to build it",
      "  5    with --ab: cannot tell; run more pairs",
      "  130  stopped with Ctrl-C"
    ].join("\n")
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
