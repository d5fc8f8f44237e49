import { RunNotFoundError } from "@webagent/contract"
import { type CreatedRun, type Run, type RunCreate, type RunStatusView, V4Api } from "@webagent/contract/v4"
import { ContractClient, Transport } from "@webagent/core"
import { Waiter, type WaitTimeoutError } from "@webagent/polling"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { make as makeWaiter, type RunError } from "./RunWaiter.ts"

const isAbsent = (error: unknown) => error instanceof RunNotFoundError

const make = Effect.gen(function* () {
  const { runs: api } = yield* ContractClient.make("v4", V4Api)
  const { grace } = yield* Transport

  const readStatus = (id: string) => grace.forgive(id, api.status({ params: { run_id: id } }), isAbsent)
  const waiter = yield* makeWaiter(readStatus)

  const create = Effect.fn("v4.Runs.create")(function* (input: RunCreate) {
    const run = yield* api.create({ payload: input })
    yield* grace.remember(run.id)
    yield* Effect.annotateCurrentSpan("run.id", run.id)
    return run
  })

  const status = Effect.fn("v4.Runs.status")(readStatus, annotated)
  const get = Effect.fn("v4.Runs.get")(
    (id: string) => grace.forgive(id, api.get({ params: { run_id: id } }), isAbsent),
    annotated
  )

  const wait = (id: string, options: Waiter.WaitOptions) => Effect.andThen(waiter.untilTerminal(id, options), get(id))

  const untilTerminal = Effect.fn("v4.Runs.untilTerminal")(
    (id: string, options?: Waiter.WaitOptions) => wait(id, Waiter.atOnce(options)),
    annotated
  )

  const createAndWait = Effect.fn("v4.Runs.createAndWait")(function* (
    input: RunCreate,
    options: Waiter.WaitOptions = {}
  ) {
    const { id } = yield* create(input)
    yield* Effect.annotateCurrentSpan("run.id", id)
    return yield* wait(id, options)
  })

  const watch = (id: string, options?: Waiter.WaitOptions) =>
    waiter.watch(id, Waiter.atOnce(options)).pipe(Stream.withSpan("v4.Runs.watch", { attributes: { "run.id": id } }))

  return Runs.of({ create, status, get, untilTerminal, createAndWait, watch })
})

const annotated = <A, E, R>(effect: Effect.Effect<A, E, R>, id: string) =>
  Effect.andThen(Effect.annotateCurrentSpan("run.id", id), effect)

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
 * }).pipe(Effect.provide(V4.layerConfig))
 * ```
 */
export class Runs extends Context.Service<
  Runs,
  {
    /** Creates a run. When its answer is lost it is a CreateOutcomeUnknown, unless the service honours keys. */
    readonly create: (input: RunCreate) => Effect.Effect<CreatedRun, ContractClient.CreateError>
    /** Reads the status of a run; cheap. */
    readonly status: (id: string) => Effect.Effect<RunStatusView, RunError>
    /** Reads the full run, with its result once terminal. */
    readonly get: (id: string) => Effect.Effect<Run, RunError>
    /** Waits until the run is terminal, then reads the full run once. */
    readonly untilTerminal: (
      id: string,
      options?: Waiter.WaitOptions
    ) => Effect.Effect<Run, RunError | WaitTimeoutError>
    /** Creates a run, waits until it is terminal, then reads the full run once. */
    readonly createAndWait: (
      input: RunCreate,
      options?: Waiter.WaitOptions
    ) => Effect.Effect<Run, ContractClient.CreateError | RunError | WaitTimeoutError>
    /** The statuses of a run as they change, the terminal one last. */
    readonly watch: (
      id: string,
      options?: Waiter.WaitOptions
    ) => Stream.Stream<RunStatusView, RunError | WaitTimeoutError>
  }
>()("@webagent/v4/Runs") {
  static readonly layer: Layer.Layer<Runs, never, Transport> = Layer.effect(this, make)
}
