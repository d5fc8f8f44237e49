import { assert, describe, it } from "@effect/vitest"
import type { Comparison } from "@webagent/report/Comparison"
import { unreachableOf } from "@webagent/report/CutShort"
import { type Finding, ofSeverity, statusOf } from "@webagent/report/Finding"
import type { NightJudgement } from "@webagent/report/NightJudgement"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import type { Verdict } from "@webagent/report/Verdict"
import * as Findings from "../src/Findings.ts"
import { findingsOfResult } from "../src/ScenarioFindings.ts"
import { reportOf as report, resultOf, trialOf } from "./reports.ts"

const result = (name: string, verdict: Verdict, change: Partial<ScenarioResult> = {}): ScenarioResult =>
  resultOf(name, verdict === "skipped" ? [] : [trialOf(verdict === "flaky" ? {} : { verdict })], { verdict, ...change })

const passed = result("pays", "passed")

const row = (change: Partial<Comparison> = {}): Comparison => ({
  figure: "pass rate",
  scenario: { suite: "shop", name: "buys" },
  verdict: "no evidence",
  isUnusual: false,
  now: { _tag: "Rate", passed: 3, scored: 5 },
  before: { _tag: "Rate", passed: 31, scored: 45 },
  window: 1,
  since: "2026-11-21T00:00:00Z",
  nights: 9,
  detectable: null,
  ...change
})

const judged = (...rows: ReadonlyArray<Comparison>): { readonly judgement: NightJudgement } => ({
  judgement: { verdict: "no evidence", nights: 9, passedOver: [], differences: [], rows }
})

/** Rows of a history of this many nights. */
const judgedBy = (nights: number, ...rows: ReadonlyArray<Comparison>): { readonly judgement: NightJudgement } => ({
  judgement: { ...judged(...rows).judgement, nights }
})

const few = (nights: number, isUnusual: boolean) =>
  row({
    verdict: "not enough data",
    nights,
    isUnusual,
    before: nights === 0 ? null : { _tag: "Rate", passed: 4 * nights, scored: 5 * nights }
  })

const quarantine = (expired: boolean) => ({
  quarantine: { owner: "ann", reason: "the shop is rebuilt", expires: "2026-12-01", expired }
})

const many = [trialOf(), trialOf(), trialOf(), trialOf()]
const reported = (text: string) => ({ _tag: "Reported", text, entries: [] }) as const
const breach = { invariant: "created-twice", facts: reported("one run was made twice."), resource: "r-1" }
const leak = { id: "b-1", stopped: true }
const unrun = result("waits", "skipped", { skip: { _tag: "CostLimit", limit_usd: "5" } } as const)

