import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { BillingGroup, BrowsersGroup, ProfilesGroup } from "../AccountGroups.ts"
import { ApiKeyAuth } from "../ApiKeyAuth.ts"
import { described } from "../Described.ts"
import { endpoint, extension } from "../Endpoint.ts"
import { RequestValidation } from "../RequestValidation.ts"
import { V2Extensions } from "./Extensions.ts"
import { V2Operations } from "./Operations.ts"

const { sessions, tasks } = V2Extensions

/** The v2 operations on sessions. */
class SessionsGroup extends HttpApiGroup.make("sessions").add(
  endpoint("get", V2Operations.sessions.get, "Read a session with its tasks"),
  extension("create", sessions.create, "Create a session without tasks"),
  extension("list", sessions.list, "List sessions"),
  extension("update", sessions.update, "Stop a session"),
  extension("delete", sessions.delete, "Stop a session and delete it with its tasks"),
  extension("purge", sessions.purge, "Stop a session and delete it with its tasks"),
  extension("getShare", sessions.getShare, "Read the public share of a session"),
  extension("share", sessions.share, "Share a session: everyone with the link can read it"),
  extension("unshare", sessions.unshare, "End the public share of a session")
) {}

/** The v2 operations on tasks. */
class TasksGroup extends HttpApiGroup.make("tasks").add(
  extension("create", tasks.create, "Create a task"),
  extension("list", tasks.list, "List tasks"),
  extension("get", tasks.get, "Read a task with its steps"),
  extension("status", tasks.status, "Read the status of a task; cheap, meant for polling"),
  extension("update", tasks.update, "Stop a task, or a task and its session")
) {}

/** API v2, its paths relative to `{base_url}`, which ends in `/api/v2`. */
export class V2Api extends HttpApi.make("v2")
  .add(SessionsGroup, TasksGroup, BrowsersGroup, ProfilesGroup, BillingGroup)
  .middleware(RequestValidation)
  .middleware(ApiKeyAuth)
  .annotateMerge(OpenApi.annotations({ title: "Web agent and hosted browser service, v2", version: "2.0.0" }))
  .annotateMerge(described("v2")) {}
