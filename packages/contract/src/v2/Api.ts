import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { ApiKeyAuth } from "../ApiKeyAuth.ts"
import { declared, SessionNotFoundError } from "../Errors.ts"
import { Uuid } from "../Identifier.ts"
import { RequestValidation } from "../RequestValidation.ts"
import { SessionView } from "./Session.ts"

/** The v2 operations on sessions. */
export class SessionsGroup extends HttpApiGroup.make("sessions").add(
  HttpApiEndpoint.get("get", "/sessions/:session_id", {
    params: { session_id: Uuid },
    success: SessionView,
    error: declared(SessionNotFoundError)
  }).annotate(OpenApi.Summary, "Read a session with its tasks")
) {}

/** API v2, its paths relative to `{base_url}`, which ends in `/api/v2`. */
export class V2Api extends HttpApi.make("v2")
  .add(SessionsGroup)
  .middleware(RequestValidation)
  .middleware(ApiKeyAuth)
  .annotateMerge(OpenApi.annotations({ title: "Web agent and hosted browser service, v2", version: "2.0.0" })) {}
