import { Conclusion } from "@webagent/findings/NightChanges"
import { Night, NightFingerprint } from "@webagent/nights/Night"
import { Acknowledged } from "@webagent/nights/Past"
import { Entry } from "@webagent/nights/Quarantine"
import { Comparison, Figure, ScenarioName } from "@webagent/report/Comparison"
import { Finding, RunStatus } from "@webagent/report/Finding"
import { Partial } from "@webagent/report/Partial"
import { Revisions } from "@webagent/report/Revision"
import { Verdict } from "@webagent/report/Verdict"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"
import { whole } from "./Runs.ts"

/** Id of a night: the beginning of a hash. */
export const NightId = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{4,64}$/u, { message: "Expected the id of a night" })
)

/** A scenario of the heat map: a row. */
export const NightsRow = Schema.Struct({
  ...ScenarioName.fields,
  tags: Schema.Array(Schema.String),
  owner: Schema.NullOr(Schema.String),
  quarantine: Schema.NullOr(Entry)
}).annotate({ identifier: "NightsRow" })
export type NightsRow = typeof NightsRow.Type

/** A night of the heat map: a column. */
export const NightsColumn = Schema.Struct({
  id: Schema.String,
  startedAt: Schema.String,
  duration_ms: Schema.Number,
  /** An exact decimal. */
  cost_usd: Schema.String,
  /** Null if an older version recorded it, without findings. */
  status: Schema.NullOr(RunStatus),
  /** True if an older version recorded it without findings, so that its status is from its figures alone. */
  isJudged: Schema.optionalKey(Schema.Boolean),
  /** Its errors and warnings, without statistics and evidence: enough for its title. The night itself has all of them. */
  findings: Schema.Array(Finding),
  partial: Schema.NullOr(Partial),
  /** True if the service was unreachable from the start, so that no trial ran. */
  isAway: Schema.Boolean,
  /** `simulated`, or an address. */
  target: Schema.String,
  tool: Schema.String,
  /** Number of trials of each scenario; null if each scenario declares its own. */
  trials: Schema.NullOr(Schema.Int),
  /** Id of its run; null if the report is gone. */
  run: Schema.NullOr(Schema.String),
  /** Duration and cost of its planned trials, without extra trials. Null if an older version didn't store the duration. */
  planned: Schema.Struct({ duration_ms: Schema.NullOr(Schema.Number), cost_usd: Schema.String }),
  /** Figures of the whole night that were reported as worse. */
  regressed: Schema.Array(Figure),
  /** Times in which the service was unreachable, in UTC; `until` is null if the night ended before. */
  outages: Schema.Array(Schema.Struct({ from: Schema.String, until: Schema.NullOr(Schema.String) })),
  /** Number of browsers that its trials leaked. */
  leaks: Schema.Int,
  /** Number of broken invariants that no scenario can be blamed for. */
  breaches: Schema.Int,
  /** The code of suites, harness and service, as far as it is known. */
  revisions: Revisions,
  /** One letter per row, in the order of `rows`; `verdictOf` of `@webagent/harness-api/NightCells` reads it. */
  cells: Schema.String,
  /** Number of scored trials that most of its scenarios have. */
  usual: Schema.Int,
  /** Cells with another result than `usual` passed trials: index of the row, passed and scored trials. */
  rates: Schema.Array(Schema.Tuple([Schema.Int, Schema.Int, Schema.Int]))
}).annotate({ identifier: "NightsColumn" })
export type NightsColumn = typeof NightsColumn.Type

/** Scenarios by nights. */
export const NightsMap = Schema.Struct({
  rows: Schema.Array(NightsRow),
  /** The oldest night first. */
  nights: Schema.Array(NightsColumn),
  /** Number of nights in the history: older ones are left out. */
  total: Schema.Int,
  /** One sentence for each line of the history that can't be read. */
  problems: Schema.Array(Schema.String)
}).annotate({ identifier: "NightsMap" })
export type NightsMap = typeof NightsMap.Type

/** A figure of scenarios in nights. */
export const NightFigure = Schema.Literals(["duration", "cost"])
export type NightFigure = typeof NightFigure.Type

