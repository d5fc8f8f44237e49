import type {
  Answer,
  CallOptions,
  CreateOptions,
  OwnWaitOptions,
  TotalCost,
  WaitOptions,
  WithoutResult,
  WithResult
} from "@webagent/core/promise"
import type { CompletedRun, CreatedRun, Run, RunCreate, RunStatusView } from "./Run.ts"

/** Options of `createAndWait`. */
export interface CreateAndWaitOptions extends OwnWaitOptions<CreatedRun>, Omit<CreateOptions, "timeout"> {}

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
export interface RunAllOptions extends OwnWaitOptions<CreatedRun>, Omit<CreateOptions, "timeout" | "idempotencyKey"> {
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
   * @param input - The task, and options for the model.
   * @returns The created run. Only its `id` is certain.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @throws `TransportError` if the service can't be reached, and errors of the service such as `UnauthorizedError`.
   */
  create(input: RunCreate, options?: CreateOptions): Answer<CreatedRun>
  /**
   * Reads the status of a run. This is the cheapest request about a run.
   *
   * @throws `RunNotFoundError` if the service has no run with this id, and `TransportError` if it can't be reached.
   */
  status(id: string, options?: CallOptions): Answer<RunStatusView>
  /**
   * Reads a run. It has a result once its status is `completed`.
   *
   * @throws `RunNotFoundError` if the service has no run with this id, and `TransportError` if it can't be reached.
   */
  get(id: string, options?: CallOptions): Answer<Run>
  /**
   * Waits until a run is completed, failed or cancelled, then reads it once.
   *
   * A run that failed or was cancelled is a value unless you pass `result`.
   *
   * @param id - The id of the run. It may have been created by another process.
   * @param options - `timeout` limits the wait: 30 minutes by default. `result` is a schema that checks and types the result.
   * @returns The finished run. With `result`, its result has the type of the schema.
   * @throws `WaitTimeoutError` if the run doesn't finish in time. Wait again with its `id`.
   */
  untilTerminal(id: string, options?: WaitOptions & WithoutResult): Promise<Run>
  untilTerminal<Result>(id: string, options: WaitOptions & WithResult<Result>): Promise<CompletedRun<Result>>
  /**
   * Creates a run, waits until it finishes, and returns it with its result.
   *
   * The create request is sent once. If its response is lost, the promise rejects with `CreateOutcomeUnknown`, because
   * a second request could start a second paid run. A run that fails is returned as a value with the status `failed`,
   * unless you pass `result`.
   *
   * If the wait stops first, the run continues on the service. Pass `cancel` to stop it as well.
   *
   * @param input - The task, and options for the model.
   * @param options - `result` is a schema that checks and types the result. `timeout` limits the wait, in milliseconds
   *   or as text such as `"10 minutes"`. `signal` stops the wait.
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
   * @param options - `timeout` limits the wait: 30 minutes by default.
   * @throws `WaitTimeoutError` if the run doesn't finish in time.
   */
  watch(id: string, options?: WaitOptions): AsyncIterable<RunStatusView>
}
