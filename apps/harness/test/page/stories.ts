import { ofReport, type Night } from "@webagent/nights/Night"
import * as Money from "@webagent/cli/Money"
import type { NightJudgement } from "@webagent/report/NightJudgement"
import * as SuiteFigures from "@webagent/report/SuiteFigures"
import { countsOf, type RunReport, type ScenarioResult, verdictOf } from "@webagent/report/RunReport"
import type { Failure, Trial } from "@webagent/report/Trial"
import * as records from "@webagent/test-fixtures/Reports"
import { drawing } from "@webagent/statistics/Drawing"

const failure: Failure = {
  kind: "check",
  message: "the order that the shop keeps is the one that was asked for",
  expected: '{ "item": "red mug", "count": 1, "to": "Oslo" }',
  actual: '{ "item": "red mug", "count": 2, "to": "Oslo" }',
  diff: ["  {", '    "item": "red mug",', '-   "count": 1,', '+   "count": 2,', '    "to": "Oslo"', "  }"],
  where: "suites/checkout.suite.ts:61",
  source: 'yield* check.equal(order, { item: "red mug", count: 1, to: "Oslo" })',
  request: { method: "GET", path: "/api/v4/runs/7f0c11aa-3f5e-4d0c-9a3b-0d53f36a9ee1", status: 200, duration_ms: 3.2 }
}

const cancelled: Failure = { ...failure, message: "the order is cancelled", service: "The order was shipped." }

const lost: Failure = { kind: "error", message: "TransportError: the connection was reset before an answer came" }

const trialOf = (index: number, duration_ms: number, change: Partial<Trial> = {}): Trial => ({
  ...records.trial,
  index,
  seed: 881_200 + index,
  started_ms: 40 * index,
  duration_ms,
  checks: 4,
  requests: 23,
  cost_usd: "0.0132",
  ...change
})

const resultOf = (
  suite: string,
  name: string,
  trials: ReadonlyArray<Trial>,
  change: Partial<ScenarioResult> = {}
): ScenarioResult => {
  const failed = trials.find((trial) => trial.failure !== undefined)?.failure
  return {
    ...records.result,
    suite,
    name,
    source: "5f2e",
    tags: ["nightly"],
    needs: ["money"],
    verdict: verdictOf(trials),
    ...(failed === undefined ? {} : { failure: failed }),
    duration_ms: trials.reduce((sum, trial) => sum + trial.duration_ms, 0),
    checks: trials.reduce((sum, trial) => sum + trial.checks, 0),
    cost_usd: Money.sum(trials.map(({ cost_usd }) => cost_usd)),
    trials,
    ...change
  }
}

const names = [
  "a run completes and says what it cost",
  "a follow-up runs as the next turn",
  "an interrupt cancels the turn that runs",
  "closing the CDP connection does not stop the browser",
  "a result is fetched once, when the status is terminal",
  "a create that lost its answer is not sent twice",
  "a stopped session takes no more messages",
  "the cheapest direct flight from Oslo to Rome is found",
  "a proxy in Norway shows Norwegian prices",
  "a long page is read to its end"
]

const suiteNames = ["checkout", "travel", "v4-runs", "v4-browsers", "v3-sessions", "v2-sessions"]

/** Trials that pass, in `scenarios` scenarios. The more there are, the later a number tells names apart. */
const passing = (scenarios: number, trials: number, draw: () => number): ReadonlyArray<ScenarioResult> =>
  Array.from({ length: scenarios }, (_, index) => {
    const name = names[index % names.length] ?? ""
    const suite = suiteNames[Math.floor(index / names.length) % suiteNames.length] ?? ""
    const round = Math.floor(index / (names.length * suiteNames.length))
    const typical = 400 + 4000 * draw()
    return resultOf(
      suite,
      round === 0 ? name : `${name} (${round + 1})`,
      Array.from({ length: trials }, (_, trial) => trialOf(trial, typical * (0.85 + 0.3 * draw())))
    )
  })

const traced = (results: ReadonlyArray<ScenarioResult>): ReadonlyArray<ScenarioResult> => {
  let file = 0
  return results.map((result) => ({
    ...result,
    trials: result.trials.map((trial) =>
      trial.verdict === "skipped" ? trial : { ...trial, trace: `traces/${file++}.json` }
    )
  }))
}

