import type { WaitOptions, WithResult } from "@webagent/core/promise"
import {
  type Caller,
  createOf,
  functionOf,
  numberOf,
  inputOf,
  ownWaitOf,
  type RejectionOf,
  resultOf,
  waiting,
  waitOf
} from "@webagent/core/promise/Caller"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import * as V4 from "../Runs.ts"
import type { Run, RunCreate } from "./Run.ts"
import type { CreateAndWaitOptions, RunAll, RunAllOptions, RunProgress, Runs } from "./Runs.ts"

const settledOf =
  (rejectionOf: RejectionOf) =>
  <A>(exit: Exit.Exit<A, unknown>): PromiseSettledResult<A> =>
    Exit.isSuccess(exit)
      ? { status: "fulfilled", value: exit.value }
      : { status: "rejected", reason: rejectionOf(exit.cause) }

/** Tells a caller how far it is, without waiting for what it does with that. */
const telling = (onProgress: NonNullable<RunAllOptions["onProgress"]>) =>
  Effect.fnUntraced(function* (progress: RunProgress) {
    const doing: unknown = onProgress(progress)
    if (!(doing instanceof Promise)) return
    // before anything else: an unhandled rejection would end the process
    doing.catch(() => undefined)
    const awaited = Effect.tryPromise({ try: () => doing, catch: (error) => error })
    yield* awaited.pipe(
      Effect.catchCause((cause) => Effect.logWarning("onProgress has thrown", cause)),
      Effect.forkDetach
    )
  })

const inputsOf = (inputs: Iterable<RunCreate>) => {
  if (typeof inputs === "object" && inputs !== null && Symbol.iterator in inputs) return inputs
  throw new TypeError("The inputs of runAll must be an array, or another iterable object.")
}

/** The operations on runs, as promises. */
export const make = ({ call, iterate }: Caller<V4.Runs>): Runs => {
  const runs = <A, E>(f: (runs: V4.Runs["Service"]) => Effect.Effect<A, E>) => Effect.flatMap(V4.Runs, f)

  return {
    create: (input, options) =>
      call(() => {
        const [sent, chosen] = [inputOf(input), createOf(options)]
        return runs((runs) => runs.create(sent, chosen))
      }, options),
    status: (id, options) => call(() => runs((runs) => runs.status(id)), options),
    get: (id, options) => call(() => runs((runs) => runs.get(id)), options),
    untilTerminal: ((id: string, options?: WaitOptions & Partial<WithResult<unknown>>) =>
      call(
        () => {
          const chosen = resultOf(options)
          return runs((runs) => runs.untilTerminal(id, chosen))
        },
        options,
        waiting
      )) as Runs["untilTerminal"],
    createAndWait: ((input: RunCreate, options?: CreateAndWaitOptions) =>
      call(
        () => {
          const [sent, chosen] = [inputOf(input), { ...ownWaitOf(options), ...createOf(options) }]
          return runs((runs) => runs.createAndWait(sent, chosen))
        },
        options,
        waiting
      )) as Runs["createAndWait"],
    runAll: ((inputs: Iterable<RunCreate>, options?: RunAllOptions): Promise<RunAll<Run>> => {
      return call(
        (rejectionOf) => {
          const list = inputsOf(inputs)
          const onProgress = functionOf("onProgress", options?.onProgress ?? undefined)
          const all = {
            ...ownWaitOf(options),
            concurrency: numberOf("concurrency", "1 or more", options?.concurrency ?? undefined, (runs) => runs >= 1),
            stopOnFailure: options?.stopOnFailure,
            extraBody: options?.extraBody,
            idempotencyKey: functionOf("idempotencyKey", options?.idempotencyKey),
            onProgress: onProgress === undefined ? undefined : telling(onProgress)
          }
          return Effect.map(
            runs((runs) => runs.runAll(list, all)),
            ({ cost, results }) => ({ results: results.map(settledOf(rejectionOf)), cost })
          )
        },
        options,
        waiting
      )
    }) as Runs["runAll"],
    watch: (id, options) =>
      iterate(() => Stream.unwrap(Effect.map(V4.Runs, (runs) => runs.watch(id, waitOf(options)))), options)
  }
}
