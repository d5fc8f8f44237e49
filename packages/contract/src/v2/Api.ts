import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { ApiKeyAuth } from "../ApiKeyAuth.ts"
import { endpoint } from "../Endpoint.ts"
import { RequestValidation } from "../RequestValidation.ts"
import { V2Operations } from "./Operations.ts"

/** The v2 operations on sessions. */
class SessionsGroup extends HttpApiGroup.make("sessions").add(
  endpoint("get", V2Operations.sessions.get, "Read a session with its tasks")
) {}

/** API v2, its paths relative to `{base_url}`, which ends in `/api/v2`. */
export class V2Api extends HttpApi.make("v2")
  .add(SessionsGroup)
  .middleware(RequestValidation)
  .middleware(ApiKeyAuth)
  .annotateMerge(OpenApi.annotations({ title: "Web agent and hosted browser service, v2", version: "2.0.0" })) {}
