import { answer } from "../OpenRecord.ts"
import { openStatus } from "../OpenStatus.ts"
import { taskStatuses, terminalTaskStatuses } from "../Wire.ts"
import { taskFields } from "./Fields.ts"

/** Execution state of a task: `created`, `started`, `finished`, `failed`, `stopped`, or one not known yet. */
export const TaskStatus = openStatus(taskStatuses)
export type TaskStatus = typeof TaskStatus.Type

/** Returns whether a task's status is final: `finished`, `failed` or `stopped`. An unknown status isn't. */
export const isTerminalTaskStatus = (status: string): boolean =>
  (terminalTaskStatuses as ReadonlyArray<string>).includes(status)

/** A task of a v2 session. Times are naive UTC, `cost` is a decimal string in USD. */
export const TaskItemView = answer(taskFields).annotate({ identifier: "TaskItemView" })
export type TaskItemView = typeof TaskItemView.Type
