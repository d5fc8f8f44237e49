import type { Night } from "@webagent/nights/Night"
import { statusOf } from "@webagent/report/Finding"
import type { RunReport } from "@webagent/report/RunReport"
import * as Schema from "effect/Schema"
import * as Findings from "@webagent/findings/Findings"
import * as FindingText from "@webagent/findings/words/FindingText"
import * as RunText from "@webagent/findings/words/RunText"

/** Payload of a webhook and of a command when a night fails, or passes again. */
export const Notification = Schema.Struct({
  version: Schema.Literal(1),
  event: Schema.Literals(["red", "green"]),
  /** Such as `2 new problems: 1 failure, 1 browser leak`. */
  title: Schema.String,
  target: Schema.String,
  startedAt: Schema.String,
  duration_ms: Schema.Number,
  /** An exact decimal. */
  cost_usd: Schema.String,
  /** Problems that fail the night, the worst first; ten at most. */
  problems: Schema.Array(
    Schema.Struct({
      what: Schema.String,
      title: Schema.String,
      evidence: Schema.String,
      /** Since when it is so, such as `new`; null where earlier nights cannot tell. */
      age: Schema.NullOr(Schema.String)
    })
  ),
  /** Number of further problems. */
  more: Schema.Int,
  /** The folder of the report; null where none is written. */
  report: Schema.NullOr(Schema.String),
  /** The job that ran the night; null outside of CI. */
  url: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Notification" })

export type Notification = typeof Notification.Type

const most = 10

const isFailed = ({ status }: Night) => status === "failed"

/** Target of a night, under the name that both its report and its line of the history use. */
const targetOf = ({ header: { target } }: RunReport) => (target.simulated ? "simulated" : target.address)

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
  const event = statusOf(Findings.of(report)) === "failed" ? "red" : "green"
  if (event === (before !== undefined && isFailed(before) ? "red" : "green")) return undefined
  const findings = event === "red" ? Findings.errorsOf(report) : []
  return {
    version: 1,
    event,
    title,
    target,
    startedAt: header.startedAt,
    duration_ms,
    cost_usd,
    problems: findings.slice(0, most).map((finding) => {
      const { age = null, evidence, place, what } = FindingText.describe(finding)
      return { what, title: place, evidence, age }
    }),
    more: Math.max(0, findings.length - most),
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
    event === "red" ? `:red_circle: Night is red: ${title}` : `:large_green_circle: Night is green again: ${title}`
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
