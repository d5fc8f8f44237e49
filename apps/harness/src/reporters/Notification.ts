import { type Night, targetOf } from "@webagent/nights/Night"
import type { ScenarioName } from "@webagent/report/Comparison"
import { Finding, isOfRun, ofRunKey, type RunStatus, statusOf } from "@webagent/report/Finding"
import * as Onset from "@webagent/report/Onset"
import type { RunReport } from "@webagent/report/RunReport"
import * as Schema from "effect/Schema"
import * as Findings from "@webagent/findings/Findings"
import * as ChangeText from "@webagent/findings/words/ChangeText"
import * as FindingText from "@webagent/findings/words/FindingText"
import * as Names from "@webagent/findings/words/Names"
import * as NextText from "@webagent/findings/words/NextText"
import * as PeopleText from "@webagent/findings/words/PeopleText"
import * as RunText from "@webagent/findings/words/RunText"

/** One problem of a notification. */
const Problem = Schema.Struct({
  what: Schema.String,
  title: Schema.String,
  evidence: Schema.String,
  /** Since when it is so, such as `new`; null where earlier nights cannot tell. */
  age: Schema.NullOr(Schema.String),
  /** True if it is older, and was notified before. */
  isReminder: Schema.Boolean,
  /**
   * Who sees to it: the owners of its scenarios, the service operator during an outage, or the CI operator if a shard is
   * missing; null if there are none, and for interrupted scenarios without an outage that the run waited for.
   */
  owner: Schema.NullOr(Schema.String),
  /** The owners of the interrupted scenarios; null if there are none, and for any other problem. */
  affected: Schema.NullOr(Schema.String),
  /** When it was first seen, and which code changed then; null where earlier nights cannot tell. */
  change: Schema.NullOr(Schema.String),
  /** Address that shows the change of the suites; null if they did not change, or if their forge is not known. */
  compareUrl: Schema.NullOr(Schema.String),
  /** The next step. */
  next: Schema.String,
  /** Address of its scenario in the report, by `reportUrl`; null without one. */
  url: Schema.NullOr(Schema.String),
  /** The finding as `report.json` stores it. */
  finding: Finding
})

type Problem = typeof Problem.Type

