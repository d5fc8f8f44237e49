import type { BadCursorError, ConflictError, RunNotFoundError, SessionNotFoundError } from "@webagent/contract"
import {
  type CreatedRun,
  CreateReplay,
  CreateRunInSession,
  type Run,
  type RunAttachment,
  type RunCreate,
  RunExtensions,
  type RunList,
  type RunListQuery,
  type RunStatusView,
  V4Operations
} from "@webagent/contract/v4"
import {
  type CallChoices,
  type CallError,
  CallOptions,
  ContractClient,
  type CreateError,
  type CreateOptions,
  type OperationUnavailableError,
  Pages,
  Trace,
  type Transport,
  type WithoutResult,
  type WithResult
} from "@webagent/core"
import { type OwnWait, Waiter, type WaitTimeoutError } from "@webagent/polling"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import * as Outcome from "./Outcome.ts"
import * as OwnRun from "./OwnRun.ts"
import * as RunAll from "./RunAll.ts"
import { type CancelError, type RunError, RunWaiter } from "./RunWaiter.ts"

/** Errors that creating a run can fail with: those of a session or of a replayed run only if the input names one. */
export type RunCreateError = CreateError | SessionNotFoundError | RunNotFoundError | ConflictError

/** Errors that creating a run and waiting for it can fail with. */
export type RunEndError = RunCreateError | RunError | WaitTimeoutError

/** Options of `createAndWait`. */
export interface CreateAndWaitOptions<RC = never> extends OwnRun.OwnWaitOptions<RC>, Omit<CreateOptions, "timeout"> {}

/** Options of watching a run. */
export interface RunWatchOptions extends Waiter.WaitOptions, Omit<CallChoices, "timeout"> {}

/** Options of a wait for a run. */
export interface RunWaitOptions extends RunWatchOptions, OwnWait.EndOptions {}

/** Options of a list of runs. */
export interface RunListOptions extends RunListQuery, Omit<CallChoices, "timeout"> {}

/** Errors that reading a list can fail with. */
export type ListError = CallError | BadCursorError | OperationUnavailableError

