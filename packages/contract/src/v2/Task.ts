import * as Schema from "effect/Schema"
import { DecimalString } from "../DecimalString.ts"
import { Uuid } from "../Identifier.ts"
import { answer, JsonObject, nullable, withDefault } from "../OpenRecord.ts"
import { openStatus } from "../OpenStatus.ts"
import { NaiveTimestamp } from "../Timestamp.ts"
import { taskStatuses, terminalTaskStatuses } from "../Wire.ts"

/** Execution state of a task: `created`, `started`, `finished`, `failed`, `stopped`, or one not known yet. */
export const TaskStatus = openStatus(taskStatuses)

/** Execution state of a task. */
export type TaskStatus = typeof TaskStatus.Type

/** Returns whether a task's status is final: `finished`, `failed` or `stopped`. An unknown status isn't. */
export const isTerminalTaskStatus = (status: string): boolean =>
  (terminalTaskStatuses as ReadonlyArray<string>).includes(status)

/** A task of a v2 session. Times are naive UTC, `cost` is a decimal string in USD. */
export const TaskItemView = answer({
  id: Uuid,
  sessionId: Uuid,
  llm: Schema.String,
  task: Schema.String,
  status: TaskStatus,
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
}).annotate({ identifier: "TaskItemView" })

/** A task of a v2 session. */
export type TaskItemView = typeof TaskItemView.Type