/** A figure of each scenario in each night. */
export const NightFigures = Schema.Struct({
  /** Ids of the nights, the oldest first. */
  nights: Schema.Array(Schema.String),
  /** By row of the map, then by night: median milliseconds of a trial, or USD; 0 if it wasn't measured. A row of zeros is empty. */
  rows: Schema.Array(Schema.Array(Schema.Number))
}).annotate({ identifier: "NightFigures" })
export type NightFigures = typeof NightFigures.Type

/** One night of the history, as its file has it. */
export const NightDetail = Schema.Struct({
  night: Night,
  /** Id of its run; null if the report is gone. */
  run: Schema.NullOr(Schema.String),
  /** The nights before and after it. */
  previous: Schema.NullOr(Schema.String),
  next: Schema.NullOr(Schema.String),
  /** True if all its regressions were accepted as the new level; otherwise, the accepted scenarios. */
  accepted: Schema.Union([Schema.Literal(true), Schema.Array(ScenarioName)]),
  /** Who works on its problems, the latest last. */
  acknowledged: Schema.Array(Acknowledged)
}).annotate({ identifier: "NightDetail" })
export type NightDetail = typeof NightDetail.Type

const ComparedNight = Schema.Struct({
  id: Schema.String,
  startedAt: Schema.String,
  ...NightFingerprint.fields,
  partial: Schema.optionalKey(Partial),
  report: Schema.optionalKey(Schema.String)
})

/** Two nights compared; also the output of `compare --json`. */
export const CompareOutput = Schema.Struct({
  ...Conclusion.fields,
  before: ComparedNight,
  after: ComparedNight,
  /** Number of scenarios that both nights have. */
  scenarios: Schema.Int,
  /** Number of trials that have the same seed in both nights. */
  pairs: Schema.Int,
  differences: Schema.Array(Schema.String),
  rows: Schema.Array(Comparison)
}).annotate({ identifier: "CompareOutput" })
export type CompareOutput = typeof CompareOutput.Type

/** A scenario, or the whole night, in one night. */
export const TrendPoint = Schema.Struct({
  night: Schema.String,
  startedAt: Schema.String,
  /** Null for the whole night. */
  verdict: Schema.NullOr(Verdict),
  /** Passed of scored trials; of the whole night, of all scenarios' trials. */
  passed: Schema.Int,
  scored: Schema.Int,
  /** Median duration of passed trials; of the whole night, its duration. Null if nothing was measured. */
  duration_ms: Schema.NullOr(Schema.Number),
  /** Cost in USD: a number to draw, not to add up. */
  cost_usd: Schema.Number,
  /** Of the whole night: numbers of scenarios that ran, passed and were flaky, of leaked browsers, and of requests. */
  whole: Schema.optionalKey(
    Schema.Struct({
      ran: Schema.Int,
      passed: Schema.Int,
      flaky: Schema.Int,
      leaks: Schema.Int,
      requests: Schema.Int
    })
  )
}).annotate({ identifier: "TrendPoint" })
export type TrendPoint = typeof TrendPoint.Type

/** A scenario, or the whole night, over time. */
export const Trend = Schema.Struct({
  scenario: Schema.NullOr(ScenarioName),
  /** The oldest night first; nights without the scenario are left out. */
  points: Schema.Array(TrendPoint)
}).annotate({ identifier: "Trend" })
export type Trend = typeof Trend.Type

/** A quarantine to add to the file. */
export const QuarantineScenario = Schema.Struct({
  suite: Schema.NonEmptyString,
  scenario: Schema.NonEmptyString,
  owner: Schema.NonEmptyString.check(Schema.isMaxLength(200)),
  reason: Schema.NonEmptyString.check(Schema.isMaxLength(2000)),
  /** The last day, `2026-12-01`: at most 30 days from today. */
  expires: Schema.String
}).annotate({ identifier: "QuarantineScenario" })
export type QuarantineScenario = typeof QuarantineScenario.Type

/** A regression to accept as the new level. */
export const AcceptNight = Schema.Struct({
  /** Only this scenario; everything that regressed in the night if it's missing. */
  scenario: Schema.optionalKey(ScenarioName),
  note: Schema.optionalKey(Schema.NonEmptyString.check(Schema.isMaxLength(2000)))
}).annotate({ identifier: "AcceptNight" })
export type AcceptNight = typeof AcceptNight.Type

