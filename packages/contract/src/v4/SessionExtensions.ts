import * as Schema from "effect/Schema"
import { ConflictError, SessionNotFoundError } from "../Errors.ts"
import { BadCursorError } from "../BadCursorError.ts"
import { MessageNotFoundError } from "../MessageNotFoundError.ts"
import { Identifier } from "../Identifier.ts"
import { answer, undescribed } from "../OpenRecord.ts"
import type { Operation } from "../Operation.ts"
import { cursorPage } from "../Pagination.ts"
import { Timestamp } from "../Timestamp.ts"
import { sessionOperations as extensions } from "../Wire.ts"
import { RunStatus } from "./Run.ts"
import { QueuedMessage } from "./Session.ts"

/** A session as v4 lists it, with the task, title and status of its latest run. */
export const SessionInfo = answer({
  sessionId: Identifier,
  workspaceId: undescribed(Schema.NullOr(Identifier)),
  latestRunId: undescribed(Schema.NullOr(Identifier)),
  task: undescribed(Schema.String),
  title: undescribed(Schema.NullOr(Schema.String)),
  status: undescribed(RunStatus),
  createdAt: undescribed(Timestamp),
  updatedAt: undescribed(Timestamp)
}).annotate({ identifier: "SessionInfo" })
export type SessionInfo = typeof SessionInfo.Type

/** A page of sessions, newest first. */
export const SessionList = answer({ sessions: Schema.Array(SessionInfo), ...cursorPage }).annotate({
  identifier: "SessionList"
})
export type SessionList = typeof SessionList.Type

/** When the first message interrupted a run. */
export const SteeringCutoff = answer({
  sourceRunId: undescribed(Identifier),
  createdAt: undescribed(Timestamp)
}).annotate({ identifier: "SteeringCutoff" })
export type SteeringCutoff = typeof SteeringCutoff.Type

/** A session's pending messages, in the order in which they run. */
export const QueuedMessages = answer({
  queue: Schema.Array(QueuedMessage),
  steeringCutoffs: undescribed(Schema.Array(SteeringCutoff))
}).annotate({ identifier: "QueuedMessages" })
export type QueuedMessages = typeof QueuedMessages.Type

const ofSession = { params: Schema.Struct({ session_id: Identifier }), errors: [SessionNotFoundError] } as const

const params = Schema.Struct({ session_id: Identifier, message_id: Identifier })

/** The operations on sessions that the description doesn't show. */
export const SessionExtensions = {
  list: { ...extensions.listSessions, success: SessionList, errors: [BadCursorError] },
  get: { ...extensions.getSession, ...ofSession, success: SessionInfo },
  purge: {
    ...extensions.purgeSession,
    ...ofSession,
    success: Schema.Void,
    status: 204,
    errors: [SessionNotFoundError, ConflictError]
  },
  messages: { ...extensions.listMessages, ...ofSession, success: QueuedMessages },
  message: {
    ...extensions.getMessage,
    params,
    success: QueuedMessage,
    errors: [MessageNotFoundError]
  },
  removeMessage: {
    ...extensions.removeMessage,
    params,
    success: QueuedMessage,
    errors: [MessageNotFoundError, ConflictError]
  }
} as const satisfies Readonly<Record<string, Operation>>
