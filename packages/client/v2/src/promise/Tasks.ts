import type { Answer, CallOptions, CreateOptions, Raw } from "@webagent/core/promise"
import type { TaskItemView, TaskStatus } from "./Session.ts"

/** Input of a new task. With a `sessionId`, it runs in that session, after the tasks that it already has. */
export interface TaskCreate {
  readonly task: string
  readonly sessionId?: string | null
  /** A JSON Schema as JSON text, which the output fits. */
  readonly structuredOutput?: string | null
}

/** The response to creating a task: its id, and that of its session. */
export interface CreatedTask extends Raw {
  readonly id: string
  readonly sessionId?: string
}

/** A step of the agent. `duration` is in seconds. */
export interface TaskStep extends Raw {
  readonly number: number
  readonly memory?: string
  readonly evaluationPreviousGoal?: string
  readonly nextGoal?: string
  readonly url?: string
  readonly screenshotUrl?: string | null
  readonly actions?: ReadonlyArray<string>
  readonly duration?: number | null
}

/** A task with its steps. */
export interface TaskView extends TaskItemView {
  readonly steps: ReadonlyArray<TaskStep>
  readonly outputFiles?: ReadonlyArray<{ readonly [name: string]: unknown }>
}

/** The status of a task, and its outcome once it's finished. */
export interface TaskStatusView extends Raw {
  readonly id?: string
  readonly status: TaskStatus
  readonly output: string | null
  readonly finishedAt: string | null
  readonly isSuccess: boolean | null
  readonly cost: string | null
}

/** A page of tasks, newest first. */
export interface TaskPage extends Raw {
  readonly items: ReadonlyArray<TaskItemView>
  /** Number of tasks on all pages. */
  readonly totalItems?: number
  readonly pageNumber?: number
  readonly pageSize?: number
}

/** Options of a list of tasks, whose pages have numbers. */
export interface TaskListOptions extends Omit<CallOptions, "timeout"> {
  /** Lists the tasks of one session. */
  readonly sessionId?: string | undefined
  /** Lists tasks with this status. */
  readonly filterBy?: TaskStatus | undefined
  /** Lists tasks that were created after this time. */
  readonly after?: string | undefined
  /** Lists tasks that were created before this time. */
  readonly before?: string | undefined
  /** Number of tasks per page, from 1 to 100; by default, as the service decides. */
  readonly pageSize?: number | undefined
  /** The page to start with; 1 by default. */
  readonly pageNumber?: number | undefined
}

/** The tasks of API v2. A service that lacks an operation causes `OperationUnavailableError`. */
export interface Tasks {
  /**
   * Creates a task, in a new session or in the one with `sessionId`. The request is sent once.
   *
   * @param input - The task, and options of its session.
   * @param options - An idempotency key, headers, a signal and retries of this call.
   * @returns The ids of the task and of its session. Wait for the session with `sessions.untilTerminal`.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v2/promise"
   *
   * export const outputOf = async (agent: WebAgent, task: string) => {
   *   const { sessionId = "" } = await agent.tasks.create({ task })
   *   return (await agent.sessions.untilTerminal(sessionId)).tasks[0]?.output
   * }
   * ```
   */
  create(input: TaskCreate, options?: CreateOptions): Answer<CreatedTask>
  /**
   * Reads a task with its steps.
   *
   * @param id - The UUID of the task.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The task with its steps.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * console.log(await new WebAgent().tasks.get("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
   * ```
   */
  get(id: string, options?: CallOptions): Answer<TaskView>
  /**
   * Reads the status of a task, and its outcome once it's finished. This is the cheapest request about a task.
   *
   * @param id - The UUID of the task.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The status, and the output of a finished task.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * console.log(await new WebAgent().tasks.status("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
   * ```
   */
  status(id: string, options?: CallOptions): Answer<TaskStatusView>
  /**
   * Lists tasks, newest first. Pages are read while you iterate.
   *
   * @param options - `sessionId`, `filterBy` (a status), `after` and `before` choose tasks.
   * @returns The tasks. Each page is one request.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * for await (const { status } of new WebAgent().tasks.list()) console.log(status)
   * ```
   */
  list(options?: TaskListOptions): AsyncIterable<TaskItemView>
  /**
   * Reads one page of `list`. `totalItems` is the number of tasks on all pages.
   *
   * @param options - The same as for `list`.
   * @returns The tasks of the page, and `totalItems`.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * console.log(await new WebAgent().tasks.listPage({ pageNumber: 2 }))
   * ```
   */
  listPage(options?: TaskListOptions & CallOptions): Answer<TaskPage>
  /**
   * Stops a task. A stopped task can't be resumed. The request is retried if the service can't be reached.
   *
   * @param id - The UUID of the task.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The stopped task.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * console.log(await new WebAgent().tasks.stop("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
   * ```
   */
  stop(id: string, options?: CallOptions): Answer<TaskView>
}
