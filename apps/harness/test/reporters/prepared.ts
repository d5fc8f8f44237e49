import { conclude } from "@webagent/findings/Conclusion"
import { judge } from "@webagent/nights/Judge"
import { type Night, ofReport } from "@webagent/nights/Night"
import * as Onsets from "@webagent/nights/Onsets"
import { drawing } from "@webagent/statistics/Drawing"
import { countsOf, type RunReport, type ScenarioResult, unrun, verdictOf } from "@webagent/report/RunReport"
import type { Revisions } from "@webagent/report/Revision"
import type { Failure, Trial } from "@webagent/report/Trial"
import * as records from "@webagent/test-fixtures/Reports"
import * as fixture from "./fixture.ts"

export const days = 16
export const startOf = (day: number) => new Date(Date.UTC(2026, 9, 1 + day, 2)).toISOString()
export const names = ["buys a mug", "buys a pan", "cancels", "pays", "searches", "signs in"]

const failure: Failure = {
  kind: "check",
  message: "the order exists",
  expected: "one order",
  actual: "none",
  where: "shop.suite.ts:14",
  request: { method: "GET", path: "/api/v4/runs/r-2", status: 200, duration_ms: 4 }
}
export const refused: Failure = { ...failure, message: "it is paid", service: "The cart was empty." }
export const away: Failure = {
  kind: "error",
  message: "no response",
  request: { method: "POST", path: "/api/v4/runs", status: 503, duration_ms: 2 }
}

export type Change = (trial: Trial, index: number) => Trial

export const failing =
  (count: number, of: Failure = failure): Change =>
  (trial, index) =>
    index < count ? { ...trial, verdict: "failed", failure: of } : trial

export interface Story {
  readonly revisions?: Revisions
  readonly owner?: string
  readonly trials?: Readonly<Record<string, Change>>
  readonly results?: Readonly<Record<string, Partial<ScenarioResult>>>
  readonly report?: Partial<RunReport>
  readonly scenarios?: ReadonlyArray<string>
}

const runOf = (
  day: number,
  { owner, report = {}, results: changes = {}, revisions, scenarios = names, trials = {} }: Story
): RunReport => {
  const draw = drawing(100 + day)
  const results = scenarios.map((name, index): ScenarioResult => {
    const all = Array.from({ length: 5 }, (_, at): Trial => {
      const trial = {
        ...records.trial,
        index: at,
        cost_usd: "0.0132",
        duration_ms: (index + 1) * 400 * (0.95 + 0.1 * draw())
      }
      return trials[name]?.(trial, at) ?? trial
    })
    const first = all.find((trial) => trial.failure !== undefined)?.failure
    return {
      ...records.result,
      suite: "shop",
      name,
      ...(owner === undefined ? {} : { owner }),
      source: "aa",
      verdict: verdictOf(all),
      ...(first === undefined ? {} : { failure: first }),
      cost_usd: all.reduce((sum, { cost_usd }) => sum + Number(cost_usd), 0).toFixed(4),
      duration_ms: all.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
      trials: all,
      ...changes[name]
    }
  })
  return {
    ...records.report,
    header: {
      ...records.report.header,
      startedAt: startOf(day),
      ...(revisions === undefined ? {} : { revisions }),
      trials: 5,
      machine: { cpu: "x", cores: 2, platform: "linux-x64", node: "24" },
      suites: [{ name: "shop", scenarios: results.length }]
    },
    counts: countsOf(results),
    results,
    cost_usd: results.reduce((sum, { cost_usd }) => sum + Number(cost_usd), 0).toFixed(4),
    ...report
  }
}

/** A run judged by the nights before it, as the harness does. */
const judged = (report: RunReport, nights: ReadonlyArray<Night>): RunReport => {
  const held = report.results.filter(({ quarantine }) => quarantine?.expired === false)
  return Onsets.mark({ ...report, judgement: judge({ nights, accepted: [] }, ofReport(report), held) }, nights)
}

