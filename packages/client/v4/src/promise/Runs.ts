import type {
  Answer,
  CallOptions,
  CreateOptions,
  EndOptions,
  OwnWaitOptions,
  TotalCost,
  WaitOptions,
  WithoutResult,
  WithResult
} from "@webagent/core/promise"
import type { CompletedRun, CreatedRun, Run, RunAttachment, RunCreate, RunPage, RunStatusView } from "./Run.ts"

/** Options of a wait for a run. */
export interface RunWaitOptions extends WaitOptions, EndOptions {}

/** Options of a list of runs. */
export interface RunListOptions extends Omit<CallOptions, "timeout"> {
  /** Lists the runs of one session. */
  readonly sessionId?: string | undefined
  /** Number of runs per page, from 1 to 100; by default, as the service decides. */
  readonly limit?: number | undefined
  /** Continues after a page, with its `nextCursor`. */
  readonly cursor?: string | undefined
}

/** Options of `createAndWait`. */
export interface CreateAndWaitOptions
  extends OwnWaitOptions<CreatedRun, RunStatusView>, Omit<CreateOptions, "timeout"> {}

/** The progress of `runAll`. */
export interface RunProgress {
  /** The place of the run among the inputs, from 0. */
  readonly index: number
  readonly input: RunCreate
  /** The latest event of the run. */
  readonly event: "created" | "completed" | "failed"
  /** Its id, if it is known. */
  readonly id: string | undefined
  readonly total: number
  readonly created: number
  readonly ended: number
  readonly failed: number
}

/** Options of `runAll`, for all of its runs. */
export interface RunAllOptions
  extends OwnWaitOptions<CreatedRun, RunStatusView>, Omit<CreateOptions, "timeout" | "idempotencyKey"> {
  /** Runs that are at work at a time; 10 unless told. */
  readonly concurrency?: number | undefined
  /** After a run that has not completed no further one is created. False unless told. */
  readonly stopOnFailure?: boolean | undefined
  /** The `Idempotency-Key` of each create. */
  readonly idempotencyKey?: ((input: RunCreate, index: number) => string) | undefined
  /** Is told of each run that was created, and of each that has ended. */
  readonly onProgress?: ((progress: RunProgress) => void) | undefined
}

/** The outcome of `runAll`. */
export interface RunAll<A extends Run> {
  /** A run, or why there is none, for each input in the order of the inputs. */
  readonly results: ReadonlyArray<PromiseSettledResult<A>>
  /** The total cost. It's unknown for runs that may run, or have run, without a reported cost. */
  readonly cost: TotalCost
}

