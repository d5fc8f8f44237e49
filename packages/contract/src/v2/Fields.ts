import * as Schema from "effect/Schema"
import { DecimalString } from "../DecimalString.ts"
import { Uuid } from "../Identifier.ts"
import { JsonObject, nullable, withDefault } from "../OpenRecord.ts"
import { openStatus } from "../OpenStatus.ts"
import { NaiveTimestamp, Timestamp } from "../Timestamp.ts"
import { sessionStatuses, taskStatuses } from "../Wire.ts"

/** The fields of a task, alone and in its session. */
export const taskFields = {
  id: Uuid,
  sessionId: Uuid,
  llm: Schema.String,
  task: Schema.String,
  status: openStatus(taskStatuses),
  createdAt: NaiveTimestamp,
  startedAt: nullable(NaiveTimestamp),
  finishedAt: nullable(NaiveTimestamp),
  metadata: withDefault(JsonObject, {}),
  output: nullable(Schema.String),
  serviceVersion: nullable(Schema.String),
  isSuccess: nullable(Schema.Boolean),
  judgement: nullable(Schema.String),
  judgeVerdict: nullable(Schema.Boolean),
  cost: nullable(DecimalString),
  suggestions: nullable(Schema.Array(JsonObject))
}

/** The fields of a session before its tasks. */
export const sessionHead = {
  id: Uuid,
  status: openStatus(sessionStatuses),
  liveUrl: nullable(Schema.String),
  recordingUrl: nullable(Schema.String),
  startedAt: Timestamp,
  finishedAt: nullable(Timestamp)
}

/** The fields of a session after its tasks. */
export const sessionTail = {
  persistMemory: withDefault(Schema.Boolean, true),
  keepAlive: withDefault(Schema.Boolean, true),
  proxyUsedMb: withDefault(DecimalString, "0"),
  proxyCost: withDefault(DecimalString, "0")
}