/** Nights in which one scenario fails a trial now and then. */
export const month = (count = days, story: (day: number) => Story = () => ({})): ReadonlyArray<Night> => {
  const nights: Array<Night> = []
  for (let day = days - count; day < days; day++) {
    const usual: Story = { trials: { pays: failing(day % 4 === 0 ? 1 : 0) } }
    nights.push(ofReport(conclude(judged(runOf(day, { ...usual, ...story(day) }), nights))))
  }
  return nights
}

const usual = month()
export const tonight = (story: Story, nights = usual) => judged(runOf(days, story), nights)

export const times =
  (factor: number): Change =>
  (trial) => ({ ...trial, duration_ms: trial.duration_ms * factor })
export const all = (change: Change) => Object.fromEntries(names.map((name) => [name, change]))
const skip = { _tag: "TimeLimit", limit_ms: 60_000 } as const
const quarantine = { owner: "ada", reason: "the shop moves", expires: "2026-12-01", expired: false }
export const leaking: Change = (trial, index) =>
  index === 1
    ? {
        ...trial,
        leakedBrowsers: [{ id: "b-91c2f0aa", stopped: true }]
      }
    : trial
const breach =
  (invariant: string): Change =>
  (trial, index) =>
    index === 0
      ? {
          ...trial,
          breaches: [
            {
              invariant,
              facts: { _tag: "Reported", text: `${invariant} of r-2 does not hold.`, entries: [] },
              resource: "r-2"
            }
          ]
        }
      : trial
export const unreached: Change = (trial) => ({ ...trial, verdict: "infra", failure: away, cost_usd: "0" })

