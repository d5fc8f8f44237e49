import { type Night, targetOf } from "@webagent/nights/Night"
import { type Finding, type RunStatus, statusOf } from "@webagent/report/Finding"
import * as Onset from "@webagent/report/Onset"
import type { RunReport } from "@webagent/report/RunReport"
import * as Schema from "effect/Schema"
import * as Findings from "@webagent/findings/Findings"
import * as FindingText from "@webagent/findings/words/FindingText"
import * as RunText from "@webagent/findings/words/RunText"

/** Payload of a webhook and of a command when a night fails, or passes again. */
export const Notification = Schema.Struct({
  version: Schema.Literal(1),
  event: Schema.Literals(["failed", "passed"]),
  /** Such as `2 new problems: 1 failure, 1 browser leak`. */
  title: Schema.String,
  target: Schema.String,
  startedAt: Schema.String,
  duration_ms: Schema.Number,
  /** An exact decimal. */
  cost_usd: Schema.String,
  /** Problems that fail the night and began in it, the worst first; ten at most. */
  problems: Schema.Array(
    Schema.Struct({
      what: Schema.String,
      title: Schema.String,
      evidence: Schema.String,
      /** Since when it is so, such as `new`; null where earlier nights cannot tell. */
      age: Schema.NullOr(Schema.String)
    })
  ),
  /** Number of other problems: older ones, and those that exceed ten. */
  more: Schema.Int,
  /** The folder of the report; null where none is written. */
  report: Schema.NullOr(Schema.String),
  /** The job that ran the night; null outside of CI. */
  url: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Notification" })

export type Notification = typeof Notification.Type

const most = 10

/** The event of a night: a warning passes. */
const eventOf = (status: RunStatus | undefined): Notification["event"] => (status === "failed" ? "failed" : "passed")

/** True if at least one part of a finding began in this night; one whose age isn't available counts as new. */
const isFresh = ({ onset, scenarios }: Finding): boolean => {
  const onsets = scenarios.length === 0 ? [onset] : scenarios.map((scenario) => scenario.onset ?? onset)
  return onsets.some((one) => Onset.ageOf(one) !== "old")
}

/**
 * Builds the notification of a night that fails, or passes again. Undefined if its result is the same as in the
 * previous night on the same target, and if the first night passes.
 */
export const of = (
  report: RunReport,
  nights: ReadonlyArray<Night>,
  { url, folder }: { readonly url: string | undefined; readonly folder: string | undefined }
): Notification | undefined => {
  const { cost_usd, duration_ms, header } = report
  const target = targetOf(report)
  const before = nights
    .filter(({ fingerprint, startedAt }) => fingerprint.target === target && startedAt < header.startedAt)
    .at(-1)
  const title = RunText.titleOf(report)
  const event = eventOf(statusOf(Findings.of(report)))
  if (event === eventOf(before?.status)) return undefined
  const errors = event === "failed" ? Findings.errorsOf(report) : []
  const listed = errors.filter(isFresh).slice(0, most)
  return {
    version: 1,
    event,
    title,
    target,
    startedAt: header.startedAt,
    duration_ms,
    cost_usd,
    problems: listed.map((finding) => {
      const { age = null, evidence, place, what } = FindingText.describe(finding)
      return { what, title: place, evidence, age }
    }),
    more: errors.length - listed.length,
    report: folder ?? null,
    url: url ?? null
  }
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

// all that Slack's text can do begins with one of these
const escape = (text: string) => text.replaceAll(/[&<>]/gu, (character) => entities[character] ?? character)

const shown = 5
const longest = 300

/** The same as Slack's incoming webhooks take it. */
export const slack = ({ event, more, problems, report, target, title, url }: Notification): string => {
  const head =
    event === "failed" ? `:red_circle: Night failed: ${title}` : `:large_green_circle: Night passed again: ${title}`
  const hidden = more + Math.max(0, problems.length - shown)
  const lines = [
    head,
    `Target: ${target}`,
    ...problems
      .slice(0, shown)
      .map(({ age, evidence, title, what }) =>
        `• ${title}: ${what}${age === null ? "" : ` (${age})`}: ${evidence}`.slice(0, longest)
      ),
    ...(hidden === 0 ? [] : [`and ${hidden} more`])
  ].map(escape)
  const where =
    url === null ? (report === null ? [] : [escape(`Report: ${report}`)]) : [`<${escape(url)}|Open the job>`]
  return JSON.stringify({ text: [...lines, ...where].join("\n") })
}
