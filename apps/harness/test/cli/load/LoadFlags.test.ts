import { assert, describe, it } from "@effect/vitest"
import * as LoadFlags from "../../../src/cli/load/LoadFlags.ts"
import * as Output from "@webagent/load/Output"

const none: LoadFlags.LoadOptions = {
  test: "smoke",
  other: undefined,
  ab: undefined,
  target: "simulated",
  pairs: undefined,
  seed: undefined,
  tolerance: undefined,
  baseline: undefined,
  record: false,
  rate: undefined,
  vus: undefined,
  thresholds: undefined,
  profile: undefined,
  segments: 1,
  outputs: [],
  folders: [],
  json: false,
  renders: false,
  image: undefined,
  reportDir: undefined,
  duration: undefined,
  mix: undefined,
  sample: undefined,
  task: undefined,
  runTimeout: undefined,
  allowRemote: false,
  apiKeyEnv: "WEBAGENT_API_KEY",
  apiKeyHeader: undefined,
  config: undefined
}
const [a, b] = ["http://127.0.0.1:4400", "http://127.0.0.1:4401"]
const pair = { ab: a, other: b }
const rendered = { renders: true, target: "http://a.example", folders: ["load"] }
const prometheus = Output.prometheus("http://127.0.0.1:9")

describe("problemIn", () => {
  const heard: ReadonlyArray<readonly [what: string, flags: Partial<LoadFlags.LoadOptions>]> = [
    ["no flag at all", {}],
    ["a history, and what it tolerates", { baseline: "x", record: true, tolerance: 0.1 }],
    ["a profile of what is started for this", { profile: "flaky" }],
    ["pairs, by their order and number", { ...pair, pairs: 3, seed: 2, tolerance: 0.1, reportDir: "x" }],
    ["pairs without a test", { ab: a, test: b }],
    ["a pair with a service of a profile", { ab: a, test: "simulated", profile: "flaky" }],
    ["manifests of a load to several outputs", { ...rendered, segments: 4, image: "x", outputs: [prometheus] }],
    ["users at a service, in several processes", { target: a, vus: 3, segments: 2, thresholds: "x" }]
  ]
  for (const [what, flags] of heard) {
    it(`has nothing against ${what}`, () => assert.isUndefined(LoadFlags.problemIn({ ...none, ...flags })))
  }

  const alone = "needs --ab URL_A URL_B."
  const unheard: ReadonlyArray<readonly [sentence: string, flags: Partial<LoadFlags.LoadOptions>]> = [
    [`"twice" ${alone}`, { other: "twice" }],
    [`--pairs ${alone}`, { pairs: 7 }],
    [`--seed ${alone}`, { seed: 1 }],
    ["--tolerance needs --ab URL_A URL_B or --baseline FILE.", { tolerance: 0.05 }],
    ["--record needs --baseline FILE, to which it adds the run.", { record: true }],
    ["--image needs --render k6-operator.", { image: "x" }],
    ["--out prometheus=URL can be given once.", { outputs: [prometheus, prometheus] }],
    ['--out must be prometheus=URL or otlp=URL; got "otlp=grpc://a".', { folders: ["otlp=grpc://a"] }],
    ["--rate and --vus cannot be combined: with --vus the rate follows from response times.", { rate: 5, vus: 5 }],
    [
      "--profile applies only to the simulated service. Remove --profile or use the simulated service.",
      { target: a, profile: "flaky" }
    ],
    [
      "--profile applies only to the simulated service. Remove --profile or use the simulated service.",
      { ...pair, profile: "flaky" }
    ],
    [
      "--ab cannot be combined with --target, --segments, --out, --thresholds, --baseline, --record. Remove one.",
      { ...pair, target: a, segments: 2, outputs: [prometheus], thresholds: "x", baseline: "x", record: true }
    ],
    [`--ab needs two services: load smoke --ab ${a} URL_B.`, { ab: a }],
    ['--ab needs two services, each "simulated" or a URL such as https://host; got "b".', { ab: a, other: "b" }],
    [
      "--render cannot be combined with --ab, --baseline, --record, --pairs, --seed, --tolerance, --profile, --report-dir. Remove one.",
      {
        ...rendered,
        ...pair,
        baseline: "x",
        record: true,
        pairs: 3,
        seed: 0,
        tolerance: 0,
        profile: "flaky",
        reportDir: "x"
      }
    ],
    [`"twice" ${alone}`, { ...rendered, other: "twice" }],
    [
      'With --render, --out must name one folder, besides prometheus=URL and otlp=URL; got "load" and "promethus=http://a".',
      { ...rendered, folders: ["load", "promethus=http://a"] }
    ]
  ]
  for (const [sentence, flags] of unheard) {
    it(`refuses: ${sentence}`, () => assert.strictEqual(LoadFlags.problemIn({ ...none, ...flags }), sentence))
  }
})
