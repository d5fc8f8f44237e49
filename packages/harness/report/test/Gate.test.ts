import { assert, describe, it } from "@effect/vitest"
import * as Gate from "../src/Gate.ts"
import type { Reason } from "../src/GateResult.ts"
import * as Skip from "../src/Skip.ts"
import type { JudgedRow, NightJudgement } from "../src/NightJudgement.ts"
import type { RunReport, ScenarioResult, Verdict } from "../src/RunReport.ts"
import { reportOf as report, resultOf, trialOf } from "./reports.ts"

const result = (name: string, verdict: Verdict, change: Partial<ScenarioResult> = {}): ScenarioResult =>
  resultOf(name, verdict === "skipped" ? [] : [trialOf(verdict === "flaky" ? {} : { verdict })], { verdict, ...change })

const passed = result("pays", "passed")

const row = (change: Partial<JudgedRow> = {}): JudgedRow => ({
  figure: "pass rate",
  scenario: { suite: "shop", name: "buys" },
  verdict: "no evidence",
  now: "60 %",
  before: "70 %",
  window: 1,
  since: "2026-11-21T00:00:00Z",
  nights: 9,
  failedBefore: 14,
  evidence: "it passed as often before.",
  detectable: "30 %",
  ...change
})

const judged = (...rows: ReadonlyArray<JudgedRow>): { readonly judgement: NightJudgement } => ({
  judgement: { verdict: "no evidence", nights: 9, passedOver: [], differences: [], rows }
})

/** Rows of a history of this many nights. */
const judgedBy = (nights: number, ...rows: ReadonlyArray<JudgedRow>): { readonly judgement: NightJudgement } => ({
  judgement: { ...judged(...rows).judgement, nights }
})

const few = (nights: number, tier: "unusual" | "fine") =>
  row({ verdict: "not enough data", nights, failedBefore: nights, tier })

const quarantine = (expired: boolean) => ({
  quarantine: { owner: "ann", reason: "the shop is rebuilt", expires: "2026-12-01", expired }
})

const many = [trialOf(), trialOf(), trialOf(), trialOf()]
const breach = {
  invariant: "created-twice",
  facts: { _tag: "Reported", text: "one run was made twice.", entries: [] } as const,
  resource: "r-1"
}
const leak = { id: "b-1", stopped: true }
const unrun = result("waits", "skipped", Skip.said({ _tag: "CostLimit", limit_usd: "5" }))