/** A run with its errors and its notes. */
const cases: ReadonlyArray<readonly [string, RunReport, ReadonlyArray<string>, ReadonlyArray<string>]> = [
  ["everything passed", report([passed]), [], []],
  ["it was stopped", report([passed], { interrupted: true }), ["Stopped"], []],
  ["a scenario failed", report([passed, result("buys", "failed")]), ["Failed buys"], []],
  [
    "many failed without a common cause",
    report(["a", "b", "c", "d", "e"].map((name) => result(name, "failed"))),
    ["Failed a", "Failed b", "Failed c", "Failed d", "Failed e"],
    []
  ],
  ["claimed", report([result("buys", "claimed")]), ["Failed (claimed) buys"], []],
  ["flaky", report([result("buys", "flaky")]), ["Flaky buys"], []],
  ["infra", report([result("buys", "infra")]), ["Unreachable buys"], []],
  ["unscored", report([result("buys", "unscored")]), ["Unscored buys"], []],
  [
    "a passed scenario broke an invariant",
    report([result("buys", "passed", { trials: [trialOf({ breaches: [breach] })] })]),
    ["BrokenInvariant buys"],
    []
  ],
  [
    "a passed scenario leaked a browser",
    report([result("buys", "passed", { trials: [trialOf({ leakedBrowsers: [leak] })] })]),
    ["Leak buys"],
    []
  ],
  ["an invariant broken by no particular trial", report([passed], { breaches: [breach] }), ["BrokenInvariant"], []],
  ["flaky as in nine nights before", report([result("buys", "flaky")], judged(row())), [], ["Flaky (usual) buys"]],
  [
    "a passed scenario leaked a browser, and its pass rate is usual",
    report([result("buys", "failed", { trials: [trialOf({ leakedBrowsers: [leak] })] })], judged(row())),
    ["Leak buys"],
    []
  ],
  [
    "flaky, with four nights, which are too few",
    report([result("buys", "flaky")], judgedBy(4, few(4, true))),
    ["Flaky buys"],
    []
  ],
  [
    "flaky, as in four earlier nights",
    report([result("buys", "flaky")], judgedBy(4, few(4, false))),
    [],
    ["Flaky (usual) buys"]
  ],
  [
    "flaky and new, with too few nights to judge",
    report([result("buys", "flaky")], judgedBy(4, few(0, false))),
    ["Flaky buys"],
    []
  ],
  [
    "flaky and new in a history, which is unusual",
    report([result("buys", "flaky")], judgedBy(5, few(0, true))),
    [],
    []
  ],
  [
    "flaky more than in its four nights, which is unusual",
    report([result("buys", "flaky")], judged(few(4, true))),
    [],
    []
  ],
  [
    "new in a history, and failed in every trial",
    report([result("buys", "failed")], judged(few(0, true))),
    ["Failed buys"],
    []
  ],
  [
    "new in a history, with a leaked browser",
    report([result("buys", "flaky", { trials: [trialOf({ leakedBrowsers: [leak] })] })], judged(few(0, true))),
    ["Leak buys"],
    []
  ],
  ["failed in every trial, as it often does", report([result("buys", "failed")], judged(row())), ["Failed buys"], []],
  [
    "failed in every planned trial as it often does, and passed an extra trial",
    report(
      [
        result("buys", "failed", {
          confirm: {
            figure: "pass rate",
            outcome: "not confirmed",
            trials: [trialOf(), trialOf({ verdict: "failed" })]
          }
        })
      ],
      judged(row())
    ),
    [],
    ["Flaky (usual) buys"]
  ],
  [
    "flaky for the first time in nine nights",
    report([result("buys", "flaky")], judged(row({ before: { _tag: "Rate", passed: 45, scored: 45 } }))),
    [],
    ["Flaky buys"]
  ],
  [
    "flakier than ever, which is unusual but no failure",
    report([result("buys", "flaky")], judged(row({ isUnusual: true }))),
    [],
    []
  ],
  [
    "failed in every trial, which is unusual",
    report([result("buys", "failed")], judged(row({ isUnusual: true }))),
    ["Failed buys"],
    []
  ],
  [
    "two scenarios that regressed in the same night",
    report(
      [passed],
      judged(row({ verdict: "regressed" }), row({ verdict: "regressed", scenario: { suite: "shop", name: "pays" } }))
    ),
    ["Regressed buys", "Regressed pays"],
    []
  ],
  [
    "flaky, with too little data in its row",
    report([result("buys", "flaky")], judged(row({ verdict: "not enough data" }))),
    ["Flaky buys"],
    []
  ],
  [
    "flaky, next to an unchanged scenario",
    report([result("buys", "flaky")], judged(row({ scenario: { suite: "shop", name: "pays" } }))),
    ["Flaky buys"],
    []
  ],
  [
    "flaky, with an unchanged duration",
    report([result("buys", "flaky")], judged(row({ figure: "duration" }))),
    ["Flaky buys"],
    []
  ],
  ["never passed, as before", report([result("buys", "failed")], judged(row())), ["Failed buys"], []],
  [
    "flaky, and worse than before",
    report([result("buys", "flaky")], judged(row({ verdict: "regressed" }))),
    ["Flaky buys"],
    []
  ],
  [
    "flaky as before, with a leak",
    report([result("buys", "flaky", { trials: [trialOf({ leakedBrowsers: [leak] })] })], judged(row())),
    ["Leak buys"],
    ["Flaky (usual) buys"]
  ],
  [
    "worse than before",
    report([passed], judged(row({ verdict: "regressed" }), row({ verdict: "regressed", scenario: null }))),
    ["Regressed buys", "Regressed"],
    []
  ],
  [
    "in quarantine",
    report(
      [
        result("buys", "failed", quarantine(false)),
        result("leaks", "passed", {
          ...quarantine(false),
          trials: [trialOf({ leakedBrowsers: [leak], breaches: [breach] })]
        })
      ],
      judged(row({ verdict: "regressed" }))
    ),
    [],
    ["Quarantined buys, leaks"]
  ],
  [
    "quarantine has expired",
    report([result("buys", "passed", quarantine(true)), result("pays", "failed", quarantine(true))]),
    ["Failed (expired) pays", "QuarantineExpired buys"],
    []
  ],
  [
    "a limit excluded some scenarios",
    report([
      passed,
      unrun,
      result("half", "passed", {
        skip: { _tag: "CostLimit", limit_usd: "5" },
        trials: [trialOf(), trialOf({ verdict: "skipped" })]
      })
    ]),
    [],
    ["NotRun waits, half"]
  ],
  ["a limit excluded all scenarios", report([unrun]), ["NothingRan"], ["NotRun waits"]],
  [
    "scenarios that the target can't serve",
    report([passed, result("needy", "skipped", { needs: ["control-api"], reason: "no control API" })]),
    [],
    []
  ],
  [
    "the target can serve nothing",
    report([result("needy", "skipped", { needs: ["control-api"], reason: "no control API" })]),
    ["NothingRan"],
    []
  ],
  [
    "a shard without a scenario that the target can serve",
    (({ header, ...rest }) => ({ ...rest, header: { ...header, shard: { index: 1, of: 2 } } }))(
      report([result("needy", "skipped", { needs: ["control-api"], reason: "no control API" })])
    ),
    [],
    []
  ],
  [
    "the service was unavailable in some trials",
    report([result("buys", "passed", { trials: [...many, trialOf({ verdict: "infra" })] })]),
    [],
    ["PartlyScored buys"]
  ],
  [
    "the service was unavailable in too many trials",
    report([result("buys", "passed", { trials: [trialOf(), trialOf(), trialOf({ verdict: "infra" })] })]),
    ["TooManyUnreachable"],
    ["PartlyScored buys"]
  ],
  [
    "the service was unavailable in too many trials of a quarantined scenario",
    report([
      passed,
      result("buys", "passed", { ...quarantine(false), trials: [trialOf(), trialOf(), trialOf({ verdict: "infra" })] })
    ]),
    [],
    ["PartlyScored buys"]
  ]
]

