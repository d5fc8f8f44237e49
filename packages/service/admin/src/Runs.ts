import { Identifier } from "@webagent/contract"
import { AnswerRun, AskPerson } from "@webagent/contract/v4"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"
import { oncePerKey } from "./IdempotencyKey.ts"
import { Ids, pageQuery } from "./Page.ts"
import {
  CancelledRuns,
  CancelRuns,
  ModelCall,
  RetriedRuns,
  Run,
  RunDetails,
  RunFilters,
  RunPage,
  RunStep,
  SendMessage,
  StartRun,
  StepNumber
} from "./Run.ts"

const ofRun = { params: { run_id: Identifier }, error: [errors.notFound, errors.unavailable] }
const refused = [errors.conflict, errors.unavailable]

/** Runs of every key, or of the request's key. */
export class RunsGroup extends HttpApiGroup.make("runs").add(
  HttpApiEndpoint.get("list", "/runs", {
    query: {
      ...RunFilters.fields,
      ...pageQuery,
      /** `false` leaves out the counts, which take longer than the rows. */
      counts: Schema.optionalKey(Schema.Literals(["true", "false"]))
    },
    success: RunPage,
    error: [errors.badCursor, errors.unavailable]
  }).annotate(OpenApi.Summary, "List runs, newest first, with the number of runs in each status"),
  HttpApiEndpoint.get("get", "/runs/:run_id", { ...ofRun, success: RunDetails }).annotate(
    OpenApi.Summary,
    "Read a run"
  ),
  HttpApiEndpoint.get("steps", "/runs/:run_id/steps", {
    ...ofRun,
    query: { after: Schema.optionalKey(StepNumber) },
    success: Schema.Array(RunStep)
  }).annotate(OpenApi.Summary, "List a run's steps after a number, oldest first"),
  HttpApiEndpoint.get("modelCalls", "/runs/:run_id/model-calls", {
    ...ofRun,
    query: { after: Schema.optionalKey(StepNumber) },
    success: Schema.Array(ModelCall)
  }).annotate(OpenApi.Summary, "List a run's model calls after a number, oldest first"),
  HttpApiEndpoint.get("picture", "/runs/:run_id/steps/:number/picture", {
    ...ofRun,
    params: { ...ofRun.params, number: StepNumber },
    success: HttpApiSchema.StreamUint8Array({ contentType: "image/jpeg" })
  }).annotate(OpenApi.Summary, "The picture of the page at a step, a JPEG"),
  HttpApiEndpoint.post("create", "/runs", {
    payload: StartRun,
    success: Run.pipe(HttpApiSchema.status(201)),
    error: refused
  })
    .annotate(OpenApi.Summary, "Start a run, as the request's key")
    .annotateMerge(oncePerKey),
  HttpApiEndpoint.post("message", "/runs/:run_id/messages", {
    ...ofRun,
    payload: SendMessage,
    success: Run.pipe(HttpApiSchema.status(201)),
    error: [errors.notFound, ...refused]
  })
    .annotate(OpenApi.Summary, "Send a follow-up to the session of a run; the response is the run that it becomes")
    .annotateMerge(oncePerKey),
  HttpApiEndpoint.post("ask", "/runs/:run_id/ask", {
    ...ofRun,
    payload: AskPerson,
    success: Run,
    error: [errors.notFound, ...refused]
  }).annotate(OpenApi.Summary, "Have a running run ask a person, and wait for the answer"),
  HttpApiEndpoint.post("answer", "/runs/:run_id/answer", {
    ...ofRun,
    payload: AnswerRun,
    success: Run,
    error: [errors.notFound, ...refused]
  }).annotate(OpenApi.Summary, "Answer the question that a run waits for; 409 if it was answered"),
  HttpApiEndpoint.post("cancel", "/runs/cancel", {
    payload: CancelRuns,
    success: CancelledRuns,
    error: [errors.badCursor, errors.unavailable]
  }).annotate(OpenApi.Summary, "Cancel runs by their ids, all open runs that fit a filter, or all open runs"),
  HttpApiEndpoint.post("retry", "/runs/retry", {
    payload: Schema.Struct({ ids: Ids }),
    success: RetriedRuns.pipe(HttpApiSchema.status(201)),
    error: refused
  })
    .annotate(OpenApi.Summary, "Run tasks again in new sessions, with the same settings and owner")
    .annotateMerge(oncePerKey)
) {}
