import { Identifier } from "@webagent/contract"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { errors } from "./Errors.ts"
import { Instant } from "./Page.ts"
import { Run, RunStep, StepNumber } from "./Run.ts"

/** A link that shows one run to people without a key. */
export const RunShare = Schema.Struct({
  runId: Schema.String,
  /** Opens the run's page; the token in it is the secret. */
  url: Schema.String,
  token: Schema.String,
  createdAt: Instant,
  expiresAt: Instant
}).annotate({ identifier: "RunShare" })

/** A link that shows one run to people without a key. */
export type RunShare = typeof RunShare.Type

/** A run as its link shows it: without its owner, node, session and tags, and with its steps. */
export const SharedRun = Schema.Struct({
  ...Struct.omit(Run.fields, ["failure", "isSuccess", "node", "owner", "sessionId", "tags", "workspaceId"]),
  stepList: Schema.Array(RunStep)
}).annotate({ identifier: "SharedRun" })

/** A run as its link shows it. */
export type SharedRun = typeof SharedRun.Type

const ofLink = {
  params: { run_id: Identifier },
  query: { token: Schema.optionalKey(Schema.String) },
  error: [errors.notFound, errors.unavailable]
}

/** Runs as their links show them: with a token, and without a key. */
export class SharedRunsGroup extends HttpApiGroup.make("sharedRuns").add(
  HttpApiEndpoint.get("get", "/share/runs/:run_id", { ...ofLink, success: SharedRun }).annotate(
    OpenApi.Summary,
    "Read the run of a link"
  ),
  HttpApiEndpoint.get("picture", "/share/runs/:run_id/steps/:number/picture", {
    ...ofLink,
    params: { ...ofLink.params, number: StepNumber },
    success: HttpApiSchema.StreamUint8Array({ contentType: "image/jpeg" })
  }).annotate(OpenApi.Summary, "The picture of the page at a step of the link's run, a JPEG")
) {}

/** Links that show one run. */
export class SharesGroup extends HttpApiGroup.make("shares").add(
  HttpApiEndpoint.post("create", "/runs/:run_id/share", {
    params: { run_id: Identifier },
    success: RunShare.pipe(HttpApiSchema.status(201)),
    error: [errors.notFound, errors.unavailable]
  }).annotate(OpenApi.Summary, "Create a link that shows this run only, for 30 days; links from before stop working"),
  HttpApiEndpoint.delete("revoke", "/runs/:run_id/share", {
    params: { run_id: Identifier },
    success: HttpApiSchema.NoContent,
    error: [errors.notFound, errors.unavailable]
  }).annotate(OpenApi.Summary, "Revoke the link of a run")
) {}
