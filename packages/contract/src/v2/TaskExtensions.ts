import * as Schema from "effect/Schema"
import { ConflictError, SessionNotFoundError } from "../Errors.ts"
import { Uuid } from "../Identifier.ts"
import { TaskNotFoundError } from "../TaskNotFoundError.ts"
import { answer, openRecord, undescribed } from "../OpenRecord.ts"
import type { Operation } from "../Operation.ts"
import { numberedPage } from "../Pagination.ts"
import { taskActions, taskOperations as extensions } from "../Wire.ts"
import { taskFields } from "./Fields.ts"
import { TaskItemView, TaskStatus } from "./Task.ts"

/** The body of `POST /tasks`. With a `sessionId`, the task runs in that session, after the tasks that it already has. */
export const TaskCreate = openRecord({
  task: Schema.String.check(Schema.isMinLength(1, { message: "Expected a task: a text that is not empty" })),
  sessionId: Schema.optionalKey(Schema.NullOr(Uuid)),
  // a JSON Schema as JSON text, which the output fits
  structuredOutput: Schema.optionalKey(Schema.NullOr(Schema.String))
}).annotate({ identifier: "TaskCreate" })
export type TaskCreate = typeof TaskCreate.Type

/** The response to `POST /tasks`: the ids of the task and of its session. */
export const CreatedTask = answer({ id: Uuid, sessionId: undescribed(Uuid) }).annotate({ identifier: "CreatedTask" })
export type CreatedTask = typeof CreatedTask.Type

/** A step of the agent. `duration` is in seconds. */
export const TaskStep = answer({
  number: Schema.Int,
  memory: undescribed(Schema.String),
  evaluationPreviousGoal: undescribed(Schema.String),
  nextGoal: undescribed(Schema.String),
  url: undescribed(Schema.String),
  screenshotUrl: undescribed(Schema.NullOr(Schema.String)),
  actions: undescribed(Schema.Array(Schema.String)),
  duration: undescribed(Schema.NullOr(Schema.Finite))
}).annotate({ identifier: "TaskStep" })
export type TaskStep = typeof TaskStep.Type

/** A task with its steps. */
export const TaskView = answer({
  ...taskFields,
  steps: Schema.Array(TaskStep),
  outputFiles: undescribed(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))
}).annotate({ identifier: "TaskView" })
export type TaskView = typeof TaskView.Type

/** The status of a task, and its outcome once it's terminal: cheap, meant for polling. */
export const TaskStatusView = answer({
  id: undescribed(Uuid),
  status: TaskStatus,
  output: taskFields.output,
  finishedAt: taskFields.finishedAt,
  isSuccess: taskFields.isSuccess,
  cost: taskFields.cost
}).annotate({ identifier: "TaskStatusView" })
export type TaskStatusView = typeof TaskStatusView.Type

/** A page of tasks, newest first. `totalItems` counts the tasks of all pages, up to 10,000. */
export const TaskList = answer(numberedPage(TaskItemView)).annotate({ identifier: "TaskList" })
export type TaskList = typeof TaskList.Type

/** The body of `PATCH /tasks/{task_id}`. */
export const TaskUpdate = openRecord({ action: Schema.Literals(taskActions) }).annotate({ identifier: "TaskUpdate" })
export type TaskUpdate = typeof TaskUpdate.Type

const ofTask = { params: Schema.Struct({ task_id: Uuid }), errors: [TaskNotFoundError] } as const

/** The operations on tasks. The description shows a task as a part of its session alone. */
export const TaskExtensions = {
  create: {
    ...extensions.createTask,
    payload: TaskCreate,
    success: CreatedTask,
    errors: [SessionNotFoundError, ConflictError]
  },
  list: { ...extensions.listTasks, success: TaskList },
  get: { ...extensions.getTask, ...ofTask, success: TaskView },
  status: { ...extensions.getTaskStatus, ...ofTask, success: TaskStatusView },
  update: { ...extensions.updateTask, ...ofTask, payload: TaskUpdate, success: TaskView }
} as const satisfies Readonly<Record<string, Operation>>