/** Who is working on the problems of a night. They still fail nights, and send no reminders. */
export const AcknowledgeNight = Schema.Struct({
  /** Only this scenario; every problem of the night if it's missing. */
  scenario: Schema.optionalKey(ScenarioName),
  owner: Schema.NonEmptyString.check(Schema.isMaxLength(200)),
  /** The last day on which it holds, `2026-12-01`; until the problem is over if it's missing. */
  until: Schema.optionalKey(Schema.NonEmptyString.check(Schema.isMaxLength(10))),
  note: Schema.optionalKey(Schema.NonEmptyString.check(Schema.isMaxLength(2000)))
}).annotate({ identifier: "AcknowledgeNight" })
export type AcknowledgeNight = typeof AcknowledgeNight.Type

const ofNight = { night_id: NightId }
const change = [errors.signedOut, errors.refused, errors.cannot] as const

/** The history of nights, and the files that say what is known of them. Each change is the one that the command line makes. */
export class NightsGroup extends HttpApiGroup.make("nights").add(
  HttpApiEndpoint.get("map", "/nights", {
    /** Number of latest nights: 365 by default. */
    query: { last: Schema.optionalKey(whole(1, 4000)) },
    success: NightsMap,
    error: [errors.signedOut, errors.cannot]
  }).annotate(OpenApi.Summary, "Read scenarios by nights"),
  HttpApiEndpoint.get("get", "/nights/:night_id", {
    params: ofNight,
    success: NightDetail,
    error: [errors.signedOut, errors.missing, errors.cannot]
  }).annotate(OpenApi.Summary, "Read a night with its scenarios and findings"),
  HttpApiEndpoint.get("compare", "/nights/:night_id/compare/:before", {
    params: { ...ofNight, before: NightId },
    success: CompareOutput,
    error: [errors.signedOut, errors.missing, errors.cannot]
  }).annotate(OpenApi.Summary, "Compare a night with an earlier one"),
  HttpApiEndpoint.get("trend", "/trend", {
    query: {
      /** Both or none: none is the whole night. */
      suite: Schema.optionalKey(Schema.String),
      name: Schema.optionalKey(Schema.String),
      last: Schema.optionalKey(whole(1, 4000))
    },
    success: Trend,
    error: [errors.signedOut, errors.missing, errors.cannot]
  }).annotate(OpenApi.Summary, "Read pass rate, duration and cost of a scenario over time"),
  HttpApiEndpoint.get("figures", "/figures", {
    /** `last` as for the map. */
    query: { figure: NightFigure, last: Schema.optionalKey(whole(1, 4000)) },
    success: NightFigures,
    error: [errors.signedOut, errors.cannot]
  }).annotate(OpenApi.Summary, "Read a figure of each scenario in each night"),
  HttpApiEndpoint.post("accept", "/nights/:night_id/accept", {
    params: ofNight,
    payload: AcceptNight,
    success: HttpApiSchema.NoContent,
    error: [...change, errors.missing]
  }).annotate(OpenApi.Summary, "Accept a night's regressions as the new level"),
  HttpApiEndpoint.post("acknowledge", "/nights/:night_id/acknowledge", {
    params: ofNight,
    payload: AcknowledgeNight,
    success: HttpApiSchema.NoContent,
    error: [...change, errors.missing]
  }).annotate(OpenApi.Summary, "Record that someone is working on a night's problems"),
  HttpApiEndpoint.post("quarantine", "/quarantine", {
    payload: QuarantineScenario,
    success: Entry,
    error: change
  }).annotate(OpenApi.Summary, "Add a scenario to the quarantine file, or change its entry"),
  HttpApiEndpoint.post("release", "/quarantine/release", {
    payload: Schema.Struct({ suite: Schema.NonEmptyString, scenario: Schema.NonEmptyString }),
    success: HttpApiSchema.NoContent,
    error: [...change, errors.missing]
  }).annotate(OpenApi.Summary, "Remove a scenario from the quarantine file")
) {}
