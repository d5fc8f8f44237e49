import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { ApiKeyAuth } from "../ApiKeyAuth.ts"
import { endpoint } from "../Endpoint.ts"
import { RequestValidation } from "../RequestValidation.ts"
import { V3Operations } from "./Operations.ts"

/** The v3 operations on sessions. */
class SessionsGroup extends HttpApiGroup.make("sessions").add(
  endpoint("create", V3Operations.sessions.create, "Create a session from a task"),
  endpoint("get", V3Operations.sessions.get, "Read a session with its result")
) {}

/** API v3, its paths relative to `{base_url}`, which ends in `/api/v3`. */
export class V3Api extends HttpApi.make("v3")
  .add(SessionsGroup)
  .middleware(RequestValidation)
  .middleware(ApiKeyAuth)
  .annotateMerge(OpenApi.annotations({ title: "Web agent and hosted browser service, v3", version: "3.0.0" })) {}