/** A finding by its kind and the names of its scenarios. */
const inShort = ({ kind, scenarios }: Finding): string =>
  [
    kind._tag === "Incomplete" ? kind.why._tag : kind._tag,
    ...(kind._tag === "Failed" && kind.claimedSuccess ? ["(claimed)"] : []),
    ...(kind._tag === "Flaky" && kind.isUsual ? ["(usual)"] : []),
    ...(scenarios.some(({ isQuarantineExpired }) => isQuarantineExpired === true) ? ["(expired)"] : []),
    ...(scenarios.length === 0 ? [] : [scenarios.map(({ name }) => name).join(", ")])
  ].join(" ")

const errors = (of: RunReport) => ofSeverity(Findings.findingsOf(of), "error").map(inShort)
const notes = (of: RunReport) => ofSeverity(Findings.findingsOf(of), "note").map(inShort)

describe("a run's findings", () => {
  for (const [what, run, its, noted] of cases) {
    it(`${what}: ${its.length === 0 ? "passes" : "fails"}`, () => {
      assert.deepStrictEqual([errors(run), notes(run)], [its, noted])
      assert.strictEqual(statusOf(Findings.findingsOf(run)) === "failed", its.length > 0)
    })
  }

  it("are computed once, so a report that contains them is not judged again", () => {
    const findings: ReadonlyArray<Finding> = [
      { kind: { _tag: "CostUnknown", runs: ["r-1"] }, severity: "error", scenarios: [] }
    ]
    assert.strictEqual(Findings.of(report([passed], { findings })), findings)
    assert.deepStrictEqual(Findings.of(report([passed])), [])
  })

  it("fail a scenario that started and finished no trial in time, but not one that didn't start", () => {
    const skip = { skip: { _tag: "ScenarioTimeLimit", limit_ms: 2000 } } as const
    const cut = (requests: number) =>
      result("hangs", "skipped", { ...skip, trials: [trialOf({ verdict: "skipped", ...skip, requests })] })
    assert.deepStrictEqual(errors(report([passed, cut(3)])), ["ScenarioTimeLimit hangs"])
    assert.deepStrictEqual(errors(report([passed, cut(0)])), [])
    // a trial that finished says more than one that did not
    const some = result("slow", "passed", { trials: [trialOf(), trialOf({ verdict: "skipped", ...skip })] })
    assert.deepStrictEqual(errors(report([passed, some])), [])
  })

  it("give no reason for the whole run's pass rate if a new scenario is flaky", () => {
    const whole = row({ scenario: null, isUnusual: true })
    const unusual = (...rows: ReadonlyArray<Comparison>) =>
      Findings.warningsOf(report([passed, result("buys", "flaky")], judged(...rows))).map(inShort)
    assert.deepStrictEqual(unusual(whole, few(0, true)), ["Unusual", "Unusual buys"])
    assert.deepStrictEqual(unusual(whole, few(1, true)), ["Unusual buys"])
  })

  it("compare a failure with earlier runs, unless it is new", () => {
    const [known, fresh] = [row({ isUnusual: true }), few(0, true)].map((its) =>
      Findings.errorsOf(report([result("buys", "failed")], judged(its))).map(
        ({ scenarios: [first] }) => first?.comparison?.nights
      )
    )
    assert.deepStrictEqual([known, fresh], [[9], [undefined]])
  })

  it("group scenarios whose figure regressed in the same night, the worst first", () => {
    const [tonight, earlier] = ["2026-11-21T02:00:00.000Z", "2026-11-14T02:00:00.000Z"]
    const slower = (name: string, since: string, change: number) =>
      row({
        figure: "duration",
        scenario: { suite: "shop", name },
        verdict: "regressed",
        change,
        onset: { since, nights: since === tonight ? 1 : 7, known: 9 }
      })
    const rows = [slower("a", tonight, 0.3), slower("b", earlier, 0.4), slower("c", tonight, 0.9)]
    const results = ["a", "b", "c"].map((name) => result(name, "passed"))
    assert.deepStrictEqual(errors(report(results, judged(...rows))), ["Regressed c, a", "Regressed b"])
    const costlier = { ...slower("a", tonight, 0.3), figure: "cost" } as const
    assert.deepStrictEqual(errors(report(results, judged(costlier, ...rows.slice(1)))), [
      "Regressed a",
      "Regressed c",
      "Regressed b"
    ])
  })

  it("name the new ones of many scenarios first", () => {
    const failing = (name: string, nights: number) =>
      result(name, "failed", { onset: { trials: { since: "2026-11-14T02:00:00.000Z", nights, known: 9 } } })
    const results = [failing("a", 7), failing("b", 7), failing("c", 7), failing("d", 1), passed]
    assert.deepStrictEqual(errors(report(results)), ["Failed d", "Failed a", "Failed b", "Failed c"])
  })
})

