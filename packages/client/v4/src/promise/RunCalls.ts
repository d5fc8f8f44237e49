import type * as Caller from "@webagent/core/promise/Caller"
import * as Methods from "@webagent/core/promise/Methods"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as V4 from "../Runs.ts"
import type { Run, RunCreate } from "./Run.ts"
import type { RunAll, RunAllOptions, RunProgress, Runs } from "./Runs.ts"

const settledOf =
  (rejectionOf: Caller.RejectionOf) =>
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
export const make = (caller: Caller.Caller<V4.Runs>): Runs => ({
  ...Methods.methodsOf<Omit<Runs, "runAll">>()(V4.Runs, caller, {
    create: Methods.creating(1),
    status: Methods.reading,
    get: Methods.reading,
    untilTerminal: Methods.waitingFor,
    createAndWait: Methods.creatingAndWaiting(1),
    watch: Methods.watching
  }),
  runAll: ((inputs: Iterable<RunCreate>, options?: RunAllOptions): Promise<RunAll<Run>> =>
    caller.call(
      (rejectionOf) => {
        const list = inputsOf(inputs)
        const onProgress = Methods.functionOf("onProgress", options?.onProgress ?? undefined)
        const isPositive = (runs: number) => runs >= 1
        const all = {
          ...Methods.ownWaitOf(options),
          concurrency: Methods.numberOf("concurrency", "1 or more", options?.concurrency ?? undefined, isPositive),
          stopOnFailure: options?.stopOnFailure,
          extraBody: options?.extraBody,
          idempotencyKey: Methods.functionOf("idempotencyKey", options?.idempotencyKey),
          onProgress: onProgress === undefined ? undefined : telling(onProgress)
        }
        return Effect.map(
          Effect.flatMap(V4.Runs, (runs) => runs.runAll(list, all)),
          ({ cost, results }) => ({ results: results.map(settledOf(rejectionOf)), cost })
        )
      },
      options,
      { wait: true }
    )) as Runs["runAll"]
})