/** Runs of every kind, each judged by sixteen nights before it unless its name tells otherwise. */
export const prepared: Readonly<Record<string, RunReport>> = {
  perfect: tonight({}),
  "first night": tonight({}, []),
  "no history": runOf(days, { trials: { pays: failing(1) } }),
  "three nights": tonight({}, month(3)),
  "three nights, flaky": tonight({ trials: { pays: failing(2) } }, month(3)),
  failed: tonight({ trials: { "buys a mug": failing(5) } }),
  "failed for one cause": tonight({ trials: { "buys a mug": failing(5, refused), cancels: failing(5, refused) } }),
  "failed for two causes": tonight({ trials: { "buys a mug": failing(5), cancels: failing(5, refused) } }),
  "fails again": tonight(
    { trials: { "buys a mug": failing(5) } },
    month(days, (day) => (day === days - 1 || day === days - 2 ? { trials: { "buys a mug": failing(5) } } : {}))
  ),
  "flaky as usual": tonight({ trials: { pays: failing(1) } }),
  "flaky as never": tonight({ trials: { cancels: failing(1) } }),
  "flaky more than usual": tonight({ trials: { pays: failing(3) } }),
  "several flaky": tonight({ trials: all(failing(2)) }),
  "new and flaky": tonight({ trials: { "tries it out": failing(2) }, scenarios: [...names, "tries it out"] }),
  "new code": tonight({ trials: { pays: failing(2) }, results: { pays: { source: "bb" } } }),
  claimed: tonight({
    trials: {
      pays: (trial) => ({
        ...trial,
        verdict: "claimed",
        failure,
        opinions: { oracle: false, agent: true, judge: null }
      })
    }
  }),
  slower: tonight({ trials: { searches: times(3) } }),
  "all slower": tonight({ trials: all(times(1.6)) }),
  faster: tonight({ trials: { searches: times(0.2) } }),
  costlier: tonight({ trials: { pays: (trial) => ({ ...trial, cost_usd: "0.0432" }) } }),
  "all costlier": tonight({ trials: all((trial) => ({ ...trial, cost_usd: "0.0432" })) }),
  leak: tonight({ trials: { pays: leaking } }),
  "several leaks": tonight({ trials: { pays: leaking, cancels: leaking } }),
  "left running": tonight({ trials: { pays: breach("runs-left-running") } }),
  "broken invariant": tonight({ trials: { pays: breach("created-twice") } }),
  "broken invariant of the run": tonight({
    report: {
      breaches: [
        {
          invariant: "created-twice",
          facts: { _tag: "Reported", text: "r-1 and r-2 are one.", entries: [] } as const,
          resource: "r-2"
        }
      ]
    }
  }),
  outage: tonight({
    trials: { pays: unreached, cancels: unreached },
    report: { outages: [{ from: "2026-10-17T02:00:00.000Z", to: "2026-10-17T02:21:33.000Z", why: "HTTP 503" }] }
  }),
  "short outage": tonight({
    report: { outages: [{ from: "2026-10-17T02:10:07.000Z", to: "2026-10-17T02:10:17.000Z", why: "HTTP 503" }] }
  }),
  "service away": judged(
    {
      ...runOf(days, { report: { outages: [{ from: startOf(days), to: null, why: "connection refused" }] } }),
      results: names.map((name) =>
        unrun({ suite: "shop", name, tags: [], needs: [] }, 0, { _tag: "ServiceAway", waited_ms: 0 })
      )
    },
    usual
  ),
  unreached: tonight({ trials: { pays: unreached } }),
  unscored: tonight({
    trials: { pays: (trial) => ({ ...trial, verdict: "unscored", reason: "the oracle could not look" }) }
  }),
  "partly scored": tonight({ trials: { pays: (trial, at) => (at === 0 ? unreached(trial, at) : trial) } }),
  quarantined: tonight({ trials: { pays: failing(5) }, results: { pays: { quarantine } } }),
  "quarantine expired": tonight({
    trials: { pays: failing(5) },
    results: {
      pays: { quarantine: { ...quarantine, expired: true } },
      cancels: { quarantine: { ...quarantine, expired: true } }
    }
  }),
  "cut short": tonight({
    results: { pays: { verdict: "skipped", skip, trials: [] } },
    trials: {
      cancels: (trial, at) => (at < 3 ? trial : { ...trial, verdict: "skipped", skip })
    }
  }),
  "nothing ran": tonight({
    results: Object.fromEntries(names.map((name) => [name, { verdict: "skipped", skip, trials: [] }] as const))
  }),
  "lost shard": tonight({
    report: { shards: [{ index: 1, of: 2, startedAt: startOf(days), duration_ms: 1000, interrupted: false }] },
    results: {
      pays: { verdict: "skipped", skip: { _tag: "MissingShard", shard: 2 }, trials: [] }
    }
  }),
  stopped: tonight({
    report: { interrupted: true },
    results: { pays: { verdict: "skipped", skip: { _tag: "Stopped" }, trials: [] } }
  }),
  "over its limits": tonight({
    results: {
      pays: {
        verdict: "failed",
        failure: { kind: "limit", message: "too slow" },
        exceeded: [{ _tag: "MaxDuration", limit_ms: 2000, actual_ms: 2410 }]
      }
    }
  }),
  "unknown cost": tonight({
    trials: { pays: (trial, at) => (at === 0 ? { ...trial, costUnknown: ["r-1", "r-2"] } : trial) }
  }),
  "still open": tonight({
    report: {
      leftovers: [
        { kind: "browser", id: "b-1", trial: null, state: "open", sentence: "browser b-1 could not be stopped" }
      ]
    }
  }),
  confirmed: tonight({
    trials: { pays: failing(3) },
    results: {
      pays: {
        confirm: {
          figure: "pass rate",
          outcome: "confirmed",
          trials: Array.from({ length: 10 }, (_, index): Trial => ({
            ...records.trial,
            index: 5 + index,
            ...(index < 8 ? { verdict: "failed", failure } : {})
          }))
        }
      }
    }
  }),
  "not confirmed": tonight({
    trials: { pays: failing(3) },
    results: {
      pays: {
        confirm: {
          figure: "pass rate",
          outcome: "not confirmed",
          trials: Array.from({ length: 20 }, (_, index): Trial => ({ ...records.trial, index: 5 + index }))
        }
      }
    }
  }),
  "fixture night": fixture.dated,
  "fixture away": fixture.away,
  "fixture mixed": fixture.mixed
}
