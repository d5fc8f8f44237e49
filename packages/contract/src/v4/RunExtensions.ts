import * as Schema from "effect/Schema"
import { RunNotFoundError } from "../Errors.ts"
import { BadCursorError } from "../BadCursorError.ts"
import { Identifier } from "../Identifier.ts"
import { answer, undescribed } from "../OpenRecord.ts"
import { openStatus } from "../OpenStatus.ts"
import type { Operation } from "../Operation.ts"
import { cursorPage } from "../Pagination.ts"
import { runOperations as extensions } from "../Wire.ts"
import { Run } from "./Run.ts"

/** A page of runs, newest first. */
export const RunList = answer({ runs: Schema.Array(Run), ...cursorPage }).annotate({ identifier: "RunList" })
export type RunList = typeof RunList.Type

/** A file that an agent attached to its run; `sizeBytes` is known once it's uploaded. */
export const RunAttachment = answer({
  id: Identifier,
  name: undescribed(Schema.String),
  contentType: undescribed(Schema.String),
  sizeBytes: undescribed(Schema.Int),
  status: undescribed(openStatus(["pending", "uploaded"])),
  // opens the file without an API key for some minutes
  url: undescribed(Schema.NullOr(Schema.String))
}).annotate({ identifier: "RunAttachment" })
export type RunAttachment = typeof RunAttachment.Type

/** The files that an agent attached to its run. */
export const RunAttachments = answer({ attachments: Schema.Array(RunAttachment) }).annotate({
  identifier: "RunAttachments"
})
export type RunAttachments = typeof RunAttachments.Type

const ofRun = { params: Schema.Struct({ run_id: Identifier }), errors: [RunNotFoundError] } as const

/** The operations on runs that the description doesn't show, except for their events. */
export const RunExtensions = {
  list: { ...extensions.listRuns, success: RunList, errors: [BadCursorError] },
  cancel: { ...extensions.cancelRun, ...ofRun, success: Run, status: 200 },
  attachments: { ...extensions.listAttachments, ...ofRun, success: RunAttachments }
} as const satisfies Readonly<Record<string, Operation>>
