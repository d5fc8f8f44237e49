import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { BillingGroup, ProfilesGroup } from "../AccountGroups.ts"
import { ApiKeyAuth } from "../ApiKeyAuth.ts"
import { described } from "../Described.ts"
import { endpoint, extension } from "../Endpoint.ts"
import { RequestValidation } from "../RequestValidation.ts"
import { V4Extensions } from "./Extensions.ts"
import { CreateAnyRun } from "./CreateRunInSession.ts"
import { HandOffExtensions } from "./HandOff.ts"
import { V4Operations } from "./Operations.ts"

const { browsers, runs, sessions } = V4Operations

/** The v4 operations on runs. */
class RunsGroup extends HttpApiGroup.make("runs").add(
  endpoint(
    "create",
    CreateAnyRun,
    "Create a run; with a sessionId, the next run of that session, and with replayOf, the steps of an earlier run again"
  ),
  endpoint("status", runs.status, "Read the status of a run; cheap, meant for polling"),
  endpoint("get", runs.get, "Read a run, with its result once terminal"),
  extension("list", V4Extensions.runs.list, "List runs, newest first"),
  extension("cancel", V4Extensions.runs.cancel, "Cancel a run; a terminal one stays as it is"),
  extension("attachments", V4Extensions.runs.attachments, "List the files that the agent attached to a run"),
  extension("ask", HandOffExtensions.ask, "Have a running run ask a person, and wait for the answer"),
  extension("answer", HandOffExtensions.answer, "Answer the question that a run waits for; 409 if it was answered")
) {}

/** The events of runs. With `Accept: text/event-stream`, they are sent as they happen. */
class EventsGroup extends HttpApiGroup.make("events").add(
  extension("list", V4Extensions.runs.events, "List a run's events, or stream them as server-sent events")
) {}

/** The v4 operations on sessions. */
class SessionsGroup extends HttpApiGroup.make("sessions").add(
  endpoint("queue", sessions.queue, "Queue a follow-up message"),
  extension("list", V4Extensions.sessions.list, "List sessions, newest first"),
  extension("purge", V4Extensions.sessions.purge, "Delete a session with its runs, messages and recording"),
  extension("get", V4Extensions.sessions.get, "Read a session, with the status of its latest run"),
  extension("messages", V4Extensions.sessions.messages, "List a session's pending messages"),
  extension("message", V4Extensions.sessions.message, "Read a queued message"),
  extension("removeMessage", V4Extensions.sessions.removeMessage, "Remove a pending message")
) {}

/** The v4 operations on browsers. */
class BrowsersGroup extends HttpApiGroup.make("browsers").add(
  endpoint("create", browsers.create, "Create a browser"),
  endpoint("update", browsers.update, "Stop a browser"),
  extension("list", V4Extensions.browsers.list, "List browsers, newest first"),
  extension("get", V4Extensions.browsers.get, "Read a browser"),
  extension("downloads", V4Extensions.browsers.downloads, "List the files that a browser downloaded")
) {}

const { workspaces } = V4Extensions

/** The v4 operations on workspaces and their files. */
class WorkspacesGroup extends HttpApiGroup.make("workspaces").add(
  extension("create", workspaces.create, "Create a workspace"),
  extension("get", workspaces.get, "Read a workspace"),
  extension("update", workspaces.update, "Rename a workspace"),
  extension("delete", workspaces.delete, "Archive a workspace: it can be read, and not changed"),
  extension("size", workspaces.size, "Read the bytes that a workspace uses, and its limit"),
  extension("files", workspaces.files, "List a workspace's files"),
  extension("upload", workspaces.upload, "Get the addresses for uploads to a workspace"),
  extension("deleteFile", workspaces.deleteFile, "Delete a file of a workspace")
) {}

/** API v4, its paths relative to `{base_url}`, which ends in `/api/v4`. */
export class V4Api extends HttpApi.make("v4")
  .add(RunsGroup, EventsGroup, SessionsGroup, BrowsersGroup, ProfilesGroup, WorkspacesGroup, BillingGroup)
  .middleware(RequestValidation)
  .middleware(ApiKeyAuth)
  .annotateMerge(OpenApi.annotations({ title: "Web agent and hosted browser service, v4", version: "4.0.0" }))
  .annotateMerge(described("v4")) {}
