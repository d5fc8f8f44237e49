import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Outputs from "../../load/operator/Outputs.ts"
import { usage } from "@webagent/report/UserError"
import * as Flags from "../Flags.ts"
import * as LoadFlags from "./LoadFlags.ts"
import { program } from "../Program.ts"
import { isWebAddress, parseDuration } from "../Parsers.ts"

const makers: Readonly<Record<string, (url: string) => Outputs.Output>> = {
  prometheus: Outputs.prometheus,
  otlp: Outputs.otlp
}

/** An output and its address: `prometheus=http://127.0.0.1:9090/api/v1/write`; nothing for any other text. */
const parseOutput = (text: string): Option.Option<Outputs.Output> => {
  const [, name = "", url = ""] = /^(\w+)=(.*)$/u.exec(text) ?? []
  return isWebAddress(url) ? Option.fromUndefinedOr(makers[name]?.(url)) : Option.none()
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
    other: Argument.String("url").pipe(Argument.withDescription("With --ab: the service to judge"), Argument.optional),
    ab: text("ab", "--ab URL1 URL2: the same load to both in turns; is the second worse than the first?"),
    pairs: Flags.integer("pairs", 3).pipe(
      Flag.withDescription("With --ab: how many pairs of runs; default: 7"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    baseline: text("baseline", "A history file of earlier runs (NDJSON): is this one worse?"),
    record: Flag.Boolean("record").pipe(
      Flag.withDescription("Add this run to the file of --baseline; default: no"),
      Flag.withDefault(false)
    ),
    tolerance: Flag.Finite("tolerance").pipe(
      Flag.filter(
        (share) => share >= 0 && share <= 1,
        (share) => `Expected: a share from 0 to 1, such as 0.05 for 5 %, got ${share}`
      ),
      Flag.withDescription("How much worse is not called worse, as a share; default: 0.05"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    seed: Flags.integer("seed", 0).pipe(
      Flag.withDescription("With --ab: the order within the pairs is drawn from it; default: 1"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
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
    task: text("task", "What a run is asked to do; default: to say hello, which takes a simulated service 200 ms"),
    runTimeout: Flag.String("run-timeout").pipe(
      Flag.filterMap(parseDuration, (text) => `Expected: a time such as 30s or 10m, got "${text}"`),
      Flag.withDescription("How long one waits for the end of a run; default: 30s"),
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
    out: Flag.String("out").pipe(
      Flag.atLeast(0),
      Flag.withDescription(
        "Send what is measured to prometheus=URL or otlp=URL, too; with --render, the folder of its files"
      )
    ),
    render: Flag.Literals("render", ["k6-operator"]).pipe(
      Flag.withDescription("Send nothing: write what k6-operator needs to run this in a cluster, into --out DIR"),
      Flag.optional
    ),
    image: text("image", "With --render: the image to bake the script into; default: a ConfigMap, while it fits"),
    reportDir: Flags.reportDir("load-<test>.html, .json, .series.json and .junit.xml go"),
    allowRemote: Flag.Boolean("allow-remote").pipe(
      Flag.withDescription("Send load to another machine, or to a service that is not simulated; default: no"),
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
      const mistake = LoadFlags.mistakeIn({ ...options, ...flags, other: second })
      if (mistake !== undefined) return yield* usage(mistake)
      if (renders) {
        const { loadRender } = yield* Effect.promise(() => import("./loadRender.ts"))
        return yield* loadRender({ ...options, test, target, segments, image, outputs, folder: folders[0] })
      }
      const allowed = tolerance ?? 0.05
      if (ab === undefined) {
        const { loadTest } = yield* Effect.promise(() => import("./loadTest.ts"))
        const all = { ...options, test, target, segments, baseline, record, tolerance: allowed, outputs }
        return yield* loadTest(all)
      }
      const { loadPairs } = yield* Effect.promise(() => import("./loadPairs.ts"))
      return yield* loadPairs({
        // `load --ab URL1 URL2` names no test, and its second address stands where a test does
        ...options,
        test: second === undefined ? "average-load" : test,
        a: ab,
        b: second ?? test,
        pairs: pairs ?? 7,
        tolerance: allowed,
        seed: seed ?? 1
      })
    })
).pipe(
  Command.withDescription(
    "Send load to a service with k6. Exit code 0: every threshold held, 1: one was crossed, the service got worse, or k6 failed, 2: called wrongly, 3: no service there, 4: no k6, and no Go to build ours"
  ),
  Command.withShortDescription("Send load to a service with k6"),
  Command.withExamples([
    { command: `${program} load smoke`, description: "A few seconds on a simulated service" },
    { command: `${program} load smoke --rate 50 --duration 60s`, description: "The same, and more of it" },
    {
      command: `${program} load average-load --ab http://127.0.0.1:4400 http://127.0.0.1:4401`,
      description: "Is the second slower than the first?"
    }
  ])
)