/** The runs of the service: an agent that carries out a task in a browser and returns its result. */
export interface Runs {
  /**
   * Creates a run, and doesn't wait for it. It starts as soon as the service has capacity.
   *
   * The create request is sent once, because a second request could start a second paid run.
   *
   * @param input - The task, and options for the model. With a `sessionId`, the run is the next one of that session.
   * @param options - An idempotency key, headers, a signal and retries of this call.
   * @returns The created run. Only its `id` is certain.
   * @throws `SessionNotFoundError` if the service has no session with the `sessionId` of the input, and `ConflictError`
   *   if the session is stopped.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @throws `TransportError` if the service can't be reached, and errors of the service such as `UnauthorizedError`.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * console.log(await new WebAgent().runs.create({ task: "Find a red mug" }))
   * ```
   */
  create(input: RunCreate, options?: CreateOptions): Answer<CreatedRun>
  /**
   * Reads the status of a run. This is the cheapest request about a run.
   *
   * @param id - The id of the run.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The status of the run.
   * @throws `RunNotFoundError` if the service has no run with this id, and `TransportError` if it can't be reached.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * console.log(await new WebAgent().runs.status("5f2e"))
   * ```
   */
  status(id: string, options?: CallOptions): Answer<RunStatusView>
  /**
   * Reads a run. It has a result once its status is `completed`.
   *
   * @param id - The id of the run.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The run as it is now. Only its `id` is certain.
   * @throws `RunNotFoundError` if the service has no run with this id, and `TransportError` if it can't be reached.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * console.log(await new WebAgent().runs.get("5f2e"))
   * ```
   */
  get(id: string, options?: CallOptions): Answer<Run>
  /**
   * Lists runs, newest first. Pages are read while you iterate.
   *
   * @param options - `sessionId` lists the runs of one session. `limit` is the number of runs per page, from 1 to 100.
   *   `cursor` continues after a page that `listPage` has read.
   * @returns The runs. Each page is one request.
   * @throws `OperationUnavailableError` if the service doesn't list runs.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   *
   * export const firstFailed = async (agent: WebAgent) => {
   *   for await (const run of agent.runs.list()) if (run.status === "failed") return run
   *   return undefined
   * }
   * ```
   */
  list(options?: RunListOptions): AsyncIterable<Run>
  /**
   * Reads one page of `list`. Pass its `nextCursor` as the `cursor` of the next one while `hasMore` isn't false.
   *
   * @param options - The same as for `list`.
   * @returns The runs of the page, with `nextCursor` and `hasMore`.
   * @throws `BadCursorError` if the cursor is another list's.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * console.log(await new WebAgent().runs.listPage({ limit: 20 }))
   * ```
   */
  listPage(options?: RunListOptions & CallOptions): Answer<RunPage>
  /**
   * Cancels a run, so that it doesn't cost any more. A finished run stays as it is, and repeating the call does no harm,
   * so the request is retried if the service can't be reached.
   *
   * @param id - The id of the run.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The run as the service shows it after the request. It may take a moment until its status is `cancelled`.
   * @throws `RunNotFoundError` if the service has no run with this id, and `OperationUnavailableError` if it can't cancel
   *   runs.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   *
   * export const cancelAll = async (agent: WebAgent) => {
   *   for await (const run of agent.runs.list()) if (run.status === "running") await agent.runs.cancel(run.id)
   * }
   * ```
   */
  cancel(id: string, options?: CallOptions): Answer<Run>
  /**
   * Lists the files that the agent attached to a run.
   *
   * @param id - The id of the run.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The files, each with a `url` that opens it for some minutes.
   * @throws `RunNotFoundError` if the service has no run with this id, and `OperationUnavailableError` if it has no
   *   attachments.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * console.log(await new WebAgent().runs.attachments("5f2e"))
   * ```
   */
  attachments(id: string, options?: CallOptions): Answer<ReadonlyArray<RunAttachment>>
  /**
   * Waits until a run is completed, failed or cancelled, then reads it once.
   *
   * A run that failed or was cancelled is a value unless you pass `result`.
   *
   * @param id - The id of the run. It may have been created by another process.
   * @param options - `timeout` limits the wait: 30 minutes by default. `result` is a schema that checks and types the
   *   result. With `onEnd: "cancel"`, the run is canceled if the wait ends first, and with `onAbort: "cancel"` if the
   *   signal is aborted.
   * @returns The finished run. With `result`, its result has the type of the schema.
   * @throws `WaitTimeoutError` if the run doesn't finish in time. Wait again with its `id`.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * console.log(await new WebAgent().runs.untilTerminal("5f2e", { timeout: "1 hour" }))
   * ```
   */
  untilTerminal(id: string, options?: RunWaitOptions & WithoutResult): Promise<Run>
  untilTerminal<Result>(id: string, options: RunWaitOptions & WithResult<Result>): Promise<CompletedRun<Result>>
  /**
   * Creates a run, waits until it finishes, and returns it with its result.
   *
   * The create request is sent once. If its response is lost, the promise rejects with `CreateOutcomeUnknown`, because
   * a second request could start a second paid run. A run that fails is returned as a value with the status `failed`,
   * unless you pass `result`.
   *
   * If the wait stops first, the run continues on the service. Pass `onEnd: "cancel"` to cancel it as well, or
   * `onAbort: "cancel"` to cancel it only if the signal is aborted.
   *
   * @param input - The task, and options for the model.
   * @param options - `result` is a schema that checks and types the result. `timeout` limits the wait, in milliseconds
   *   or as text such as `"10 minutes"`. `signal` stops the wait. `onStatus` receives each new status of the run.
   * @returns The finished run. With `result`, `run.result` has the type of the schema.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @throws `WaitTimeoutError` if the run doesn't finish in time. `error.id` is the run, so you can wait again.
   * @throws `RunFailedError`, `RunCancelledError` or `ResultMismatchError` if you pass `result` and the run has no
   *   matching result. `error.run` is the whole run.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * const agent = new WebAgent()
   * const run = await agent.runs.createAndWait({ task: "Find a red mug" }, { timeout: "10 minutes" })
   * console.log(run.status, run.result)
   * ```
   */
  createAndWait(input: RunCreate, options?: CreateAndWaitOptions & WithoutResult): Promise<Run>
  createAndWait<Result>(
    input: RunCreate,
    options: CreateAndWaitOptions & WithResult<Result>
  ): Promise<CompletedRun<Result>>
  /**
   * Creates a run for each input and waits for all of them. A run that fails doesn't stop the others.
   *
   * @param inputs - The tasks, in the order of the results.
   * @param options - `concurrency` is the number of runs at a time: 10 by default. `onProgress` reports each created and finished run.
   * @returns The outcome of each run, and their total cost in USD.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * const tasks = ["Find a red mug", "Find a blue mug"].map((task) => ({ task }))
   * export const all = (agent: WebAgent) => agent.runs.runAll(tasks, { concurrency: 2 })
   * ```
   */
  runAll(inputs: Iterable<RunCreate>, options?: RunAllOptions & WithoutResult): Promise<RunAll<Run>>
  runAll<Result>(
    inputs: Iterable<RunCreate>,
    options: RunAllOptions & WithResult<Result>
  ): Promise<RunAll<CompletedRun<Result>>>
  /**
   * Emits the status of a run whenever it changes. The last one is final. Polling stops when you leave the loop.
   *
   * @param id - The id of the run.
   * @param options - `timeout` limits the wait: 30 minutes by default.
   * @returns The statuses, up to the final one.
   * @throws `WaitTimeoutError` if the run doesn't finish in time.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * for await (const { status } of new WebAgent().runs.watch("5f2e")) console.log(status)
   * ```
   */
  watch(id: string, options?: WaitOptions): AsyncIterable<RunStatusView>
}