const make = Effect.gen(function* () {
  const {
    followUps,
    replays,
    runs: api
  } = yield* ContractClient.make("v4", {
    ...V4Operations,
    // a 404 of any other create is no session's: the address is wrong
    followUps: { create: CreateRunInSession },
    replays: { create: CreateReplay }
  })
  const { attachments, list } = yield* ContractClient.makeOptional("v4", "Runs", RunExtensions)
  const waiter = yield* RunWaiter

  const createIn = (
    input: RunCreate,
    options: CreateOptions | undefined
  ): ((request: { readonly payload: RunCreate }) => Effect.Effect<CreatedRun, RunCreateError>) => {
    if ((input?.sessionId ?? options?.extraBody?.["sessionId"]) !== undefined) return followUps.create
    return (input?.replayOf ?? options?.extraBody?.["replayOf"] ?? null) === null ? api.create : replays.create
  }

  const create = (input: RunCreate, options?: CreateOptions) =>
    createIn(input, options)({ payload: input }).pipe(CallOptions.provide(options), Trace.span("v4.Runs.create"))

  const own = OwnRun.make(waiter)

  const untilTerminal = ((id: string, options?: RunWaitOptions & Partial<WithResult<unknown, unknown>>) => {
    const isOwn = (options?.onEnd ?? options?.onAbort) !== undefined
    const wait = Waiter.atOnce(options)
    return (isOwn ? own(Effect.succeed<CreatedRun>({ id }), wait) : waiter.untilTerminal(id, wait)).pipe(
      CallOptions.provideToWait(options),
      Outcome.as(options?.result),
      Trace.span("v4.Runs.untilTerminal", { attributes: { "run.id": id } })
    )
  }) as Runs["Service"]["untilTerminal"]

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
        own(create(input, { idempotencyKey: options?.idempotencyKey?.(input, index) }), options, { onCreated }).pipe(
          as,
          Trace.span("v4.Runs.createAndWait")
        ),
      options
    ).pipe(
      CallOptions.provideToWait(options && { ...options, idempotencyKey: undefined }),
      Trace.span("v4.Runs.runAll")
    )
  }) as Runs["Service"]["runAll"]

  return Runs.of({
    create,
    ...Pages.make<RunListQuery>()(list, ({ runs }) => runs, Pages.nextCursor),
    cancel: (id, options) => CallOptions.provide(options)(waiter.cancel(id)),
    attachments: (id, options) =>
      Effect.map(attachments({ params: { run_id: id } }, options), ({ attachments }) => attachments),
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
 * Creates runs and waits for them. A run is one task that an agent carries out in a browser.
 *
 * Get the service from the context with `yield* Runs`, and provide it with `V4.layer()`. Use one layer per process,
 * because all waits share its poll budget, and all requests share its connections and retry limits.
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
    /**
     * Creates a run, and doesn't wait for it. It starts as soon as the service has capacity.
     *
     * The create request is sent once, because a second request could start a second paid run.
     *
     * @param input - The task, and options for the model. With a `sessionId`, the run is the next one of that session.
     * @param options - An idempotency key, and headers and retries of this call.
     * @returns The created run. Only its `id` is certain.
     * @throws `SessionNotFoundError` if the service has no session with the `sessionId` of the input, and
     *   `ConflictError` if the session is stopped.
     * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
     * @throws `TransportError` if the service can't be reached, and errors of the service such as `UnauthorizedError`.
     * @example
     * ```ts
     * import { Runs } from "@webagent/v4"
     *
     * export const program = Runs.use((runs) => runs.create({ task: "Find a red mug" }))
     * ```
     */
    readonly create: (input: RunCreate, options?: CreateOptions) => Effect.Effect<CreatedRun, RunCreateError>
    /**
     * Reads the status of a run. This is the cheapest request about a run.
     *
     * @param id - The id of the run.
     * @param options - Headers, a request id and retries of this call.
     * @returns The status of the run.
     * @throws `RunNotFoundError` if the service has no run with this id, and `TransportError` if it can't be reached.
     * @example
     * ```ts
     * import { Runs } from "@webagent/v4"
     *
     * export const program = Runs.use((runs) => runs.status("5f2e"))
     * ```
     */
    readonly status: (id: string, options?: CallChoices) => Effect.Effect<RunStatusView, RunError>
    /**
     * Reads a run. It has a result once its status is `completed`.
     *
     * @param id - The id of the run.
     * @param options - Headers, a request id and retries of this call.
     * @returns The run as it is now. Only its `id` is certain.
     * @throws `RunNotFoundError` if the service has no run with this id, and `TransportError` if it can't be reached.
     * @example
     * ```ts
     * import { Runs } from "@webagent/v4"
     *
     * export const program = Runs.use((runs) => runs.get("5f2e"))
     * ```
     */
    readonly get: (id: string, options?: CallChoices) => Effect.Effect<Run, RunError>
    /**
     * Lists runs, newest first. Pages are read while you take runs from the stream.
     *
     * @param options - `sessionId` lists the runs of one session. `limit` is the number of runs per page, from 1 to 100.
     *   `cursor` continues after a page that `listPage` has read.
     * @returns A stream of runs. Each page is one request.
     * @throws `OperationUnavailableError` if the service doesn't list runs.
     * @example
     * ```ts
     * import { Runs } from "@webagent/v4"
     * import * as Stream from "effect/Stream"
     *
     * export const latest = Runs.use((runs) => runs.list().pipe(Stream.take(10), Stream.runCollect))
     * ```
     */
    readonly list: (options?: RunListOptions) => Stream.Stream<Run, ListError>
    /**
     * Reads one page of `list`. Pass its `nextCursor` as the `cursor` of the next one while `hasMore` isn't false.
     *
     * @param options - The same as for `list`.
     * @returns The runs of the page, with `nextCursor` and `hasMore`.
     * @throws `BadCursorError` if the cursor is another list's.
     * @example
     * ```ts
     * import { Runs } from "@webagent/v4"
     *
     * export const program = Runs.use((runs) => runs.listPage({ limit: 20 }))
     * ```
     */
    readonly listPage: (options?: RunListOptions & CallChoices) => Effect.Effect<RunList, ListError>
    /**
     * Cancels a run, so that it doesn't cost any more. A finished run stays as it is, and repeating the call does no
     * harm, so the request is retried if the service can't be reached.
     *
     * @param id - The id of the run.
     * @param options - Headers, a request id and retries of this call.
     * @returns The run as the service shows it after the request. It may take a moment until its status is `cancelled`.
     * @throws `RunNotFoundError` if the service has no run with this id, and `OperationUnavailableError` if it can't
     *   cancel runs.
     * @example
     * ```ts
     * import { Runs } from "@webagent/v4"
     * import * as Effect from "effect/Effect"
     *
     * export const program = Runs.use((runs) => Effect.map(runs.cancel("5f2e"), ({ status }) => status))
     * ```
     */
    readonly cancel: (id: string, options?: CallChoices) => Effect.Effect<Run, CancelError>
    /**
     * Lists the files that the agent attached to a run.
     *
     * @param id - The id of the run.
     * @param options - Headers, a request id and retries of this call.
     * @returns The files, each with a `url` that opens it for some minutes.
     * @throws `RunNotFoundError` if the service has no run with this id, and `OperationUnavailableError` if it has no
     *   attachments.
     * @example
     * ```ts
     * import { Runs } from "@webagent/v4"
     *
     * export const program = Runs.use((runs) => runs.attachments("5f2e"))
     * ```
     */
    readonly attachments: (
      id: string,
      options?: CallChoices
    ) => Effect.Effect<ReadonlyArray<RunAttachment>, CancelError>
    /**
     * Waits until a run is completed, failed or cancelled, then reads it once.
     *
     * A run that failed or was cancelled is a value, which `Outcome.of` can tell apart, unless you pass `result`.
     *
     * @param id - The id of the run. It may have been created by another process.
     * @param options - `timeout` limits the wait: 30 minutes by default. `result` is a schema that checks and types the
     *   result. With `onEnd: "cancel"`, the run is canceled if the wait ends first, and with `onAbort: "cancel"` if the
     *   wait is interrupted.
     * @returns The finished run. With `result`, its result has the type of the schema.
     * @throws `WaitTimeoutError` if the run doesn't finish in time. Wait again with its `id`.
     * @example
     * ```ts
     * import { Runs } from "@webagent/v4"
     *
     * export const program = Runs.use((runs) => runs.untilTerminal("5f2e", { timeout: "1 hour" }))
     * ```
     */
    readonly untilTerminal: {
      (id: string, options?: RunWaitOptions & WithoutResult): Effect.Effect<Run, RunError | WaitTimeoutError>
      <A, RD = never>(
        id: string,
        options: RunWaitOptions & WithResult<A, RD>
      ): Effect.Effect<Outcome.CompletedRun<A>, RunError | WaitTimeoutError | Outcome.NoResultError, RD>
    }
    /**
     * Creates a run, waits until it finishes, and succeeds with the run and its result.
     *
     * The create request is sent once. If its response is lost, the effect fails with `CreateOutcomeUnknown`, because a
     * second request could start a second paid run. A run that fails is a value with the status `failed`, unless you
     * pass `result`.
     *
     * If the effect is interrupted or times out, the run continues on the service. Pass `onEnd: "cancel"` to cancel it as
     * well, or `onAbort: "cancel"` to cancel it only if the effect is interrupted.
     *
     * @param input - The task, and options for the model.
     * @param options - `result` is a schema that checks and types the result. `timeout` limits the wait. `onStatus`
     *   receives each new status of the run.
     * @returns The finished run. With `result`, the run has the type `Outcome.CompletedRun<A>`.
     * @throws `WaitTimeoutError` if the run doesn't finish in time; `id` is the run, so you can wait again.
     * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
     * @throws `Outcome.NoResultError` if you pass `result` and the run has no matching result.
     * @example
     * ```ts
     * import { Runs } from "@webagent/v4"
     * import * as Effect from "effect/Effect"
     *
     * export const program = Effect.gen(function* () {
     *   const runs = yield* Runs
     *   return yield* runs.createAndWait({ task: "Find a red mug" }, { timeout: "10 minutes" })
     * }).pipe(
     *   Effect.catchTag("WaitTimeoutError", ({ id }) => Effect.succeed(`${id} is still running`))
     * )
     * ```
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
    /**
     * Creates a run for each input and waits for all of them. A run that fails doesn't stop the others.
     *
     * @param inputs - The tasks, in the order of the results.
     * @param options - `concurrency` is the number of runs at a time: 10 by default. `onProgress` reports each created and finished run.
     * @returns The outcome of each run, and their total cost in USD.
     * @example
     * ```ts
     * import { Runs } from "@webagent/v4"
     *
     * const tasks = ["Find a red mug", "Find a blue mug"].map((task) => ({ task }))
     * export const program = Runs.use((runs) => runs.runAll(tasks, { concurrency: 2 }))
     * ```
     */
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
    /**
     * Emits the status of a run whenever it changes. The last one is final.
     *
     * @param id - The id of the run.
     * @param options - `timeout` limits the wait: 30 minutes by default.
     * @returns A stream of statuses that ends after the final one.
     * @throws `WaitTimeoutError` if the run doesn't finish in time.
     * @example
     * ```ts
     * import { Runs } from "@webagent/v4"
     * import * as Effect from "effect/Effect"
     * import * as Stream from "effect/Stream"
     *
     * export const program = Runs.use((runs) => Stream.runForEach(runs.watch("5f2e"), ({ status }) => Effect.log(status)))
     * ```
     */
    readonly watch: (id: string, options?: RunWatchOptions) => Stream.Stream<RunStatusView, RunError | WaitTimeoutError>
  }
>()("@webagent/v4/Runs") {
  static readonly layer: Layer.Layer<Runs, never, Transport> = Layer.effect(this, make).pipe(
    Layer.provide(RunWaiter.layer)
  )
}
