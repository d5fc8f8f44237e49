import { assert, describe, it } from "@effect/vitest"
import * as LoadFlags from "../../../src/cli/load/LoadFlags.ts"
import * as Outputs from "../../../src/load/operator/Outputs.ts"

const none: LoadFlags.LoadFlags = {
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
  renders: false,
  image: undefined,
  reportDir: undefined
}
const [a, b] = ["http://127.0.0.1:4400", "http://127.0.0.1:4401"]
const pair = { ab: a, other: b }
const rendered = { renders: true, target: "http://a.example", folders: ["load"] }
const prometheus = Outputs.prometheus("http://127.0.0.1:9")

describe("mistakeIn", () => {
  const heard: ReadonlyArray<readonly [what: string, flags: Partial<LoadFlags.LoadFlags>]> = [
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
    it(`has nothing against ${what}`, () => assert.isUndefined(LoadFlags.mistakeIn({ ...none, ...flags })))
  }

  const alone = "says nothing without --ab URL1 URL2."
  const unheard: ReadonlyArray<readonly [sentence: string, flags: Partial<LoadFlags.LoadFlags>]> = [
    [`"twice" ${alone}`, { other: "twice" }],
    [`--pairs ${alone}`, { pairs: 7 }],
    [`--seed ${alone}`, { seed: 1 }],
    ["--tolerance says nothing without --ab URL1 URL2 or --baseline FILE.", { tolerance: 0.05 }],
    ["--record needs --baseline FILE, where it adds the run.", { record: true }],
    ["--image says nothing without --render k6-operator.", { image: "x" }],
    ["--out takes prometheus=URL once.", { outputs: [prometheus, prometheus] }],
    ['--out takes prometheus=URL or otlp=URL, not "otlp=grpc://a".', { folders: ["otlp=grpc://a"] }],
    ["--rate and --vus do not go together: users who wait for their own have no rate.", { rate: 5, vus: 5 }],
    ["--profile says how a service behaves that is started for this, and none is.", { target: a, profile: "flaky" }],
    ["--profile says how a service behaves that is started for this, and none is.", { ...pair, profile: "flaky" }],
    [
      "--target, --segments, --out, --thresholds, --baseline, --record and --ab do not go together: leave one out.",
      { ...pair, target: a, segments: 2, outputs: [prometheus], thresholds: "x", baseline: "x", record: true }
    ],
    [`--ab takes two services: load smoke --ab ${a} URL2.`, { ab: a }],
    ['--ab takes "simulated" or a web address such as https://host twice, not "b".', { ab: a, other: "b" }],
    [
      "--ab, --baseline, --record, --pairs, --seed, --tolerance, --profile, --report-dir and --render do not go together: leave one out.",
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
      'With --render, --out takes one folder beside prometheus=URL and otlp=URL, not "load" and "promethus=http://a".',
      { ...rendered, folders: ["load", "promethus=http://a"] }
    ]
  ]
  for (const [sentence, flags] of unheard) {
    it(`refuses: ${sentence}`, () => assert.strictEqual(LoadFlags.mistakeIn({ ...none, ...flags }), sentence))
  }
})