/** What makes it red, then what is only said. */
const cases: ReadonlyArray<readonly [string, RunReport, ReadonlyArray<string>, ReadonlyArray<string>]> = [
  ["everything passed", report([passed]), [], []],
  ["it was stopped", report([passed], { interrupted: true }), ["the run was stopped before every scenario ran"], []],
  ["a scenario failed", report([passed, result("buys", "failed")]), ["1 scenario failed: shop › buys"], []],
  [
    "many failed: three are named",
    report(["a", "b", "c", "d", "e"].map((name) => result(name, "failed"))),
    ["5 scenarios failed: shop › a, shop › b, shop › c, and 2 more"],
    []
  ],
  [
    "claimed",
    report([result("buys", "claimed")]),
    ["1 scenario failed although the agent reported success: shop › buys"],
    []
  ],
  ["flaky", report([result("buys", "flaky")]), ["1 scenario passed in some trials only: shop › buys"], []],
  [
    "infra",
    report([result("buys", "infra")]),
    ["1 scenario could not run: the service was unreachable: shop › buys"],
    []
  ],
  [
    "unscored",
    report([result("buys", "unscored")]),
    ["1 scenario could not be scored: an oracle failed: shop › buys"],
    []
  ],
  [
    "a passed scenario broke an invariant",
    report([result("buys", "passed", { trials: [trialOf({ breaches: [breach] })] })]),
    ["1 scenario broke an invariant: shop › buys"],
    []
  ],
  [
    "a passed scenario left a browser open",
    report([result("buys", "passed", { trials: [trialOf({ leakedBrowsers: [leak] })] })]),
    ["1 scenario left browsers open: shop › buys"],
    []
  ],
  [
    "an invariant that no trial is blamed for",
    report([passed], { breaches: [breach] }),
    ["created-twice: one run was made twice."],
    []
  ],
  [
    "flaky as in nine nights before",
    report([result("buys", "flaky")], judged(row())),
    [],
    ["1 scenario did not pass in every trial, as usual: shop › buys"]
  ],
  [
    "a passed scenario left a browser open, and its pass rate is as ever",
    report(
      [result("buys", "failed", { trials: [trialOf({ leakedBrowsers: [leak] })] })],
      judged(row({ tier: "fine" }))
    ),
    ["1 scenario left browsers open: shop › buys"],
    []
  ],
  [
    "flaky, and four nights are too few",
    report([result("buys", "flaky")], judgedBy(4, few(4, "unusual"))),
    ["1 scenario passed in some trials only: shop › buys"],
    []
  ],
  [
    "flaky, and four nights know it so",
    report([result("buys", "flaky")], judgedBy(4, few(4, "fine"))),
    [],
    ["1 scenario did not pass in every trial, as usual: shop › buys"]
  ],
  [
    "flaky and new, and four nights are too few to tell what is",
    report([result("buys", "flaky")], judgedBy(4, few(0, "fine"))),
    ["1 scenario passed in some trials only: shop › buys"],
    []
  ],
  [
    "flaky and new in a history, which is unusual",
    report([result("buys", "flaky")], judgedBy(5, few(0, "unusual"))),
    [],
    []
  ],
  [
    "flaky as seldom in the four nights that know it, which is unusual",
    report([result("buys", "flaky")], judged(few(4, "unusual"))),
    [],
    []
  ],
  [
    "new in a history, and failed in every trial",
    report([result("buys", "failed")], judged(few(0, "unusual"))),
    ["1 scenario failed: shop › buys"],
    []
  ],
  [
    "new in a history, and a browser was left open",
    report([result("buys", "flaky", { trials: [trialOf({ leakedBrowsers: [leak] })] })], judged(few(0, "unusual"))),
    ["1 scenario left browsers open: shop › buys"],
    []
  ],
  [
    "failed in every trial, as it often does",
    report([result("buys", "failed")], judged(row({ tier: "fine" }))),
    ["1 scenario failed: shop › buys"],
    []
  ],
  [
    "failed in every planned trial as it often does, and passed a confirm trial",
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
      judged(row({ tier: "fine" }))
    ),
    [],
    ["1 scenario did not pass in every trial, as usual: shop › buys"]
  ],
  [
    "flaky for the first time in nine nights",
    report([result("buys", "flaky")], judged(row({ before: "100 %", failedBefore: 0 }))),
    [],
    [
      "1 scenario did not pass in every trial, unlike in the compared nights; one such night is no evidence of a regression: shop › buys"
    ]
  ],
  [
    "flaky as never before, which is unusual and neither red nor as usual",
    report([result("buys", "flaky")], judged(row({ tier: "unusual" }))),
    [],
    []
  ],
  [
    "failed in every trial, which is unusual",
    report([result("buys", "failed")], judged(row({ tier: "unusual" }))),
    ["1 scenario failed: shop › buys"],
    []
  ],
  [
    "two scenarios that regressed in the same night",
    report(
      [passed],
      judged(row({ verdict: "regressed" }), row({ verdict: "regressed", scenario: { suite: "shop", name: "pays" } }))
    ),
    ["pass rate of 2 scenarios (shop › buys, shop › pays): it passed as often before."],
    []
  ],
  [
    "flaky, and its row says that there is not enough data",
    report([result("buys", "flaky")], judged(row({ verdict: "not enough data" }))),
    ["1 scenario passed in some trials only: shop › buys"],
    []
  ],
  [
    "flaky, and another scenario is as before",
    report([result("buys", "flaky")], judged(row({ scenario: { suite: "shop", name: "pays" } }))),
    ["1 scenario passed in some trials only: shop › buys"],
    []
  ],
  [
    "flaky, and its duration is as before",
    report([result("buys", "flaky")], judged(row({ figure: "duration" }))),
    ["1 scenario passed in some trials only: shop › buys"],
    []
  ],
  [
    "never passed, as before",
    report([result("buys", "failed")], judged(row())),
    ["1 scenario failed: shop › buys"],
    []
  ],
  [
    "flaky, and worse than before",
    report([result("buys", "flaky")], judged(row({ verdict: "regressed" }))),
    ["1 scenario passed in some trials only: shop › buys", "pass rate of shop › buys: it passed as often before."],
    []
  ],
  [
    "flaky as before, with a leak",
    report([result("buys", "flaky", { trials: [trialOf({ leakedBrowsers: [leak] })] })], judged(row())),
    ["1 scenario left browsers open: shop › buys"],
    ["1 scenario did not pass in every trial, as usual: shop › buys"]
  ],
  [
    "worse than before",
    report([passed], judged(row({ verdict: "regressed" }), row({ verdict: "regressed", scenario: null }))),
    [
      "pass rate of shop › buys: it passed as often before.",
      "pass rate of the whole night: it passed as often before."
    ],
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
    ["2 scenarios failed, and is in quarantine: shop › buys, shop › leaks"]
  ],
  [
    "quarantine has expired",
    report([result("buys", "passed", quarantine(true)), result("pays", "failed", quarantine(true))]),
    ["1 scenario failed: shop › pays", "2 scenarios are in quarantine past the expiry date: shop › buys, shop › pays"],
    []
  ],
  [
    "a limit kept some from running",
    report([
      passed,
      unrun,
      result("half", "passed", {
        ...Skip.said({ _tag: "CostLimit", limit_usd: "5" }),
        trials: [trialOf(), trialOf({ verdict: "skipped" })]
      })
    ]),
    [],
    ["1 scenario was not run, 1 scenario not with all trials: --max-cost (5.00 USD) was reached"]
  ],
  [
    "a limit kept all from running",
    report([unrun]),
    ["no scenario ran to its end"],
    ["1 scenario was not run: --max-cost (5.00 USD) was reached"]
  ],
  [
    "what the target cannot serve is not missing",
    report([passed, result("needy", "skipped", { needs: ["control-api"], reason: "no control API" })]),
    [],
    []
  ],
  [
    "the target can serve nothing",
    report([result("needy", "skipped", { needs: ["control-api"], reason: "no control API" })]),
    ["no scenario ran to its end"],
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
    "the service was away in some trials",
    report([result("buys", "passed", { trials: [...many, trialOf({ verdict: "infra" })] })]),
    [],
    ["1 scenario could not be scored in every trial: shop › buys"]
  ],
  [
    "the service was away in too many trials",
    report([result("buys", "passed", { trials: [trialOf(), trialOf(), trialOf({ verdict: "infra" })] })]),
    ["too few results: the infrastructure ended 1 of 3 trials"],
    ["1 scenario could not be scored in every trial: shop › buys"]
  ],
  [
    "the service was away in too many trials of what is in quarantine",
    report([
      passed,
      result("buys", "passed", { ...quarantine(false), trials: [trialOf(), trialOf(), trialOf({ verdict: "infra" })] })
    ]),
    [],
    ["1 scenario could not be scored in every trial: shop › buys"]
  ]
]

