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
  /** Creates a run. When its answer is lost it is a CreateOutcomeUnknown, unless the service honours keys. */
  create(input: RunCreate, options?: CreateOptions): Answer<CreatedRun>
  /** Reads the status of a run; cheap. */
  status(id: string, options?: CallOptions): Answer<RunStatusView>
  /** Reads the full run, with its result once terminal. */
  get(id: string, options?: CallOptions): Answer<Run>
  /**
   * Waits until the run is terminal, then reads the full run once. A run that failed or was cancelled is a value, and
   * an error only where `result` asks for a result of a type.
   */
  untilTerminal(id: string, options?: WaitOptions & WithoutResult): Promise<Run>
  untilTerminal<Result>(id: string, options: WaitOptions & WithResult<Result>): Promise<CompletedRun<Result>>
  /**
   * Creates a run, waits until it is terminal, then reads the full run once. When the wait ends before the run does,
   * the run goes on unless `cancel` says how to end it; its id is in the WaitTimeoutError, or in a warning.
   */
  createAndWait(input: RunCreate, options?: CreateAndWaitOptions & WithoutResult): Promise<Run>
  createAndWait<Result>(
    input: RunCreate,
    options: CreateAndWaitOptions & WithResult<Result>
  ): Promise<CompletedRun<Result>>
  /** `createAndWait` for each input, 10 at a time unless told. One that fails ends no other. */
  runAll(inputs: Iterable<RunCreate>, options?: RunAllOptions & WithoutResult): Promise<RunAll<Run>>
  runAll<Result>(
    inputs: Iterable<RunCreate>,
    options: RunAllOptions & WithResult<Result>
  ): Promise<RunAll<CompletedRun<Result>>>
  /** The statuses of a run as they change, the terminal one last. Leaving the loop ends the polls. */
  watch(id: string, options?: WaitOptions): AsyncIterable<RunStatusView>
}
