import * as Schema from "effect/Schema"
import { ConflictError, SessionNotFoundError } from "../Errors.ts"
import { Uuid } from "../Identifier.ts"
import { ShareNotFoundError } from "../ShareNotFoundError.ts"
import { answer, nullable, openRecord } from "../OpenRecord.ts"
import type { Operation } from "../Operation.ts"
import { numberedPage } from "../Pagination.ts"
import { Timestamp } from "../Timestamp.ts"
import { stopAction, taskOperations as extensions } from "../Wire.ts"
import { sessionHead, sessionTail } from "./Fields.ts"
import { SessionView } from "./Session.ts"

/** The body of `POST /sessions`: settings of a session without tasks. Its tasks come by `POST /tasks`. */
export const SessionCreate = openRecord({
  keepAlive: Schema.optionalKey(Schema.Boolean),
  persistMemory: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "SessionCreate" })
export type SessionCreate = typeof SessionCreate.Type

/** A session without its tasks. */
export const SessionItemView = answer({ ...sessionHead, ...sessionTail }).annotate({ identifier: "SessionItemView" })
export type SessionItemView = typeof SessionItemView.Type

/** A page of sessions, newest first. `totalItems` counts the sessions of all pages, up to 10,000. */
export const SessionList = answer(numberedPage(SessionItemView)).annotate({ identifier: "SessionList" })
export type SessionList = typeof SessionList.Type

/** The body of `PATCH /sessions/{session_id}`: cancels its tasks and stops it. */
export const SessionUpdate = openRecord({ action: Schema.Literal(stopAction) }).annotate({
  identifier: "SessionUpdate"
})
export type SessionUpdate = typeof SessionUpdate.Type

/** A public share of a session: `shareUrl` shows the session to everyone who has it, without an API key. */
export const ShareView = answer({
  shareToken: Schema.String,
  shareUrl: Schema.String,
  lastViewedAt: nullable(Timestamp)
}).annotate({ identifier: "ShareView" })
export type ShareView = typeof ShareView.Type

const ofSession = { params: Schema.Struct({ session_id: Uuid }), errors: [SessionNotFoundError] } as const

const ofDeleted = {
  ...ofSession,
  success: Schema.Void,
  status: 204,
  errors: [SessionNotFoundError, ConflictError]
} as const

/** The operations on sessions that the description doesn't show. */
export const SessionExtensions = {
  create: { ...extensions.createSession, payload: SessionCreate, success: SessionItemView },
  list: { ...extensions.listSessions, success: SessionList },
  update: { ...extensions.updateSession, ...ofSession, payload: SessionUpdate, success: SessionView },
  delete: { ...extensions.deleteSession, ...ofDeleted },
  purge: { ...extensions.purgeSession, ...ofDeleted },
  getShare: { ...extensions.getShare, ...ofSession, success: ShareView, errors: [ShareNotFoundError] },
  share: { ...extensions.shareSession, ...ofSession, success: ShareView },
  unshare: { ...extensions.unshareSession, ...ofSession, success: Schema.Void, status: 204 }
} as const satisfies Readonly<Record<string, Operation>>
