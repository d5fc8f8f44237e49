import type { NightsMap, Run } from "@webagent/harness-api"
import { findingsOf } from "@webagent/findings/Findings"
import { statusOf } from "@webagent/report/Finding"
import { countsOf, type RunReport, type ScenarioResult, verdictOf } from "@webagent/report/RunReport"
import type { Trial } from "@webagent/report/Trial"
import type { Verdict } from "@webagent/report/Verdict"
import * as Reports from "@webagent/test-fixtures/Reports"
import { hostile } from "../../server/World.ts"
import { lastRun, nameOf, newest_ms, nightId, randomOf, tagsOf, trials, verdictAt } from "./Facts.ts"

const trialOf = (n: number, index: number, verdict: Trial["verdict"]): Trial => ({
  ...Reports.trial,
  index,
  seed: 1000 + index,
  verdict,
  duration_ms: 1200 + 40 * ((n * 7 + index * 13) % 11),
  cost_usd: "0.012",
  requests: 9,
  trace: `traces/${n * 10 + index + 1}.json`,
  ...(verdict === "passed"
    ? {}
    : {
        failure: {
          kind: "check",
          message: n % 2 === 0 ? "the cart was empty" : hostile[1],
          expected: "1 item in the cart",
          actual: "0 items",
          where: "suites/shop.suite.ts:41",
          source: "expect(cart.items).toHaveLength(1)",
          request: { method: "GET", path: "/v4/runs/7f0c/status", status: 200, duration_ms: 31 }
        },
        ...(n === 4
          ? {
              reruns: [{ started_ms: 0, duration_ms: 800, failure: { kind: "error", message: "HTTP 503" } as const }],
              breaches: [
                { invariant: "no unknown browsers", resource: "b-9", facts: { _tag: "UnknownBrowser" } } as const
              ]
            }
          : {}),
        agentSteps: [
          {
            runId: "7f0c11aa-3f5e-4d0c-9a3b-0d53f36a9ee1",
            liveUrl: null,
            recordingUrl: "https://agents.example.com/recordings/7f0c11aa",
            count: 2,
            steps: [
              {
                number: 1,
                beganAt: "2026-11-27T02:00:01Z",
                address: "https://shop.example.com/",
                summary: "Opens the shop",
                outcome: "succeeded",
                failure: null,
                durationMs: 900
              },
              {
                number: 2,
                beganAt: "2026-11-27T02:00:02Z",
                address: hostile[4] ?? null,
                summary: hostile[2],
                outcome: "failed",
                failure: "the button was covered",
                durationMs: 400
              }
            ]
          }
        ]
      })
})

const revisionAt = (startedAt: string, commit: string, version: string) => ({
  startedAt,
  tool: "0.1.0",
  suites: { commit, repository: { url: "https://forge.example.com/shop/tests", forge: "gitlab" } } as const,
  service: { version }
})

/** The code of the last good night and of the first bad one. */
const change = {
  good: revisionAt("2026-11-26T02:00:00.000Z", "3f0c1a29e8", "1.4"),
  bad: revisionAt("2026-11-27T02:00:00.000Z", "9b1d77c0aa", "1.5")
}

const resultOf = (n: number, verdict: Verdict): ScenarioResult => {
  const all = Array.from({ length: trials }, (_, index) =>
    trialOf(
      n,
      index,
      verdict === "flaky"
        ? index < 3
          ? "passed"
          : "failed"
        : verdict === "passed"
          ? "passed"
          : verdict === "claimed"
            ? "claimed"
            : verdict === "infra"
              ? "infra"
              : "failed"
    )
  )
  return {
    ...Reports.result,
    ...nameOf(n),
    tags: tagsOf(n),
    verdict: verdictOf(all),
    trials: all,
    duration_ms: 6000,
    cost_usd: "0.06",
    ...(verdict === "passed" || verdict === "infra"
      ? {}
      : {
          onset: {
            trials: {
              since: "2026-11-22T02:00:00.000Z",
              nights: n === 2 ? 5 : 1,
              known: 60,
              ...(n === 4 ? { change } : {})
            }
          }
        }),
    ...(n === 2
      ? { owner: "search", acknowledged: { at: "2026-11-25T08:00:00.000Z", owner: "ada", note: "SHOP-14" } }
      : {})
  }
}

const summaryOf = (report: RunReport, id: string): Omit<Run, "report" | "files" | "replays" | "reap"> => ({
  id,
  state: "finished",
  startedAt: report.header.startedAt,
  duration_ms: report.duration_ms,
  status: statusOf(report.findings ?? []),
  findings: report.findings ?? [],
  counts: report.counts,
  scenarios: report.results.length,
  cost_usd: report.cost_usd,
  target: { name: "staging", address: "https://agents.example.com", simulated: false },
  selection: null,
  partial: null,
  night: nightId(0),
  isOurs: false
})

export const runOf = (map: NightsMap): Run => {
  const random = randomOf(7)
  const verdicts = map.rows.map((_, scenario) => verdictAt(random, scenario, 0))
  const results = verdicts.map((verdict, n) => resultOf(n, verdict))
  const [slow] = results
  const plain: RunReport = {
    ...Reports.report,
    header: { ...Reports.report.header, startedAt: new Date(newest_ms).toISOString(), trials },
    duration_ms: 1_740_000,
    cost_usd: "3.42",
    results: results.map((one, n) =>
      n === 5
        ? {
            ...one,
            trials: one.trials.map((trial, index) =>
              index === 0 ? { ...trial, leakedBrowsers: [{ id: "b-1", stopped: true }] } : trial
            )
          }
        : one
    ),
    counts: countsOf(results),
    ...(slow === undefined
      ? {}
      : {
          judgement: {
            verdict: "regressed",
            nights: 30,
            passedOver: [],
            differences: [],
            usual: {
              requests: { low: 1700, median: 1800, high: 1900 },
              duration_ms: { low: 840_000, median: 870_000, high: 900_000 },
              cost_usd: { low: 3.1, median: 3.4, high: 3.5 }
            },
            rows: [
              {
                figure: "duration",
                scenario: { suite: slow.suite, name: slow.name },
                verdict: "regressed",
                isUnusual: false,
                now: { _tag: "Duration", milliseconds: 2400 },
                before: { _tag: "Duration", milliseconds: 1300 },
                change: 0.85,
                window: 1,
                since: new Date(newest_ms).toISOString(),
                nights: 30,
                pValue: 0.0004,
                detectable: null,
                onset: { since: new Date(newest_ms).toISOString(), nights: 1, known: 60 }
              }
            ]
          }
        })
  }
  const report: RunReport = { ...plain, findings: findingsOf(plain) }
  return {
    ...summaryOf(report, lastRun),
    report,
    files: [
      { name: "report.json", bytes: 812_345 },
      { name: "junit.xml", bytes: 23_456 }
    ],
    replays: results
      .filter(({ verdict }) => verdict !== "passed")
      .map(({ name, suite }) => ({
        suite,
        name,
        command: `npx webagent-harness run suites/${suite}.suite.ts --name '${name}' --target staging --trial 1 --seed 1`
      })),
    reap: null
  }
}
