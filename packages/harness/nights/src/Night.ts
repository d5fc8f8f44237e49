import { deviation, mean } from "@webagent/statistics/Quantile"
import { median, middleMean } from "@webagent/statistics/Robust"
import * as Schema from "effect/Schema"
import { Finding, RunStatus, statusOf } from "@webagent/report/Finding"
import { Machine } from "@webagent/report/Machine"
import { Figure } from "@webagent/report/Comparison"
import * as Money from "@webagent/cli/Money"
import * as Outage from "@webagent/report/Outage"
import { partialOf } from "@webagent/report/CutShort"
import { StoredPartial } from "@webagent/report/StoredSentences"
import {
  breachesOf,
  costUnknownOf,
  type Confirmation,
  leakedBrowsersOf,
  type RunReport,
  type ScenarioResult
} from "@webagent/report/RunReport"
import { Revisions } from "@webagent/report/Revision"
import { ScenarioLimit } from "@webagent/report/ScenarioLimit"
import { isScored, isTimed } from "@webagent/report/Trial"
import * as Usage from "@webagent/report/Usage"
import { Verdict } from "@webagent/report/Verdict"

const isTime = (text: string) => {
  const date = new Date(text)
  return text.endsWith("Z") && !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 19) === text.slice(0, 19)
}

/** When something was, in UTC: the order of these texts is that of the times. */
export const Time = Schema.String.check(
  Schema.makeFilter((text) => isTime(text) || `expected a time such as 2026-11-21T03:00:00.000Z, got "${text}"`)
)

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Milliseconds = Schema.Number.check(Schema.isFinite(), Schema.isGreaterThanOrEqualTo(0))

/** In USD, an exact decimal. */
const Usd = Schema.String.check(
  Schema.makeFilter((text) => /^-?\d+(?:\.\d+)?$/u.test(text) || `expected USD such as "0.0132", got "${text}"`)
)

/** The durations of a scenario's trials that passed and did not overlap an outage. */
export const Durations = Schema.Struct({
  count: Schema.Int,
  /** The mean of the natural logarithms of the durations in milliseconds. */
  mean_log: Schema.Number,
  median_ms: Schema.Number,
  /** The standard deviation of these logarithms; absent of fewer than two trials, and in histories of older versions. */
  deviation_log: Schema.optionalKey(Schema.Number)
})

/** Trials beyond the planned ones, of a scenario that failed or looked slow: they confirm, and are no part of a baseline. */
export const ConfirmTrials = Schema.Struct({
  figure: Schema.Literals(["pass rate", "duration"]),
  passed: Schema.Int,
  scored: Schema.Int,
  /** The mean of the middle half of the logarithms of the durations of those that passed. */
  middle_log: Schema.optionalKey(Schema.Number)
})
export type ConfirmTrials = typeof ConfirmTrials.Type

/** A scenario's results in one night, as stored in a history. */
export const NightScenario = Schema.Struct({
  suite: Schema.String,
  name: Schema.String,
  source: Schema.optionalKey(Schema.String),
  /** Who looks at its failures; absent if it declares no owner, and in histories of older versions. */
  owner: Schema.optionalKey(Schema.String),
  verdict: Verdict,
  passed: Count,
  /** Passed, failed and claimed together. */
  scored: Count,
  failed: Count,
  claimed: Count,
  infra: Count,
  /** Absent where no trial passed while the service was there. */
  durations: Schema.optionalKey(Durations),
  /** Duration of all trials together, including reruns. */
  spent_ms: Milliseconds,
  trials: Count,
  /** Number of planned trials that were not run or not completed; absent if all were completed. */
  unrun: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0))),
  /** In USD, an exact decimal; that of trials that were cut short, too. */
  cost_usd: Schema.String,
  requests: Count,
  breaches: Count,
  leaks: Count,
  /** Number of its runs with an unknown cost although a cost limit was set; absent if there are none. */
  costUnknown: Schema.optionalKey(Count),
  /** Its own limits that its trials exceeded. */
  exceeded: Schema.optionalKey(Schema.Array(ScenarioLimit)),
  /** The quarantine that it is in, and whether that has expired; absent if it isn't quarantined. */
  quarantine: Schema.optionalKey(Schema.Struct({ expired: Schema.Boolean })),
  /** Only `passed` and `scored` of these count for tonight, and none of it for later nights. */
  confirm: Schema.optionalKey(ConfirmTrials)
}).check(
  Schema.makeFilter(
    ({ passed, scored }) => passed <= scored || `expected passed to be at most scored, got ${passed} of ${scored}`
  )
)
export type NightScenario = typeof NightScenario.Type

