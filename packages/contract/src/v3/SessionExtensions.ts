import * as Schema from "effect/Schema"
import { BadCursorError } from "../BadCursorError.ts"
import { ConflictError, SessionNotFoundError } from "../Errors.ts"
import { Identifier } from "../Identifier.ts"
import { answer, openRecord, undescribed } from "../OpenRecord.ts"
import type { Operation } from "../Operation.ts"
import { Timestamp } from "../Timestamp.ts"
import { stopStrategies, v3Extensions as extensions } from "../Wire.ts"
import { Session } from "./Session.ts"

/** A page of sessions, newest first. `total` counts the sessions of all pages, up to 10,000. */
export const SessionList = answer({
  sessions: Schema.Array(Session),
  total: undescribed(Schema.Int),
  page: undescribed(Schema.Int),
  pageSize: undescribed(Schema.Int)
}).annotate({ identifier: "SessionList" })
export type SessionList = typeof SessionList.Type

/**
 * The body of `POST /sessions/{session_id}/stop`. The strategy "task" cancels the running and waiting tasks and keeps
 * the session; "session", the default, also stops the session for good.
 */
export const SessionStop = openRecord({
  strategy: Schema.optionalKey(Schema.Literals(stopStrategies))
}).annotate({ identifier: "SessionStop" })
export type SessionStop = typeof SessionStop.Type

/**
 * A message of a session: a task of the user, or a step or the outcome of the agent. `data` is JSON text, and `summary`
 * a sentence.
 */
export const SessionMessage = answer({
  id: Identifier,
  sessionId: undescribed(Identifier),
  role: Schema.String,
  type: Schema.String,
  data: Schema.String,
  summary: Schema.String,
  screenshotUrl: undescribed(Schema.NullOr(Schema.String)),
  hidden: undescribed(Schema.Boolean),
  createdAt: undescribed(Timestamp)
}).annotate({ identifier: "SessionMessage" })
export type SessionMessage = typeof SessionMessage.Type

/** Messages of a session, oldest first. `hasMore` says whether there are more in the direction of the query. */
export const SessionMessages = answer({
  messages: Schema.Array(SessionMessage),
  hasMore: undescribed(Schema.Boolean)
}).annotate({ identifier: "SessionMessages" })
export type SessionMessages = typeof SessionMessages.Type

const ofSession = { params: Schema.Struct({ session_id: Identifier }), errors: [SessionNotFoundError] } as const

const ofDeleted = {
  ...ofSession,
  success: Schema.Void,
  status: 204,
  errors: [SessionNotFoundError, ConflictError]
} as const

/** The operations on sessions that the description doesn't show. */
export const SessionExtensions = {
  list: { ...extensions.listSessions, success: SessionList },
  stop: { ...extensions.stopSession, ...ofSession, payload: SessionStop, success: Session, status: 200 },
  delete: { ...extensions.deleteSession, ...ofDeleted },
  messages: {
    ...extensions.listMessages,
    ...ofSession,
    success: SessionMessages,
    errors: [SessionNotFoundError, BadCursorError]
  }
} as const satisfies Readonly<Record<string, Operation>>
