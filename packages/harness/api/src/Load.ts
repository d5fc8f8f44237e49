import { Conclusion, Row } from "@webagent/load/AbComparison"
import { LoadReport } from "@webagent/load/LoadReport"
import { Distribution } from "@webagent/load/Measurements"
import { TimeSeries } from "@webagent/load/TimeSeries"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"
import { PlainName } from "./Runs.ts"

/** A load test that ran, in a list. */
export const LoadSummary = Schema.Struct({
  /** The name of its folder. */
  run: Schema.String,
  test: Schema.String,
  startedAt: Schema.String,
  verdict: LoadReport.fields.verdict,
  target: LoadReport.fields.target,
  /** Starts per second. */
  rate: Schema.Number,
  duration_ms: Schema.Number,
  took_ms: Schema.Number,
  /** Successful requests per second. */
  throughput: Schema.Number,
  /** The share of failed requests. */
  errors: Schema.Number,
  requests: Distribution,
  /** Names of crossed thresholds. */
  crossed: Schema.Array(Schema.String)
}).annotate({ identifier: "LoadSummary" })
export type LoadSummary = typeof LoadSummary.Type

/** A load test compared with the recorded ones of the baseline file. */
export const LoadBaseline = Schema.Struct({
  /** Number of recorded tests in the comparison. */
  runs: Schema.Int,
  /** Empty if there are too few. Figures are written with their units. */
  rows: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      now: Schema.String,
      /** The interval in which one more of the recorded tests would lie. */
      low: Schema.String,
      high: Schema.String,
      verdict: Schema.Literals(["worse", "better", "no difference seen"])
    })
  ),
  /** Reasons why recorded tests were left out, each with their number. */
  leftOut: Schema.Array(Schema.Tuple([Schema.String, Schema.Int]))
}).annotate({ identifier: "LoadBaseline" })
export type LoadBaseline = typeof LoadBaseline.Type

/** One load test. */
export const LoadDetail = Schema.Struct({
  report: LoadReport,
  /** Its course over time; null if the file is gone. */
  series: Schema.NullOr(TimeSeries),
  /** Null without a baseline file. */
  baseline: Schema.NullOr(LoadBaseline)
}).annotate({ identifier: "LoadDetail" })
export type LoadDetail = typeof LoadDetail.Type

/** Two load tests with other loads, or two services under the same load in turns. */
const ComparedLoad = Schema.Struct({
  /** The folder of its load test; null if it only ran for the comparison. */
  run: Schema.NullOr(Schema.String),
  target: LoadReport.fields.target,
  startedAt: Schema.String,
  /** Null if it only ran for the comparison, which has no thresholds. */
  verdict: Schema.NullOr(LoadReport.fields.verdict),
  thresholds: LoadReport.fields.thresholds
})

/** A comparison of two services that `load compare` has written, in a list. */
export const LoadComparisonSummary = Schema.Struct({
  run: Schema.String,
  test: Schema.String,
  startedAt: Schema.String,
  a: LoadReport.fields.target,
  b: LoadReport.fields.target,
  pairs: Schema.Int,
  verdict: Conclusion
}).annotate({ identifier: "LoadComparisonSummary" })
export type LoadComparisonSummary = typeof LoadComparisonSummary.Type

/** B compared with A, as `load compare A B` compares them. */
export const LoadComparison = Schema.Struct({
  test: Schema.String,
  a: ComparedLoad,
  b: ComparedLoad,
  /** Number of runs of each side. Intervals are computed over these pairs, so with one pair there is no interval. */
  pairs: Schema.Int,
  /** Tolerated change for the worse: 0.1 for 10 %. */
  tolerance: Schema.Number,
  /** Settings that differ, such as `rate 10, was 5`. */
  differences: Schema.Array(Schema.String),
  rows: Schema.Array(
    Schema.Struct({
      ...Row.fields,
      low: Schema.NullOr(Schema.Finite),
      high: Schema.NullOr(Schema.Finite),
      detectable: Schema.NullOr(Schema.Finite)
    })
  ),
  verdict: Conclusion
}).annotate({ identifier: "LoadComparison" })
export type LoadComparison = typeof LoadComparison.Type

const ofTest = { run_id: PlainName, test: PlainName }
const reading = [errors.signedOut, errors.missing, errors.cannot] as const

/** Load tests of the folder of reports. */
export class LoadGroup extends HttpApiGroup.make("load").add(
  HttpApiEndpoint.get("list", "/load", { success: Schema.Array(LoadSummary), error: errors.signedOut }).annotate(
    OpenApi.Summary,
    "List load tests, the newest first"
  ),
  HttpApiEndpoint.get("get", "/load/:run_id/:test", {
    params: ofTest,
    success: LoadDetail,
    error: reading
  }).annotate(OpenApi.Summary, "Read a load test with percentiles, thresholds and its baseline"),
  HttpApiEndpoint.get("compare", "/load/:run_id/:test/compare/:before", {
    /** `before` is the folder of another run of the same test. */
    params: { ...ofTest, before: PlainName },
    success: LoadComparison,
    error: reading
  }).annotate(OpenApi.Summary, "Compare a load test with an earlier one"),
  HttpApiEndpoint.get("comparisons", "/load-comparisons", {
    success: Schema.Array(LoadComparisonSummary),
    error: errors.signedOut
  }).annotate(OpenApi.Summary, "List comparisons of two services, the newest first"),
  HttpApiEndpoint.get("comparison", "/load-comparisons/:run_id/:test", {
    params: ofTest,
    success: LoadComparison,
    error: reading
  }).annotate(OpenApi.Summary, "Read the comparison of two services under the same load")
) {}