/** Payload of a webhook and of a command when a night fails, keeps failing, or passes again. */
export const Notification = Schema.Struct({
  version: Schema.Literal(1),
  /** `reminder`: all of its problems were notified before. */
  event: Schema.Literals(["failed", "reminder", "passed"]),
  /** Such as `2 new problems: 1 failure, 1 browser leak`. */
  title: Schema.String,
  target: Schema.String,
  startedAt: Schema.String,
  duration_ms: Schema.Number,
  /** An exact decimal. */
  cost_usd: Schema.String,
  /** Problems that began in this night, then reminders, the worst first; ten at most. */
  problems: Schema.Array(Problem),
  /** Number of other problems: older ones, and those that exceed ten. */
  more: Schema.Int,
  /** Address of the report, by `reportUrl`; null without one. */
  report: Schema.NullOr(Schema.String),
  /** The job that ran the night; null outside of CI. */
  url: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Notification" })

export type Notification = typeof Notification.Type

/** Addresses that a notification links to, and when it reminds. */
export interface NotificationOptions {
  /** The job that runs the night. */
  readonly url: string | undefined
  /** The report; null if its address is not known. */
  readonly report: string | null
  /** Returns the address of a scenario in the report, by its place in the results. */
  readonly linkOf: (scenario: ScenarioName, place: number) => string | null
  /** Number of days after which an older problem is notified again; 0 for never. */
  readonly remindDays: number
}

const most = 10
const day_ms = 86_400_000

/** The event of a night: a warning passes. */
const eventOf = (status: RunStatus | undefined) => (status === "failed" ? "failed" : "passed")

/** A part of a finding: a scenario, or the whole run. */
const partsOf = ({ acknowledged, kind, onset, scenarios }: Finding) =>
  isOfRun({ kind, scenarios })
    ? [{ acknowledged, onset }]
    : scenarios.map((scenario) => ({ acknowledged: scenario.acknowledged, onset: scenario.onset ?? onset }))

const agesOf = (finding: Finding) => partsOf(finding).map(({ onset }) => Onset.ageOf(onset))

/** True if at least one part of a finding began in this night; one whose age isn't available counts as new. */
const isFresh = (finding: Finding): boolean => agesOf(finding).some((age) => age !== "old")

/** True if at least one part of a finding began in this night, by its age or by the findings of the night before. */
const hasBegun = (finding: Finding, before: Night | undefined): boolean => {
  const ages = agesOf(finding)
  if (ages.some((age) => age === "new" || age === "again")) return true
  return (
    isOfRun(finding) &&
    ages.includes(undefined) &&
    before?.findings?.every((one) => ofRunKey(one) !== ofRunKey(finding)) === true
  )
}

/** Since when each night has had a finding without an age; undefined if the last night didn't have it. */
const sinceOf = (finding: Finding, nights: ReadonlyArray<Night>): string | undefined => {
  const has = ({ findings = [] }: Night) => findings.some((one) => ofRunKey(one) === ofRunKey(finding))
  return nights[nights.findLastIndex((night) => !has(night)) + 1]?.startedAt
}

/** True if another period of days has passed since the night before, and an older problem is not acknowledged. */
const isDue = (finding: Finding, days: number, tonight: string, nights: ReadonlyArray<Night>): boolean => {
  const before = nights.at(-1)
  const now_ms = Date.parse(tonight)
  const periods = (since: string, at_ms: number) => Math.floor((at_ms - Date.parse(since)) / (days * day_ms))
  return (
    days > 0 &&
    before !== undefined &&
    partsOf(finding).some(({ acknowledged, onset }) => {
      const since = onset?.since ?? (isOfRun(finding) ? sinceOf(finding, nights) : undefined)
      return (
        acknowledged === undefined &&
        since !== undefined &&
        periods(since, now_ms) > periods(since, Date.parse(before.startedAt))
      )
    })
  )
}

/** Names the scenarios of a finding with several, and those that an outage affected. */
const evidenceOf = ({ evidence, scenarios, shared }: FindingText.FindingText): string =>
  shared === undefined ? evidence : `${evidence} · ${Names.listed(scenarios.map(({ title }) => title))}`

/**
 * Builds the notification of a night that fails, keeps failing, or passes again. Undefined if the previous night on the
 * same target failed, no other problem began and no reminder is due, if both passed, and if the first night passes.
 */
export const of = (
  report: RunReport,
  nights: ReadonlyArray<Night>,
  { linkOf, remindDays, report: address, url }: NotificationOptions
): Notification | undefined => {
  const { cost_usd, duration_ms, header, results } = report
  const target = targetOf(report)
  const earlier = nights.filter(
    ({ fingerprint, startedAt }) => fingerprint.target === target && startedAt < header.startedAt
  )
  const before = earlier.at(-1)
  const status = eventOf(statusOf(Findings.of(report)))
  const errors = status === "failed" ? Findings.errorsOf(report) : []
  const isContinued = status === eventOf(before?.status)
  const fresh = errors.filter((finding) => (isContinued ? hasBegun(finding, before) : isFresh(finding)))
  const due = errors.filter(
    (finding) => !fresh.includes(finding) && isDue(finding, remindDays, header.startedAt, earlier)
  )
  if (isContinued && fresh.length + due.length === 0) return undefined
  /** The place in the results of the scenario that shows a finding; -1 if there is none. */
  const placeOf = (example: ScenarioName | undefined): number =>
    results.findIndex(({ name, suite }) => name === example?.name && suite === example.suite)
  const listed = [...fresh, ...due].slice(0, most)
  return {
    version: 1,
    event: status === "failed" && isContinued && fresh.length === 0 ? "reminder" : status,
    title: RunText.titleOf(report),
    target,
    startedAt: header.startedAt,
    duration_ms,
    cost_usd,
    problems: listed.map((finding): Problem => {
      const text = FindingText.describe(finding)
      const { affected = null, age = null, change, place: title, what } = text
      const example = FindingText.exampleOf(finding)
      const place = placeOf(example)
      return {
        what,
        title,
        evidence: evidenceOf(text),
        age,
        isReminder: due.includes(finding),
        owner: PeopleText.owner(finding) ?? null,
        affected,
        change: change === undefined ? null : ChangeText.line(change),
        compareUrl: change?.url ?? null,
        next: NextText.text(finding, place >= 0, false),
        url: example === undefined || place < 0 ? null : linkOf(example, place),
        finding
      }
    }),
    more: errors.length - listed.length,
    report: address,
    url: url ?? null
  }
}
