import type { ConflictError, SessionNotFoundError, TaskNotFoundError } from "@webagent/contract"
import {
  type CreatedTask,
  isTerminalTaskStatus,
  type TaskCreate,
  TaskExtensions,
  type TaskList,
  type TaskListQuery,
  type TaskStatusView,
  type TaskView
} from "@webagent/contract/v2"
import {
  type CallChoices,
  type CallError,
  CallOptions,
  ContractClient,
  type CreateError,
  type CreateOptions,
  Leaving,
  type OperationUnavailableError,
  Pages,
  Transport
} from "@webagent/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"

/** Options of a list of tasks, whose pages have numbers. */
export interface TaskListOptions extends TaskListQuery, Omit<CallChoices, "timeout"> {}

/** Errors that listing tasks can fail with. */
export type TaskListError = CallError | OperationUnavailableError

/** Errors that an operation on a task can fail with. */
export type TaskError = TaskListError | TaskNotFoundError

/** Errors that creating a task can fail with. */
export type TaskCreateError = CreateError | OperationUnavailableError | SessionNotFoundError | ConflictError

const make = Effect.gen(function* () {
  const { create, get, list, status, update } = yield* ContractClient.makeOptional("v2", "Tasks", TaskExtensions)
  const { closed, open, retry } = yield* Transport
  const ofTask = (id: string) => ({ params: { task_id: id } })

  /** Removes a finished task from the ledger. */
  const settle = <A extends { readonly status: string }, E>(id: string, read: Effect.Effect<A, E>) =>
    Effect.tap(read, (seen) => (isTerminalTaskStatus(seen.status) ? closed("task", id) : Effect.void))

  // stopping twice is stopping
  const stop = (id: string, options?: CallChoices) =>
    settle(id, retry(update({ ...ofTask(id), payload: { action: "stop" } }, options)))

  yield* Leaving.onInterrupt("task", (id) => CallOptions.forSure(stop(id)))

  return Tasks.of({
    create: (input, options) =>
      Effect.tap(
        create({ payload: input }, options) as Effect.Effect<CreatedTask, TaskCreateError>,
        ({ id, sessionId = input.sessionId }) => Effect.sync(() => open.set(`task ${id}`, { sessionId }))
      ),
    get: (id, options) => settle(id, get(ofTask(id), options)),
    status: (id, options) => settle(id, status(ofTask(id), options)),
    ...Pages.make<TaskListQuery>()(list, ({ items }) => items, Pages.nextNumber),
    stop
  })
})

/**
 * The tasks of API v2. The service's description shows a task as a part of its session only, so a service may lack these
 * operations: they then fail with `OperationUnavailableError`.
 *
 * @example
 * ```ts
 * import { Sessions, Tasks, V2 } from "@webagent/v2"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function* () {
 *   const { sessionId = "" } = yield* Tasks.use((tasks) => tasks.create({ task: "Find a red mug" }))
 *   const session = yield* Sessions.use((sessions) => sessions.untilTerminal(sessionId))
 *   return session.tasks[0]?.output
 * }).pipe(Effect.provide(V2.layer()))
 * ```
 */
export class Tasks extends Context.Service<
  Tasks,
  {
    /**
     * Creates a task, in a new session or in the one with `sessionId`. The request is sent once.
     *
     * @param input - The task, and options of its session.
     * @param options - An idempotency key, and headers and retries of this call.
     * @returns The ids of the task and of its session. Wait for the session with `Sessions`.
     * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
     * @example
     * ```ts
     * import { Tasks } from "@webagent/v2"
     *
     * export const program = Tasks.use((tasks) => tasks.create({ task: "Find a red mug" }))
     * ```
     */
    readonly create: (input: TaskCreate, options?: CreateOptions) => Effect.Effect<CreatedTask, TaskCreateError>
    /**
     * Reads a task with its steps.
     *
     * @param id - The id of the task.
     * @param options - Headers, a request id and retries of this call.
     * @returns The task with its steps.
     * @throws `TaskNotFoundError` if the service has no task with this id.
     * @example
     * ```ts
     * import { Tasks } from "@webagent/v2"
     *
     * export const program = Tasks.use((tasks) => tasks.get("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
     * ```
     */
    readonly get: (id: string, options?: CallChoices) => Effect.Effect<TaskView, TaskError>
    /**
     * Reads the status of a task, and its outcome once it's finished. This is the cheapest request about a task.
     *
     * @param id - The id of the task.
     * @param options - Headers, a request id and retries of this call.
     * @returns The status, and the output of a finished task.
     * @throws `TaskNotFoundError` if the service has no task with this id.
     * @example
     * ```ts
     * import { Tasks } from "@webagent/v2"
     *
     * export const program = Tasks.use((tasks) => tasks.status("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
     * ```
     */
    readonly status: (id: string, options?: CallChoices) => Effect.Effect<TaskStatusView, TaskError>
    /**
     * Lists tasks, newest first. Pages are read while you take tasks from the stream.
     *
     * @param options - `sessionId`, `filterBy` (a status), `after` and `before` choose tasks. `pageSize` is the number of
     *   tasks per page, from 1 to 100, and `pageNumber` the page to start with.
     * @returns A stream of tasks. Each page is one request.
     * @example
     * ```ts
     * import { Tasks } from "@webagent/v2"
     * import * as Stream from "effect/Stream"
     *
     * export const latest = Tasks.use((tasks) => tasks.list().pipe(Stream.take(10), Stream.runCollect))
     * ```
     */
    readonly list: (options?: TaskListOptions) => Stream.Stream<TaskList["items"][number], TaskListError>
    /**
     * Reads one page of `list`. `totalItems` is the number of tasks on all pages.
     *
     * @param options - The same as for `list`.
     * @returns The tasks of the page, and `totalItems`.
     * @example
     * ```ts
     * import { Tasks } from "@webagent/v2"
     *
     * export const program = Tasks.use((tasks) => tasks.listPage({ pageNumber: 2 }))
     * ```
     */
    readonly listPage: (options?: TaskListOptions & CallChoices) => Effect.Effect<TaskList, TaskListError>
    /**
     * Stops a task. A stopped task can't be resumed. The request is retried if the service can't be reached.
     *
     * @param id - The id of the task.
     * @param options - Headers, a request id and retries of this call.
     * @returns The stopped task.
     * @throws `TaskNotFoundError` if the service has no task with this id.
     * @example
     * ```ts
     * import { Tasks } from "@webagent/v2"
     *
     * export const program = Tasks.use((tasks) => tasks.stop("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
     * ```
     */
    readonly stop: (id: string, options?: CallChoices) => Effect.Effect<TaskView, TaskError>
  }
>()("@webagent/v2/Tasks") {
  static readonly layer: Layer.Layer<Tasks, never, Transport> = Layer.effect(this, make)
}