/** Target, machine and settings of a night. */
export const NightFingerprint = Schema.Struct({
  /** `simulated`, or the address of the target. */
  target: Schema.String,
  tool: Schema.String,
  machine: Schema.optionalKey(Machine),
  concurrency: Schema.Int,
  /** Number of trials of each scenario; null if each scenario declares its own. */
  trials: Schema.NullOr(Schema.Int)
})
export type NightFingerprint = typeof NightFingerprint.Type

const fields = {
  version: Schema.Literal(2),
  kind: Schema.Literal("night"),
  startedAt: Time,
  duration_ms: Milliseconds,
  /** Duration of its extra trials; absent if there were none, and in histories of older versions. */
  confirm_ms: Schema.optionalKey(Milliseconds),
  /** Result of its run according to its own report; absent in histories of older versions. */
  status: Schema.optionalKey(RunStatus),
  /** Findings of its own report, errors first; absent in histories of older versions. */
  findings: Schema.optionalKey(Schema.Array(Finding)),
  /** `service away`: nothing answered, or the key was refused, and no trial ran. Absent of every other night. */
  tag: Schema.optionalKey(Schema.Literals(["service away"])),
  /** The reason why it can't be part of a baseline for other nights; absent if it is complete. */
  partial: Schema.optionalKey(StoredPartial),
  fingerprint: NightFingerprint,
  /** The code of suites, harness and service; absent in histories of older versions. */
  revisions: Schema.optionalKey(Revisions),
  /** The folder of its report, relative to the history file; absent where none was written. */
  report: Schema.optionalKey(Schema.String),
  seed: Schema.Int,
  cost_usd: Usd,
  requests: Count,
  /** Breaches that no scenario can be blamed for. */
  breaches: Count,
  scenarios: Schema.Array(NightScenario),
  /**
   * Figures that were reported as worse, and since when. They are excluded from the baseline of other nights for these
   * nights.
   */
  regressed: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        figure: Figure,
        scenario: Schema.NullOr(Schema.Struct({ suite: Schema.String, name: Schema.String })),
        since: Schema.String
      })
    )
  )
}

/** One night as one line of a history file. */
export const Night = Schema.Struct({ ...fields, id: Schema.String })
export type Night = typeof Night.Type

/** By what a scenario is known from night to night. */
export const keyOf = (suite: string, name: string): string => JSON.stringify([suite, name])

/** True if a night may be part of a baseline for others. */
export const isComplete = ({ partial }: Night): boolean => partial === undefined

/** Usage of the planned trials of a night. The time is undefined if an older version did not store it separately. */
export const plannedOf = (
  night: Night
): { readonly requests: number; readonly cost_usd: string; readonly duration_ms: number | undefined } => {
  const { confirm_ms, cost_usd, duration_ms, requests, scenarios } = night
  if (scenarios.every(({ confirm }) => confirm === undefined)) return { requests, cost_usd, duration_ms }
  return {
    requests: scenarios.reduce((sum, scenario) => sum + scenario.requests, 0),
    cost_usd: Money.sum(scenarios.map((scenario) => scenario.cost_usd)),
    duration_ms: confirm_ms === undefined ? undefined : duration_ms - confirm_ms
  }
}

// the clock may see none of what is very short
const seen = (duration_ms: number) => Math.max(duration_ms, 0.01)

const durationsOf = (result: ScenarioResult) => {
  const passed = result.trials
    .filter(isTimed)
    .map(({ duration_ms }) => seen(duration_ms))
    .toSorted((a, b) => a - b)
  if (passed.length === 0) return {}
  const logs = passed.map(Math.log)
  return {
    durations: {
      count: passed.length,
      mean_log: Number(mean(logs).toFixed(6)),
      ...(logs.length < 2 ? {} : { deviation_log: Number(deviation(logs).toFixed(6)) }),
      median_ms: Number(median(passed).toFixed(2))
    }
  }
}

