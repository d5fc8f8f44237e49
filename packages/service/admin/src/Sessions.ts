import { Identifier, openStatus } from "@webagent/contract"
import { runStatuses, sessionStatuses } from "@webagent/contract/Wire"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"
import { FilterText, Instant, listOf, Usd, When } from "./Page.ts"
import { Run } from "./Run.ts"

const ofSession = { params: { session_id: Identifier }, error: [errors.notFound, errors.unavailable] }
const text = Schema.NullOr(Schema.String)

const sessionFields = {
  id: Schema.String,
  status: openStatus(sessionStatuses),
  owner: text,
  /** The node that carries out its current run; null while it has none. */
  node: text,
  browserId: text,
  /** Number of its runs so far. */
  runs: Schema.Int,
  /** True if it waits for follow-ups when its runs are finished. */
  keepAlive: Schema.Boolean,
  recording: Schema.Boolean,
  /** True if its link shows it to people without a key. */
  shared: Schema.Boolean,
  proxyCostUsd: Usd,
  createdAt: Instant,
  finishedAt: Schema.NullOr(Instant),
  /** Its newest run; null without one. Only in lists, and missing in those of older servers. */
  lastRun: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({ id: Schema.String, status: openStatus(runStatuses), task: Schema.String, title: text })
    )
  )
}

/** A session: runs that follow one another in one browser. */
export const Session = Schema.Struct(sessionFields).annotate({ identifier: "AdminSession" })

/** A session as lists show it. */
export type Session = typeof Session.Type

/** A session with its runs, oldest first. */
export const SessionDetails = Schema.Struct({ ...sessionFields, runList: Schema.Array(Run) }).annotate({
  identifier: "SessionDetails"
})
export type SessionDetails = typeof SessionDetails.Type

/** Filters of a list of sessions. */
export const SessionFilters = Schema.Struct({
  status: Schema.optionalKey(Schema.Literals(sessionStatuses)),
  key: Schema.optionalKey(FilterText),
  from: Schema.optionalKey(When),
  to: Schema.optionalKey(When)
})
export type SessionFilters = typeof SessionFilters.Type

/** Sessions of all API versions. */
export class SessionsGroup extends HttpApiGroup.make("sessions").add(
  HttpApiEndpoint.get("list", "/sessions", listOf(Session, SessionFilters.fields)).annotate(
    OpenApi.Summary,
    "List sessions, newest first"
  ),
  HttpApiEndpoint.get("get", "/sessions/:session_id", { ...ofSession, success: SessionDetails }).annotate(
    OpenApi.Summary,
    "Read a session with its runs"
  ),
  HttpApiEndpoint.post("stop", "/sessions/:session_id/stop", { ...ofSession, success: Session }).annotate(
    OpenApi.Summary,
    "Cancel a session's runs, stop it and its browser"
  ),
  HttpApiEndpoint.post("purge", "/sessions/:session_id/purge", {
    ...ofSession,
    success: HttpApiSchema.NoContent,
    error: [errors.notFound, errors.conflict, errors.unavailable]
  }).annotate(OpenApi.Summary, "Delete all data of a stopped session, for good")
) {}
