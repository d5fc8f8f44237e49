import * as Schema from "effect/Schema"
import { DecimalString } from "../DecimalString.ts"
import { Uuid } from "../Identifier.ts"
import { answer, nullable, withDefault } from "../OpenRecord.ts"
import { openStatus } from "../OpenStatus.ts"
import { Timestamp } from "../Timestamp.ts"
import { sessionStatuses } from "../Wire.ts"
import { TaskItemView } from "./Task.ts"

/** Status of a session: `active`, `stopped`, or one not known yet. */
export const SessionStatus = openStatus(sessionStatuses)

/** Status of a session. */
export type SessionStatus = typeof SessionStatus.Type

/** A browser session with its tasks. `proxyUsedMb` is in MB, `proxyCost` in USD, both decimal strings. */
export const SessionView = answer({
  id: Uuid,
  status: SessionStatus,
  liveUrl: nullable(Schema.String),
  recordingUrl: nullable(Schema.String),
  startedAt: Timestamp,
  finishedAt: nullable(Timestamp),
  tasks: Schema.Array(TaskItemView),
  publicShareUrl: nullable(Schema.String),
  persistMemory: withDefault(Schema.Boolean, true),
  keepAlive: withDefault(Schema.Boolean, true),
  proxyUsedMb: withDefault(DecimalString, "0"),
  proxyCost: withDefault(DecimalString, "0")
}).annotate({ identifier: "SessionView" })

/** A browser session with its tasks. */
export type SessionView = typeof SessionView.Type