/** Extra trials as stored in a history. */
export const confirmOf = ({ figure, trials }: Pick<Confirmation, "figure" | "trials">): ConfirmTrials => {
  const logs = trials.filter(isTimed).map(({ duration_ms }) => Math.log(seen(duration_ms)))
  return {
    figure,
    passed: trials.filter(({ verdict }) => verdict === "passed").length,
    scored: trials.filter(isScored).length,
    ...(logs.length === 0 ? {} : { middle_log: Number(middleMean(logs).toFixed(6)) })
  }
}

const scenarioOf = (result: ScenarioResult): NightScenario => {
  const { confirm, cost_usd, exceeded, name, owner, quarantine, source, suite, trials, verdict } = result
  const of = (wanted: string) => trials.filter((trial) => trial.verdict === wanted).length
  const sum = (count: (trial: ScenarioResult["trials"][number]) => number) =>
    trials.reduce((total, trial) => total + count(trial), 0)
  const costUnknown = costUnknownOf(result).length
  const spent = (trial: ScenarioResult["trials"][number]) =>
    trial.reruns.reduce((total, { duration_ms }) => total + duration_ms, trial.duration_ms)
  return {
    suite,
    name,
    ...(source === undefined ? {} : { source }),
    ...(owner === undefined ? {} : { owner }),
    verdict,
    passed: of("passed"),
    scored: trials.filter(isScored).length,
    failed: of("failed"),
    claimed: of("claimed"),
    infra: of("infra"),
    ...durationsOf(result),
    spent_ms: Math.round(sum(spent)),
    trials: trials.length - of("skipped"),
    ...(of("skipped") === 0 ? {} : { unrun: of("skipped") }),
    cost_usd: Money.difference(cost_usd, Money.sum(confirm?.trials.map((trial) => trial.cost_usd) ?? [])),
    requests: sum(({ requests }) => requests),
    breaches: breachesOf(result).length,
    leaks: leakedBrowsersOf(result).length,
    ...(costUnknown === 0 ? {} : { costUnknown }),
    ...(exceeded === undefined ? {} : { exceeded }),
    ...(quarantine === undefined ? {} : { quarantine: { expired: quarantine.expired } }),
    ...(confirm === undefined || confirm.trials.length === 0 ? {} : { confirm: confirmOf(confirm) })
  }
}

/** A night with its id: a hash of all that it says, wherever its report is. */
export const withId = ({ report, ...night }: Omit<Night, "id">): Night => ({
  ...night,
  ...(report === undefined ? {} : { report }),
  // an import would keep browsers from reading nights
  id: process
    .getBuiltinModule("node:crypto")
    .createHash("sha256")
    .update(JSON.stringify(night))
    .digest("hex")
    .slice(0, 12)
})

/** The target of a run, as its nights name it: `simulated`, or an address. */
export const targetOf = ({ header: { target } }: Pick<RunReport, "header">): string =>
  target.simulated ? "simulated" : target.address

/**
 * Converts the report of a run to a night of a history; `directory` is the folder of the report, relative to the
 * history file.
 */
export const ofReport = (report: RunReport, directory?: string): Night => {
  const { header, judgement } = report
  const partial = partialOf(report)
  const confirm_ms = Usage.confirming(report)?.duration_ms
  const regressed = judgement?.rows.filter(({ verdict }) => verdict === "regressed") ?? []
  return withId({
    version: 2,
    kind: "night",
    startedAt: header.startedAt,
    duration_ms: Math.round(report.duration_ms),
    ...(confirm_ms === undefined ? {} : { confirm_ms: Math.round(confirm_ms) }),
    ...(report.findings === undefined ? {} : { status: statusOf(report.findings), findings: report.findings }),
    ...(Outage.isWhole(report) ? { tag: "service away" as const } : {}),
    ...(partial === undefined ? {} : { partial }),
    fingerprint: {
      target: targetOf(report),
      tool: header.tool.version,
      ...(header.machine === undefined ? {} : { machine: header.machine }),
      concurrency: header.concurrency,
      trials: header.trials
    },
    ...(header.revisions === undefined ? {} : { revisions: header.revisions }),
    ...(directory === undefined ? {} : { report: directory }),
    seed: header.seed,
    cost_usd: report.cost_usd,
    requests: report.counts.requests,
    breaches: report.breaches.length,
    scenarios: report.results.filter(({ trials }) => trials.length > 0).map(scenarioOf),
    ...(regressed.length === 0
      ? {}
      : { regressed: regressed.map(({ figure, scenario, since }) => ({ figure, scenario, since })) })
  })
}
