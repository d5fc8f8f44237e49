import * as Schema from "effect/Schema"
import { ConflictError, RunNotFoundError, SessionNotFoundError } from "../Errors.ts"
import { BadCursorError } from "../ExtensionErrors.ts"
import { Identifier } from "../Identifier.ts"
import { answer, undescribed } from "../OpenRecord.ts"
import { openStatus } from "../OpenStatus.ts"
import type { Operation } from "../Operation.ts"
import { cursorPage, cursorQuery } from "../Pagination.ts"
import { v4Extensions as extensions, v4Operations as operations } from "../Wire.ts"
import { CreatedRun, Run, RunCreate } from "./Run.ts"
import { listEvents } from "./RunEvents.ts"

/** The query of `GET /runs`: the runs of one session, or all of the key's. */
export const RunListQuery = Schema.Struct({ sessionId: Schema.optionalKey(Identifier), ...cursorQuery })

/** The query of `GET /runs`. */
export type RunListQuery = typeof RunListQuery.Type

/** A page of runs, newest first. */
export const RunList = answer({ runs: Schema.Array(Run), ...cursorPage }).annotate({ identifier: "RunList" })

/** A page of runs, newest first. */
export type RunList = typeof RunList.Type

/** A file that an agent attached to its run; `sizeBytes` is known once it's uploaded. */
export const RunAttachment = answer({
  id: Identifier,
  name: undescribed(Schema.String),
  contentType: undescribed(Schema.String),
  sizeBytes: undescribed(Schema.Int),
  status: undescribed(openStatus(["pending", "uploaded"]))
}).annotate({ identifier: "RunAttachment" })

/** A file that an agent attached to its run. */
export type RunAttachment = typeof RunAttachment.Type

/** The files that an agent attached to its run. */
export const RunAttachments = answer({ attachments: Schema.Array(RunAttachment) }).annotate({
  identifier: "RunAttachments"
})

/** The files that an agent attached to its run. */
export type RunAttachments = typeof RunAttachments.Type

const ofRun = { params: Schema.Struct({ run_id: Identifier }), errors: [RunNotFoundError] } as const

/** The operations on runs that the description doesn't show. */
export const RunExtensions = {
  list: { ...extensions.listRuns, query: RunListQuery, success: RunList, errors: [BadCursorError] },
  cancel: { ...extensions.cancelRun, ...ofRun, success: Run, status: 200 },
  events: listEvents,
  attachments: { ...extensions.listAttachments, ...ofRun, success: RunAttachments }
} as const satisfies Readonly<Record<string, Operation>>

/** `POST /runs` with a `sessionId` in its body: the next run of that session. */
export const CreateRunInSession = {
  ...operations.createRun,
  payload: RunCreate,
  success: CreatedRun,
  errors: [SessionNotFoundError, ConflictError]
} as const satisfies Operation