const reportOf = (results: ReadonlyArray<ScenarioResult>, change: Partial<RunReport> = {}): RunReport => ({
  ...records.report,
  header: {
    ...records.report.header,
    startedAt: "2026-11-21T02:00:07.123Z",
    trials: 5,
    limits: { time_ms: 1_800_000, cost_usd: "10.00", reruns: 26 },
    suites: [...Map.groupBy(results, ({ suite }) => suite)].map(([name, group]) => ({ name, scenarios: group.length }))
  },
  duration_ms: 724_000,
  counts: countsOf(results),
  cost_usd: Money.sum(results.map((result) => result.cost_usd)),
  results,
  figures: SuiteFigures.of(results) ?? [],
  ...change
})

/** A month of nights before a report, in which times and pass rates vary a little. */
export const monthBefore = (report: RunReport, nights = 29): ReadonlyArray<Night> => {
  const draw = drawing(7)
  return Array.from({ length: nights }, (_, index) => {
    const slower = 0.95 + 0.1 * draw()
    const startedAt = new Date(Date.parse(report.header.startedAt) - (nights - index) * 86_400_000).toISOString()
    // what was not run tonight is new: the nights before are whole
    const ran = report.results.filter(({ trials }) => trials.length > 0)
    const results = ran.map((result) => {
      const trials = result.trials.map((trial) => {
        const { failure: _, ...rest } = trial
        const fails = draw() < 0.01
        return {
          ...rest,
          verdict: fails ? ("failed" as const) : ("passed" as const),
          duration_ms: trial.duration_ms * slower * (0.95 + 0.1 * draw()),
          reruns: [],
          leakedBrowsers: [],
          breaches: []
        }
      })
      return { ...result, verdict: verdictOf(trials), trials }
    })
    return ofReport({
      ...report,
      header: { ...report.header, startedAt },
      duration_ms: report.duration_ms * slower,
      counts: countsOf(results),
      results,
      cost_usd: (Number(report.cost_usd) * (0.97 + 0.06 * draw())).toFixed(4)
    })
  })
}

/** A night in which all is well. */
export const greenNight = (scenarios = 60): RunReport => reportOf(traced(passing(scenarios, 5, drawing(1))))

const judgement: NightJudgement = {
  verdict: "regressed",
  nights: 29,
  passedOver: [{ why: "OtherTarget", nights: 1 }],
  differences: ["tool 0.1.0, was 0.0.9"],
  rows: [
    {
      figure: "duration",
      scenario: null,
      verdict: "no evidence",
      isUnusual: false,
      now: { _tag: "Ratio", ratio: 1.002 },
      before: null,
      change: 0.002,
      spread: 0.03,
      window: 1,
      since: "2026-11-21T02:00:07.123Z",
      nights: 29,
      detectable: { amount: { _tag: "Ratio", ratio: 1.041 } }
    },
    {
      figure: "duration",
      scenario: { suite: "travel", name: names[1] ?? "" },
      verdict: "regressed",
      isUnusual: false,
      now: { _tag: "Duration", milliseconds: 3900 },
      before: { _tag: "Duration", milliseconds: 2770 },
      change: 0.41,
      relativeChange: 0.4,
      window: 2,
      since: "2026-11-20T02:00:04.000Z",
      nights: 28,
      pValue: 0.0001,
      detectable: { amount: { _tag: "Ratio", ratio: 1.09 } }
    },
    {
      figure: "pass rate",
      scenario: { suite: "checkout", name: names[2] ?? "" },
      verdict: "no evidence",
      isUnusual: false,
      now: { _tag: "Rate", passed: 5, scored: 5 },
      before: { _tag: "Rate", passed: 142, scored: 145 },
      window: 1,
      since: "2026-11-21T02:00:07.123Z",
      nights: 29,
      detectable: { amount: { _tag: "Share", share: 0.48 } }
    }
  ]
}

