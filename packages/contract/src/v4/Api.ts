import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { ApiKeyAuth } from "../ApiKeyAuth.ts"
import { BrowserNotFoundError, ConflictError, declared, RunNotFoundError, SessionNotFoundError } from "../Errors.ts"
import { Identifier } from "../Identifier.ts"
import { RequestValidation } from "../RequestValidation.ts"
import { Browser, BrowserCreate, BrowserUpdate, UpdatedBrowser } from "./Browser.ts"
import { CreatedRun, Run, RunCreate, RunStatusView } from "./Run.ts"
import { QueuedMessage, QueueMessage } from "./Session.ts"

// one value for both operations: two would be two components of one name in the OpenAPI document
const runNotFound = declared(RunNotFoundError)

/** The v4 operations on runs. */
export class RunsGroup extends HttpApiGroup.make("runs").add(
  HttpApiEndpoint.post("create", "/runs", {
    payload: RunCreate,
    success: CreatedRun.pipe(HttpApiSchema.status(201))
  }).annotate(OpenApi.Summary, "Create a run"),
  HttpApiEndpoint.get("status", "/runs/:run_id/status", {
    params: { run_id: Identifier },
    success: RunStatusView,
    error: runNotFound
  }).annotate(OpenApi.Summary, "Read the status of a run; cheap, meant for polling"),
  HttpApiEndpoint.get("get", "/runs/:run_id", {
    params: { run_id: Identifier },
    success: Run,
    error: runNotFound
  }).annotate(OpenApi.Summary, "Read a run, with its result once terminal")
) {}

/** The v4 operation on sessions. */
export class SessionsGroup extends HttpApiGroup.make("sessions").add(
  HttpApiEndpoint.post("queue", "/sessions/:session_id/queue", {
    params: { session_id: Identifier },
    payload: QueueMessage,
    success: QueuedMessage.pipe(HttpApiSchema.status(201)),
    error: [declared(SessionNotFoundError), declared(ConflictError)]
  }).annotate(OpenApi.Summary, "Queue a follow-up message")
) {}

/** The v4 operations on browsers. */
export class BrowsersGroup extends HttpApiGroup.make("browsers").add(
  HttpApiEndpoint.post("create", "/browsers", {
    payload: BrowserCreate,
    success: Browser.pipe(HttpApiSchema.status(201))
  }).annotate(OpenApi.Summary, "Create a browser"),
  HttpApiEndpoint.patch("update", "/browsers/:browser_id", {
    params: { browser_id: Identifier },
    payload: BrowserUpdate,
    success: UpdatedBrowser,
    error: declared(BrowserNotFoundError)
  }).annotate(OpenApi.Summary, "Stop a browser")
) {}

/** API v4, its paths relative to `{base_url}`, which ends in `/api/v4`. */
export class V4Api extends HttpApi.make("v4")
  .add(RunsGroup)
  .add(SessionsGroup)
  .add(BrowsersGroup)
  .middleware(RequestValidation)
  .middleware(ApiKeyAuth)
  .annotateMerge(OpenApi.annotations({ title: "Web agent and hosted browser service, v4", version: "4.0.0" })) {}