describe("the order of errors", () => {
  const limit = { exceeded: [{ _tag: "MaxDuration", limit_ms: 500, actual_ms: 1000 }] } as const
  const breaking = result("breaks", "passed", { trials: [trialOf({ breaches: [breach] })] })

  it("puts the worst first, and a lower pass rate next to failures", () => {
    const slow = result("slow", "passed", limit)
    const flaky = result("buys", "flaky")
    assert.deepStrictEqual(errors(report([breaking, flaky, slow])), [
      "LimitExceeded slow",
      "BrokenInvariant breaks",
      "Flaky buys"
    ])
    assert.deepStrictEqual(errors(report([breaking, flaky], judged(row({ verdict: "regressed" })))), [
      "Flaky buys",
      "BrokenInvariant breaks"
    ])
  })

  it("lists a leaked browser once, wherever it was found", () => {
    const open = { ...breach, invariant: "browsers-left-open" }
    const leaking = result("leaks", "passed", { trials: [trialOf({ leakedBrowsers: [leak], breaches: [open] })] })
    const whole = row({ figure: "leaked browsers", scenario: null, verdict: "regressed" })
    assert.deepStrictEqual(errors(report([leaking], judged(whole))), ["Leak leaks"])
  })

  it("marks a failing scenario whose quarantine has expired", () => {
    const expired = (is: boolean) =>
      findingsOfResult(result("buys", "failed", quarantine(is))).map(({ finding }) => inShort(finding))
    assert.deepStrictEqual([expired(false), expired(true)], [["Failed buys"], ["Failed (expired) buys"]])
  })

  it("does not excuse a scenario by its usual pass rate if it cost too much or took too long", () => {
    const because = (kind: "budget" | "limit", change: Partial<ScenarioResult> = {}) =>
      report([result("buys", "failed", { failure: { kind, message: "too much" }, ...change })], judged(row()))
    assert.deepStrictEqual(
      [because("budget"), because("limit", limit)].map((run) => [errors(run), notes(run)]),
      [
        [["Failed buys"], []],
        [["LimitExceeded buys"], []]
      ]
    )
  })

  it("reports infrastructure errors in more than a fifth of the trials", () => {
    const away = (ended: number) =>
      unreachableOf([
        result("buys", "passed", {
          trials: Array.from({ length: 40 }, (_, at) => trialOf(at < ended ? { verdict: "infra" } : {}))
        })
      ])
    assert.deepStrictEqual([away(8), away(9)], [undefined, { trials: 9, of: 40 }])
  })
})

