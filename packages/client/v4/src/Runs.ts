import { type CreatedRun, type Run, type RunCreate, type RunStatusView, V4Operations } from "@webagent/contract/v4"
import {
  type CallChoices,
  CallOptions,
  ContractClient,
  type CreateError,
  type CreateOptions,
  Trace,
  type Transport,
  type WithoutResult,
  type WithResult
} from "@webagent/core"
import { Waiter, type WaitTimeoutError } from "@webagent/polling"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import * as Outcome from "./Outcome.ts"
import * as OwnRun from "./OwnRun.ts"
import * as RunAll from "./RunAll.ts"
import { type RunError, RunWaiter } from "./RunWaiter.ts"

/** Errors that creating a run and waiting for it can fail with. */
export type RunEndError = CreateError | RunError | WaitTimeoutError

/** Options of `createAndWait`. */
export interface CreateAndWaitOptions<RC = never> extends OwnRun.OwnWaitOptions<RC>, Omit<CreateOptions, "timeout"> {}

/** Options of a wait for a run. */
export interface RunWaitOptions extends Waiter.WaitOptions, Omit<CallChoices, "timeout"> {}

const make = Effect.gen(function* () {
  const { runs: api } = yield* ContractClient.make("v4", V4Operations)
  const waiter = yield* RunWaiter

  const create = (input: RunCreate, options?: CreateOptions) =>
    api.create({ payload: input }).pipe(
      CallOptions.provide(options),
      Effect.tap((run) => Effect.annotateCurrentSpan("run.id", run.id)),
      Trace.span("v4.Runs.create")
    )

  const own = OwnRun.make(waiter)

  const untilTerminal = ((id: string, options?: RunWaitOptions & Partial<WithResult<unknown, unknown>>) =>
    waiter
      .untilTerminal(id, Waiter.atOnce(options))
      .pipe(
        CallOptions.provideToWait(options),
        Outcome.as(options?.result),
        Trace.span("v4.Runs.untilTerminal", { attributes: { "run.id": id } })
      )) as Runs["Service"]["untilTerminal"]

  const createAndWait = ((
    input: RunCreate,
    options?: CreateAndWaitOptions<unknown> & Partial<WithResult<unknown, unknown>>
  ) =>
    own(create(input), options).pipe(
      CallOptions.provideToWait(options),
      Outcome.as(options?.result),
      Trace.span("v4.Runs.createAndWait")
    )) as Runs["Service"]["createAndWait"]

  const runAll = ((
    inputs: Iterable<RunCreate>,
    options?: RunAll.RunAllOptions<unknown> & Partial<WithResult<unknown, unknown>>
  ) => {
    const as = Outcome.as(options?.result)
    return RunAll.make(
      inputs,
      (input, index, onCreated) =>
        own(create(input, { idempotencyKey: options?.idempotencyKey?.(input, index) }), options, onCreated).pipe(
          as,
          Trace.span("v4.Runs.createAndWait")
        ),
      options
    ).pipe(
      CallOptions.provideToWait(options === undefined ? undefined : { ...options, idempotencyKey: undefined }),
      Trace.span("v4.Runs.runAll")
    )
  }) as Runs["Service"]["runAll"]

  return Runs.of({
    create,
    status: (id, options) =>
      Trace.span("v4.Runs.status", { attributes: { "run.id": id } })(CallOptions.provide(options)(waiter.status(id))),
    get: (id, options) => CallOptions.provide(options)(waiter.get(id)),
    untilTerminal,
    createAndWait,
    runAll,
    watch: (id, options) =>
      waiter
        .watch(id, Waiter.atOnce(options))
        .pipe(CallOptions.provideToWatch(options), Trace.streamSpan("v4.Runs.watch", { attributes: { "run.id": id } }))
  })
})

/**
 * The runs of the service: an agent that carries out a task in a browser and returns its result.
 *
 * @example
 * ```ts
 * import { Runs, V4 } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function* () {
 *   const runs = yield* Runs
 *   const run = yield* runs.createAndWait({ task: "Find the cheapest direct flight from Oslo to Rome in May" })
 *   return run.result
 * }).pipe(Effect.provide(V4.layer()))
 * ```
 */
export class Runs extends Context.Service<
  Runs,
  {
    /** Creates a run. When its answer is lost it is a CreateOutcomeUnknown, unless the service honours keys. */
    readonly create: (input: RunCreate, options?: CreateOptions) => Effect.Effect<CreatedRun, CreateError>
    /** Reads the status of a run; cheap. */
    readonly status: (id: string, options?: CallChoices) => Effect.Effect<RunStatusView, RunError>
    /** Reads the full run, with its result once terminal. */
    readonly get: (id: string, options?: CallChoices) => Effect.Effect<Run, RunError>
    /**
     * Waits until the run is terminal, then reads the full run once. A run that failed or was cancelled is a value
     * (`Outcome.of` tells them apart), and an error only where `result` asks for a result of a type.
     */
    readonly untilTerminal: {
      (id: string, options?: RunWaitOptions & WithoutResult): Effect.Effect<Run, RunError | WaitTimeoutError>
      <A, RD = never>(
        id: string,
        options: RunWaitOptions & WithResult<A, RD>
      ): Effect.Effect<Outcome.CompletedRun<A>, RunError | WaitTimeoutError | Outcome.NoResultError, RD>
    }
    /**
     * Creates a run, waits until it is terminal, then reads the full run once; `result` as for `untilTerminal`. When
     * the wait ends before the run does, the run goes on unless `cancel` says how to end it; its id is in the
     * WaitTimeoutError, or in a warning.
     */
    readonly createAndWait: {
      <RC = never>(
        input: RunCreate,
        options?: CreateAndWaitOptions<RC> & WithoutResult
      ): Effect.Effect<Run, RunEndError, RC>
      <A, RD = never, RC = never>(
        input: RunCreate,
        options: CreateAndWaitOptions<RC> & WithResult<A, RD>
      ): Effect.Effect<Outcome.CompletedRun<A>, RunEndError | Outcome.NoResultError, RD | RC>
    }
    /** `createAndWait` for each input, 10 at a time unless told. Gives what became of each; one that fails ends no other. */
    readonly runAll: {
      <RC = never>(
        inputs: Iterable<RunCreate>,
        options?: RunAll.RunAllOptions<RC> & WithoutResult
      ): Effect.Effect<RunAll.RunAll<Run, RunEndError>, never, RC>
      <A, RD = never, RC = never>(
        inputs: Iterable<RunCreate>,
        options: RunAll.RunAllOptions<RC> & WithResult<A, RD>
      ): Effect.Effect<RunAll.RunAll<Outcome.CompletedRun<A>, RunEndError | Outcome.NoResultError>, never, RD | RC>
    }
    /** The statuses of a run as they change, the terminal one last. */
    readonly watch: (id: string, options?: RunWaitOptions) => Stream.Stream<RunStatusView, RunError | WaitTimeoutError>
  }
>()("@webagent/v4/Runs") {
  static readonly layer: Layer.Layer<Runs, never, Transport> = Layer.effect(this, make).pipe(
    Layer.provide(RunWaiter.layer)
  )
}
