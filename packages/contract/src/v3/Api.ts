import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { ApiKeyAuth } from "../ApiKeyAuth.ts"
import { declared, SessionNotFoundError } from "../Errors.ts"
import { Identifier } from "../Identifier.ts"
import { RequestValidation } from "../RequestValidation.ts"
import { Session, SessionCreate } from "./Session.ts"

/** The v3 operations on sessions. */
export class SessionsGroup extends HttpApiGroup.make("sessions").add(
  HttpApiEndpoint.post("create", "/sessions", {
    payload: SessionCreate,
    success: Session.pipe(HttpApiSchema.status(201))
  }).annotate(OpenApi.Summary, "Create a session from a task"),
  HttpApiEndpoint.get("get", "/sessions/:session_id", {
    params: { session_id: Identifier },
    success: Session,
    error: declared(SessionNotFoundError)
  }).annotate(OpenApi.Summary, "Read a session with its result")
) {}

/** API v3, its paths relative to `{base_url}`, which ends in `/api/v3`. */
export class V3Api extends HttpApi.make("v3")
  .add(SessionsGroup)
  .middleware(RequestValidation)
  .middleware(ApiKeyAuth)
  .annotateMerge(OpenApi.annotations({ title: "Web agent and hosted browser service, v3", version: "3.0.0" })) {}
