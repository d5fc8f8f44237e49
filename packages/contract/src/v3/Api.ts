import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { ApiKeyAuth } from "../ApiKeyAuth.ts"
import { described } from "../Described.ts"
import { endpoint, extension } from "../Endpoint.ts"
import { RequestValidation } from "../RequestValidation.ts"
import { V3Extensions } from "./Extensions.ts"
import { V3Operations } from "./Operations.ts"

const { billing, browsers, profiles, sessions, workspaces } = V3Extensions

/** The v3 operations on sessions. */
class SessionsGroup extends HttpApiGroup.make("sessions").add(
  endpoint("create", V3Operations.sessions.create, "Create a session from a task"),
  endpoint("get", V3Operations.sessions.get, "Read a session with its result"),
  extension("list", sessions.list, "List sessions"),
  extension("stop", sessions.stop, "Cancel the tasks of a session, and stop it unless it is to be kept"),
  extension("delete", sessions.delete, "Stop a session and delete it"),
  extension("messages", sessions.messages, "Read the messages of a session: tasks, steps and outcomes")
) {}

/** The v3 operations on browsers. */
class BrowsersGroup extends HttpApiGroup.make("browsers").add(
  extension("create", browsers.create, "Create a browser"),
  extension("list", browsers.list, "List browsers"),
  extension("get", browsers.get, "Read a browser"),
  extension("update", browsers.update, "Stop a browser"),
  extension("downloads", browsers.downloads, "List the files that a browser downloaded")
) {}

/** The v3 operations on profiles. */
class ProfilesGroup extends HttpApiGroup.make("profiles").add(
  extension("create", profiles.create, "Create a profile"),
  extension("list", profiles.list, "List profiles"),
  extension("get", profiles.get, "Read a profile"),
  extension("update", profiles.update, "Change the name or the user of a profile"),
  extension("delete", profiles.delete, "Delete a profile")
) {}

/** The v3 operations on workspaces and their files. */
class WorkspacesGroup extends HttpApiGroup.make("workspaces").add(
  extension("create", workspaces.create, "Create a workspace"),
  extension("list", workspaces.list, "List workspaces"),
  extension("get", workspaces.get, "Read a workspace"),
  extension("update", workspaces.update, "Rename a workspace"),
  extension("delete", workspaces.delete, "Delete a workspace with its files"),
  extension("size", workspaces.size, "Read the bytes that a workspace uses, and its limit"),
  extension("files", workspaces.files, "List the files of a workspace"),
  extension("upload", workspaces.upload, "Get the addresses for uploads to a workspace"),
  extension("deleteFile", workspaces.deleteFile, "Delete a file of a workspace")
) {}

/** The v3 operation on the account. */
class BillingGroup extends HttpApiGroup.make("billing").add(
  extension("account", billing.account, "Read what the API key has used and may use")
) {}

/** API v3, its paths relative to `{base_url}`, which ends in `/api/v3`. */
export class V3Api extends HttpApi.make("v3")
  .add(SessionsGroup)
  .add(BrowsersGroup)
  .add(ProfilesGroup)
  .add(WorkspacesGroup)
  .add(BillingGroup)
  .middleware(RequestValidation)
  .middleware(ApiKeyAuth)
  .annotateMerge(OpenApi.annotations({ title: "Web agent and hosted browser service, v3", version: "3.0.0" }))
  .annotateMerge(described("v3")) {}
