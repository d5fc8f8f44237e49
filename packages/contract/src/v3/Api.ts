import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { BillingGroup, BrowsersGroup } from "../AccountGroups.ts"
import { ApiKeyAuth } from "../ApiKeyAuth.ts"
import { described } from "../Described.ts"
import { endpoint, extension } from "../Endpoint.ts"
import { RequestValidation } from "../RequestValidation.ts"
import { V3Extensions } from "./Extensions.ts"
import { V3Operations } from "./Operations.ts"

const { profiles, sessions, workspaces } = V3Extensions

/** The v3 operations on sessions. */
class SessionsGroup extends HttpApiGroup.make("sessions").add(
  endpoint("create", V3Operations.sessions.create, "Create a session from a task"),
  endpoint("get", V3Operations.sessions.get, "Read a session with its result"),
  extension("list", sessions.list, "List sessions"),
  extension("stop", sessions.stop, "Cancel a session's tasks, and stop it unless it is to be kept"),
  extension("delete", sessions.delete, "Stop a session and delete it"),
  extension("messages", sessions.messages, "Read a session's messages: tasks, steps and outcomes")
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
  extension("files", workspaces.files, "List a workspace's files"),
  extension("upload", workspaces.upload, "Get the addresses for uploads to a workspace"),
  extension("deleteFile", workspaces.deleteFile, "Delete a file of a workspace")
) {}

/** API v3, its paths relative to `{base_url}`, which ends in `/api/v3`. */
export class V3Api extends HttpApi.make("v3")
  .add(SessionsGroup, BrowsersGroup, ProfilesGroup, WorkspacesGroup, BillingGroup)
  .middleware(RequestValidation)
  .middleware(ApiKeyAuth)
  .annotateMerge(OpenApi.annotations({ title: "Web agent and hosted browser service, v3", version: "3.0.0" }))
  .annotateMerge(described("v3")) {}