describe("Gate", () => {
  for (const [what, given, reasons, notes] of cases) {
    it(`${what}: ${reasons.length === 0 ? "green" : "red"}`, () => {
      const gate = Gate.decide(given)
      const sentences = (list: ReadonlyArray<Reason>) => list.map(({ sentence }) => sentence)
      assert.deepStrictEqual([sentences(gate.reasons), sentences(gate.notes)], [reasons, notes])
      assert.strictEqual(gate.green, reasons.length === 0)
    })
  }

  it("a report that carries its decision is not decided again", () => {
    const gate = { green: false, reasons: [{ rule: "limit", sentence: "a limit" }], notes: [] } as const
    assert.strictEqual(Gate.of(report([passed], { gate })), gate)
    assert.isTrue(Gate.of(report([passed])).green)
  })

  it("a scenario that began and finished no trial in time is red, one that did not begin is not", () => {
    const skip = Skip.said({ _tag: "ScenarioTimeLimit", limit_ms: 2000 })
    const cut = (requests: number) =>
      result("hangs", "skipped", { ...skip, trials: [trialOf({ verdict: "skipped", ...skip, requests })] })
    const within = (results: ReadonlyArray<ScenarioResult>) => Gate.decide(report(results))
    assert.deepStrictEqual(within([passed, cut(3)]).reasons, [
      { rule: "not run", sentence: "1 scenario exceeded --max-scenario-time: shop › hangs" }
    ])
    assert.isTrue(within([passed, cut(0)]).green)
    // one that came to its end says more than one that did not
    const some = result("slow", "passed", { trials: [trialOf(), trialOf({ verdict: "skipped", ...skip })] })
    assert.isTrue(within([passed, some]).green)
  })
})

it("that a new scenario is flaky does not tell why the whole night passed less often", () => {
  const whole = row({ scenario: null, tier: "unusual" })
  const unusual = (...rows: ReadonlyArray<JudgedRow>) =>
    Gate.unusual(report([passed, result("buys", "flaky")], judged(...rows)))
  assert.deepStrictEqual(unusual(whole, few(0, "unusual")), [whole, few(0, "unusual")])
  assert.deepStrictEqual(unusual(whole, few(1, "unusual")), [few(1, "unusual")])
})

