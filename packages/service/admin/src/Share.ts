import { Identifier, RequestValidation } from "@webagent/contract"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { errors } from "./Errors.ts"
import { Instant, listOf, whole } from "./Page.ts"
import { Run, RunStep, StepNumber } from "./Run.ts"
import { consolePath } from "./Wire.ts"

/** A link that shows one run to people without a key. */
export const RunShare = Schema.Struct({
  runId: Schema.String,
  /** Reads the run as JSON; the token in it is the secret. For people, the console shows it at `sharePathOf`. */
  url: Schema.String,
  token: Schema.String,
  createdAt: Instant,
  expiresAt: Instant
}).annotate({ identifier: "RunShare" })
export type RunShare = typeof RunShare.Type

/** A link with what its run is about. */
export const ListedShare = Schema.Struct({
  ...RunShare.fields,
  task: Schema.String,
  title: Schema.NullOr(Schema.String),
  owner: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ListedShare" })
export type ListedShare = typeof ListedShare.Type

/** Path of the console's page for people with a link. The token is behind a `#`, which no browser sends or logs. */
export const sharePathOf = ({ runId, token }: Pick<RunShare, "runId" | "token">): string =>
  `${consolePath}/share/${encodeURIComponent(runId)}#${token}`

/** A run as its link shows it: without its owner, node, session and tags, and with its steps. */
export const SharedRun = Schema.Struct({
  ...Struct.omit(Run.fields, ["failure", "isSuccess", "node", "owner", "sessionId", "tags", "workspaceId"]),
  stepList: Schema.Array(RunStep),
  /** True if `/share/runs/:run_id/recording` has a video: of a browser that did this run only, after it stopped. */
  recording: Schema.Boolean,
  /** True if the server's browsers and agent are simulated, so the steps, the result and the cost are made up. */
  simulated: Schema.Boolean
}).annotate({ identifier: "SharedRun" })
export type SharedRun = typeof SharedRun.Type

const ofRun = { params: { run_id: Identifier }, error: [errors.notFound, errors.unavailable] }
const ofLink = { ...ofRun, query: { token: Schema.optionalKey(Schema.String) } }

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
  }).annotate(OpenApi.Summary, "The picture of the page at a step of the link's run, a JPEG"),
  HttpApiEndpoint.get("recording", "/share/runs/:run_id/recording", {
    ...ofLink,
    success: HttpApiSchema.StreamUint8Array({ contentType: "video/webm" })
  }).annotate(OpenApi.Summary, "The recording of the link's run; 404 if its browser also did other runs")
) {}

/** The runs that links show, at the address of the server. It takes no key: the token of a link opens its run. */
export class SharedRunsApi extends HttpApi.make("shared").add(SharedRunsGroup).middleware(RequestValidation) {}

/** Links that show one run. */
export class SharesGroup extends HttpApiGroup.make("shares").add(
  HttpApiEndpoint.get("list", "/shares", listOf(ListedShare, {})).annotate(
    OpenApi.Summary,
    "List the links that show runs, those of the newest runs first"
  ),
  HttpApiEndpoint.get("get", "/runs/:run_id/share", {
    ...ofRun,
    success: RunShare
  }).annotate(OpenApi.Summary, "Read the link of a run; 404 without one"),
  HttpApiEndpoint.post("create", "/runs/:run_id/share", {
    ...ofRun,
    query: {
      /** Number of days for which the link shows the run; 30 by default. */
      days: Schema.optionalKey(whole(1, 365))
    },
    success: RunShare.pipe(HttpApiSchema.status(201))
  }).annotate(
    OpenApi.Summary,
    "Create a link that shows this run only, for 30 days or `days`; links from before stop working"
  ),
  HttpApiEndpoint.delete("revoke", "/runs/:run_id/share", {
    ...ofRun,
    success: HttpApiSchema.NoContent
  }).annotate(OpenApi.Summary, "Revoke the link of a run")
) {}
