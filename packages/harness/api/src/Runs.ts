import { Finding, RunStatus } from "@webagent/report/Finding"
import { Partial } from "@webagent/report/Partial"
import { Counts, RunReport } from "@webagent/report/RunReport"
import { Selection } from "@webagent/report/Selection"
import { Trace } from "@webagent/report/Trace"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"
import { pageSize } from "./Wire.ts"

/** A whole number in a query or path: digits only. */
export const whole = (minimum: number, maximum: number) =>
  Schema.String.check(Schema.isPattern(/^\d{1,9}$/u, { message: "Expected a whole number" }))
    .pipe(Schema.decodeTo(Schema.FiniteFromString))
    .check(Schema.isBetween({ minimum, maximum }))

/** The name of a folder or a file: no path, and not hidden. */
export const PlainName = Schema.String.check(
  Schema.isMaxLength(200),
  Schema.isPattern(/^[^./\\\0][^/\\\0]*$/u, { message: "Expected the name of a folder or a file" })
)

/** State of a run: `running`, `finished`, or `killed` if it stopped without a report and can be resumed. */
export const RunState = Schema.Literals(["running", "finished", "killed"])
export type RunState = typeof RunState.Type

/** A run in a list. */
export const RunSummary = Schema.Struct({
  /** The name of its folder. */
  id: Schema.String,
  state: RunState,
  startedAt: Schema.String,
  duration_ms: Schema.NullOr(Schema.Number),
  /** Null until it has finished. */
  status: Schema.NullOr(RunStatus),
  /** Its errors and warnings, errors first: `@webagent/findings/words/Title` makes its title of them and `counts`. */
  findings: Schema.Array(Finding),
  counts: Schema.NullOr(Counts),
  /** Number of scenarios that it has planned. */
  scenarios: Schema.Int,
  cost_usd: Schema.NullOr(Schema.String),
  target: Schema.Struct({ name: Schema.String, address: Schema.String, simulated: Schema.Boolean }),
  selection: Schema.NullOr(Selection),
  partial: Schema.NullOr(Partial),
  /** Id of the night that the history has of it; null if it wasn't recorded. */
  night: Schema.NullOr(Schema.String),
  /** True if this process runs it, so that it can be stopped here. */
  isOurs: Schema.Boolean
}).annotate({ identifier: "RunSummary" })
export type RunSummary = typeof RunSummary.Type

/** Runs, the newest first. */
export const RunPage = Schema.Struct({
  rows: Schema.Array(RunSummary),
  /** `before` of the next page; null on the last one. */
  next: Schema.NullOr(Schema.String),
  total: Schema.Int
}).annotate({ identifier: "RunPage" })
export type RunPage = typeof RunPage.Type

/** A file of a run's folder. */
export const RunFile = Schema.Struct({
  name: Schema.String,
  /** Null if it was still to be written. */
  bytes: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "RunFile" })
export type RunFile = typeof RunFile.Type

/** A command that runs a scenario of a run again with the same random inputs. */
export const Replay = Schema.Struct({ suite: Schema.String, name: Schema.String, command: Schema.String }).annotate({
  identifier: "Replay"
})
export type Replay = typeof Replay.Type

/** One run. */
export const Run = Schema.Struct({
  ...RunSummary.fields,
  /** Its report; null until it has finished. Follow the events of a running run, which start with its header. */
  report: Schema.NullOr(RunReport),
  /** The files of its folder. `runFilePath` makes a link to one. */
  files: Schema.Array(RunFile),
  /** For every scenario. */
  replays: Schema.Array(Replay),
  /** The command that stops what it left open; null if there is nothing to stop. */
  reap: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Run" })
export type Run = typeof Run.Type

/** A run to start. Missing fields are those of the configuration and of the command's own flags. */
export const StartRun = Schema.Struct({
  /** Files or built-in names; all of the project if it's missing. */
  suites: Schema.optionalKey(Schema.Array(Schema.NonEmptyString).check(Schema.isMaxLength(500))),
  /** Scenarios to run; all of the suites if it's missing. */
  scenarios: Schema.optionalKey(
    Schema.Array(Schema.Struct({ suite: Schema.String, name: Schema.String })).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(2000)
    )
  ),
  tags: Schema.optionalKey(Schema.Array(Schema.NonEmptyString).check(Schema.isMaxLength(50))),
  /** Only scenarios whose name contains this text. */
  name: Schema.optionalKey(Schema.NonEmptyString.check(Schema.isMaxLength(500))),
  /** A name of `Project.targets`. */
  target: Schema.optionalKey(Schema.NonEmptyString),
  trials: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))),
  /** Only the trial with this number, from 1. */
  trial: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))),
  seed: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  concurrency: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))),
  /** Add the run to the history. */
  record: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "StartRun" })
export type StartRun = typeof StartRun.Type

const ofRun = { run_id: PlainName }

/** Runs of the folder of reports, of every process. */
export class RunsGroup extends HttpApiGroup.make("runs").add(
  HttpApiEndpoint.get("list", "/runs", {
    query: {
      /** `next` of the page before. */
      before: Schema.optionalKey(PlainName),
      limit: Schema.optionalKey(whole(1, pageSize.most))
    },
    success: RunPage,
    error: errors.signedOut
  }).annotate(OpenApi.Summary, "List runs, the newest first"),
  HttpApiEndpoint.get("get", "/runs/:run_id", {
    params: ofRun,
    success: Run,
    error: [errors.signedOut, errors.missing, errors.cannot]
  }).annotate(OpenApi.Summary, "Read a run with its scenarios, trials and findings"),
  HttpApiEndpoint.get("trace", "/runs/:run_id/traces/:trace", {
    /** The number in `Trial.trace`: 12 for `traces/12.json`. */
    params: { ...ofRun, trace: whole(1, 999_999_999) },
    success: Trace,
    error: [errors.signedOut, errors.missing, errors.cannot]
  }).annotate(OpenApi.Summary, "Read a trial's requests, spans and pictures"),
  HttpApiEndpoint.get("file", "/runs/:run_id/files/:file", {
    params: { ...ofRun, file: PlainName },
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
    error: [errors.signedOut, errors.missing]
  }).annotate(OpenApi.Summary, "Download a file of a run's folder"),
  HttpApiEndpoint.post("start", "/runs", {
    payload: StartRun,
    success: RunSummary,
    error: [errors.signedOut, errors.refused, errors.missing, errors.cannot]
  }).annotate(OpenApi.Summary, "Start a run"),
  HttpApiEndpoint.post("stop", "/runs/:run_id/stop", {
    params: ofRun,
    success: RunSummary,
    error: [errors.signedOut, errors.refused, errors.missing, errors.cannot]
  }).annotate(OpenApi.Summary, "Stop a run of this process; it still writes its report")
) {}
