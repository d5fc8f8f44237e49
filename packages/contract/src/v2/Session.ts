import * as Schema from "effect/Schema"
import { answer, nullable } from "../OpenRecord.ts"
import { openStatus } from "../OpenStatus.ts"
import { sessionStatuses } from "../Wire.ts"
import { sessionHead, sessionTail } from "./Fields.ts"
import { TaskItemView } from "./Task.ts"

/** Status of a session: `active`, `stopped`, or one not known yet. */
export const SessionStatus = openStatus(sessionStatuses)
export type SessionStatus = typeof SessionStatus.Type

/** A browser session with its tasks. `proxyUsedMb` is in MB, `proxyCost` in USD, both decimal strings. */
export const SessionView = answer({
  ...sessionHead,
  tasks: Schema.Array(TaskItemView),
  publicShareUrl: nullable(Schema.String),
  ...sessionTail
}).annotate({ identifier: "SessionView" })
export type SessionView = typeof SessionView.Type