it("a missing shard fails a run, however many scenarios passed", () => {
  const shard = (index: number) => ({ index, of: 3, startedAt: "", duration_ms: 1, interrupted: false })
  const of = (...indexes: ReadonlyArray<number>) => errors({ ...report([passed]), shards: indexes.map(shard) })
  assert.deepStrictEqual([of(1, 2, 3), of(1, 3)], [[], ["LostShards"]])
})

it("a missing shard can be rerun with another shard's command, except for the folder and number", () => {
  const argsOf = (...args: ReadonlyArray<string>) => {
    const shard = { index: 1, of: 2, startedAt: "", duration_ms: 1, interrupted: false, args }
    const [finding] = Findings.findingsOf({ ...report([passed]), shards: [shard] })
    return finding?.kind._tag === "Incomplete" && finding.kind.why._tag === "LostShards" ? finding.kind.why.args : []
  }
  assert.deepStrictEqual(argsOf("a.suite.ts", "--shard", "1/2", "--record", "--report-dir=shards/1"), [
    "a.suite.ts",
    "--record",
    "--seed",
    String(report([]).header.seed)
  ])
  assert.deepStrictEqual(argsOf("--seed=9", "--shard=1/2", "--notify", "webhook=x"), ["--seed=9"])
})

it("folders of shards differ in a number that is in their name or a part of their path", () => {
  const foldersOf = (...folders: ReadonlyArray<string>) => {
    const shards = folders.map((folder, at) => ({
      index: at + 1,
      of: 9,
      startedAt: "",
      duration_ms: 1,
      interrupted: false,
      args: ["--report-dir", folder]
    }))
    const [finding] = Findings.findingsOf({ ...report([passed]), shards })
    return finding?.kind._tag === "Incomplete" && finding.kind.why._tag === "LostShards" ? finding.kind.why.folders : ""
  }
  assert.deepStrictEqual([foldersOf("out/shard-1", "out/shard-2"), foldersOf("1/out")], ["out/shard-*", "*/out"])
  assert.deepStrictEqual(
    [foldersOf("run1/out"), foldersOf("out/2"), foldersOf("a/1", "b/2")],
    [undefined, undefined, undefined]
  )
})
