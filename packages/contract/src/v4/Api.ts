import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { ApiKeyAuth } from "../ApiKeyAuth.ts"
import { endpoint, extension } from "../Endpoint.ts"
import { RequestValidation } from "../RequestValidation.ts"
import { V4Operations } from "./Operations.ts"
import { listEvents } from "./RunEvents.ts"

const { browsers, runs, sessions } = V4Operations

/** The v4 operations on runs. */
class RunsGroup extends HttpApiGroup.make("runs").add(
  endpoint("create", runs.create, "Create a run"),
  endpoint("status", runs.status, "Read the status of a run; cheap, meant for polling"),
  endpoint("get", runs.get, "Read a run, with its result once terminal")
) {}

/** The events of runs. With `Accept: text/event-stream`, they are sent as they happen. */
class EventsGroup extends HttpApiGroup.make("events").add(
  extension("list", listEvents, "List the events of a run, or stream them as server-sent events")
) {}

/** The v4 operation on sessions. */
class SessionsGroup extends HttpApiGroup.make("sessions").add(
  endpoint("queue", sessions.queue, "Queue a follow-up message")
) {}

/** The v4 operations on browsers. */
class BrowsersGroup extends HttpApiGroup.make("browsers").add(
  endpoint("create", browsers.create, "Create a browser"),
  endpoint("update", browsers.update, "Stop a browser")
) {}

/** API v4, its paths relative to `{base_url}`, which ends in `/api/v4`. */
export class V4Api extends HttpApi.make("v4")
  .add(RunsGroup)
  .add(EventsGroup)
  .add(SessionsGroup)
  .add(BrowsersGroup)
  .middleware(RequestValidation)
  .middleware(ApiKeyAuth)
  .annotateMerge(OpenApi.annotations({ title: "Web agent and hosted browser service, v4", version: "4.0.0" })) {}