/** A night with one of everything that can be wrong, beside `good` scenarios that pass. */
export const redNight = (good = 60): RunReport => {
  const draw = drawing(3)
  const fails = (index: number, change: Partial<Trial> = {}) =>
    trialOf(index, 2400 + 600 * draw(), { verdict: "failed", failure, ...change })
  const results = [
    ...passing(good, 5, draw),
    resultOf("checkout", "buys the red mug", [
      fails(0, { opinions: { oracle: false, agent: true, judge: false }, verdict: "claimed" }),
      fails(1, { opinions: { oracle: false, agent: false, judge: false } }),
      fails(2, { opinions: { oracle: false, agent: true, judge: true }, verdict: "claimed" }),
      fails(3),
      fails(4)
    ]),
    resultOf("checkout", "an order can be cancelled", [
      trialOf(0, 2000),
      fails(1, { failure: cancelled }),
      trialOf(2, 2100),
      fails(3, { failure: cancelled }),
      trialOf(4, 2050)
    ]),
    resultOf("v4-browsers", "forgets to stop its browser", [
      trialOf(0, 900),
      trialOf(1, 950, {
        leakedBrowsers: [{ id: "b-91c2f0aa-77d1-4b5e-8f0a-1c2d3e4f5a6b", stopped: true }],
        breaches: [
          {
            invariant: "browsers-left-open",
            facts: { _tag: "Reported", text: "Browser b-91c2f0aa was made and never stopped.", entries: [] } as const,
            resource: "b-91c2f0aa"
          }
        ]
      })
    ]),
    resultOf("travel", "reads a timetable", [
      trialOf(0, 1200, { reruns: [{ started_ms: 10, duration_ms: 130, failure: lost }] }),
      trialOf(1, 1180),
      trialOf(2, 1300)
    ]),
    resultOf("travel", "books behind a login", [
      trialOf(0, 300, {
        verdict: "infra",
        failure: lost,
        reruns: [{ started_ms: 10, duration_ms: 130, failure: lost }]
      })
    ]),
    resultOf("travel", "compares two offers", [
      trialOf(0, 1900, { verdict: "unscored", reason: "the oracle could not look: its database did not answer" })
    ]),
    resultOf("travel", "a shop that moves next week", [fails(0), fails(1)], {
      quarantine: {
        owner: "ada",
        reason: "the shop moves, its new pages are not ready",
        expires: "2026-12-01",
        expired: false
      }
    }),
    resultOf("travel", "too expensive for tonight", [], {
      verdict: "skipped",
      skip: { _tag: "CostLimit", limit_usd: "10" },
      duration_ms: 0
    })
  ]
  return reportOf(traced(results), {
    judgement,
    breaches: [
      {
        invariant: "created-twice",
        facts: { _tag: "Reported", text: "Runs r-1 and r-2 were made by one create.", entries: [] } as const,
        resource: "r-2"
      }
    ],
    leftovers: [
      {
        kind: "run",
        id: "r-2",
        trial: null,
        state: "open",
        sentence: "It goes on at the service, which describes no way to end it."
      }
    ],
    proposals: [
      {
        suite: "v4-runs",
        scenario: names[0] ?? "",
        owner: "bob",
        clean: 64,
        failsBelow: 0.046
      }
    ]
  })
}

const yesterday = "2026-11-20T02:00:04.000Z"
const lastWeek = "2026-11-14T02:00:03.000Z"

/** Since when what is wrong in a red night is so, by its name. */
const onsets: Readonly<Record<string, NonNullable<ScenarioResult["onset"]>>> = {
  "buys the red mug": { trials: { since: lastWeek, nights: 8, known: 29 } },
  "an order can be cancelled": { trials: { since: yesterday, nights: 1, known: 29, between: 3, green: true } },
  "forgets to stop its browser": { invariants: { since: "2026-11-21T02:00:07.123Z", nights: 1, known: 29 } },
  "books behind a login": { trials: { since: "2026-11-21T02:00:07.123Z", nights: 1, known: 29 } },
  "compares two offers": { trials: { since: yesterday, nights: 2, known: 29 } },
  "a shop that moves next week": { trials: { since: lastWeek, nights: 8, known: 8 } }
}

/** A red night that says what of it is new. */
export const datedNight = (good = 60): RunReport => {
  const report = redNight(good)
  return {
    ...report,
    results: report.results.map((result) => {
      const onset = onsets[result.name]
      return onset === undefined ? result : { ...result, onset }
    }),
    judgement: {
      ...judgement,
      rows: judgement.rows.map((row) =>
        row.verdict === "regressed" ? { ...row, onset: { since: yesterday, nights: 2, known: 29 } } : row
      )
    }
  }
}

/** Many scenarios with many trials: a few fail, leak, or are run again. */
export const largeNight = (scenarios: number, trials: number): RunReport => {
  const draw = drawing(11)
  const results = passing(scenarios, trials, draw).map((result) => {
    if (draw() < 0.94) return result
    const changed = result.trials.map((trial) =>
      draw() < 0.5 ? { ...trial, verdict: "failed" as const, failure } : trial
    )
    return resultOf(result.suite, result.name, changed)
  })
  return reportOf(traced(results))
}

export const replay = ({ name, suite }: ScenarioResult) => `npm run harness -- run ${suite} --name "${name}" --seed 1`

/** Where the page of an earlier night is. */
export const linkOf = ({ startedAt }: Pick<Night, "startedAt">) => `../${startedAt.slice(0, 10)}/report.html`