it("that a new scenario failed has no nights before that tell more", () => {
  const [known, fresh] = [row({ tier: "unusual" }), few(0, "unusual")].map((its) =>
    Gate.problems(report([result("buys", "failed")], judged(its)))
  )
  assert.deepStrictEqual([known?.length, known?.[0]?.row?.nights], [1, 9])
  assert.deepStrictEqual([fresh?.length, fresh?.[0]?.row], [1, undefined])
})

it("of many scenarios the new ones are named, each with its age", () => {
  const failing = (name: string, nights: number) =>
    result(name, "failed", { onset: { trials: { since: "2026-11-14T02:00:00.000Z", nights, known: 9 } } })
  const results = [failing("a", 7), failing("b", 7), failing("c", 7), failing("d", 1), passed]
  assert.deepStrictEqual(
    Gate.decide(report(results)).reasons.map(({ sentence }) => sentence),
    [
      "4 scenarios failed: shop › d (new), shop › a (since 2026-11-14, 7 nights), shop › b (since 2026-11-14, 7 nights), and 1 more"
    ]
  )
})

describe("what is wrong", () => {
  const rulesOf = (of: RunReport) => Gate.problems(of).map(({ rule }) => rule)
  const limit = { exceeded: [{ _tag: "MaxDuration", limit_ms: 500, actual_ms: 1000 }] } as const
  const breaking = result("breaks", "passed", { trials: [trialOf({ breaches: [breach] })] })

  it("comes with the worst first, and what passes less often than before is as bad as what failed", () => {
    const slow = result("slow", "passed", limit)
    const flaky = result("buys", "flaky")
    assert.deepStrictEqual(rulesOf(report([breaking, flaky, slow])), ["scenario limit", "invariant", "flaky"])
    assert.deepStrictEqual(rulesOf(report([breaking, flaky], judged(row({ verdict: "regressed" })))), [
      "flaky",
      "invariant"
    ])
  })

  it("is a leaked browser once, by whatever it is seen", () => {
    const open = { ...breach, invariant: "browsers-left-open" }
    const leaking = result("leaks", "passed", { trials: [trialOf({ leakedBrowsers: [leak], breaches: [open] })] })
    const whole = row({ figure: "leaked browsers", scenario: null, verdict: "regressed" })
    assert.deepStrictEqual(rulesOf(report([leaking], judged(whole))), ["leak"])
    assert.lengthOf(Gate.decide(report([leaking], judged(whole))).reasons, 1)
  })

  it("is no quarantine that has not expired", () => {
    const rules = (expired: boolean) =>
      Gate.problemsOf(result("buys", "failed", quarantine(expired))).map(({ rule }) => rule)
    assert.deepStrictEqual([rules(false), rules(true)], [["failed"], ["failed", "quarantine"]])
  })

  it("is not excused by a usual pass rate where a scenario cost too much or took too long", () => {
    const because = (kind: "budget" | "limit", change: Partial<ScenarioResult> = {}) =>
      Gate.decide(
        report(
          [result("buys", "failed", { failure: { kind, message: "too much" }, ...change })],
          judged(row({ tier: "fine" }))
        )
      )
    assert.deepStrictEqual(
      [because("budget"), because("limit", limit)].map(({ notes, reasons }) => [
        reasons.map(({ rule }) => rule),
        notes.length
      ]),
      [
        [["failed"], 0],
        [["scenario limit"], 0]
      ]
    )
  })

  it("is a finding for each night in which scenarios regressed", () => {
    const worse = (name: string, since: string) =>
      row({ verdict: "regressed", figure: "duration", scenario: { suite: "shop", name }, since })
    const found = (since: string) => Gate.findings([worse("a", "2026-11-21"), worse("b", since)]).length
    assert.deepStrictEqual([found("2026-11-21"), found("2026-11-20")], [1, 2])
  })

  it("is more than a fifth of the trials that the infrastructure ended", () => {
    const away = (ended: number) =>
      Gate.awayTooOften([
        result("buys", "passed", {
          trials: Array.from({ length: 40 }, (_, at) => trialOf(at < ended ? { verdict: "infra" } : {}))
        })
      ])
    assert.deepStrictEqual([away(8), away(9)], [undefined, { failed: 9, trials: 40 }])
  })
})

it("a shard that is missing is red, however well the others are", () => {
  const shard = (index: number) => ({ index, of: 3, startedAt: "", duration_ms: 1, interrupted: false })
  const of = (...indexes: ReadonlyArray<number>) => Gate.decide({ ...report([passed]), shards: indexes.map(shard) })
  assert.isTrue(of(1, 2, 3).green)
  assert.deepStrictEqual(of(1, 3).reasons, [{ rule: "not run", sentence: "1 of 3 shards is missing" }])
})
