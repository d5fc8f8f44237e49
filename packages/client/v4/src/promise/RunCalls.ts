import type * as Caller from "@webagent/core/promise/Caller"
import * as Methods from "@webagent/core/promise/Methods"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as V4 from "../Runs.ts"
import type { Run, RunCreate } from "./Run.ts"
import type { RunAll, RunAllOptions, Runs } from "./Runs.ts"

const settledOf =
  (rejectionOf: Caller.RejectionOf) =>
  <A>(exit: Exit.Exit<A, unknown>): PromiseSettledResult<A> =>
    Exit.isSuccess(exit)
      ? { status: "fulfilled", value: exit.value }
      : { status: "rejected", reason: rejectionOf(exit.cause) }

const atLeastOne: Methods.Kind = [(runs) => typeof runs === "number" && runs >= 1, "1 or more"]

const inputsOf = (inputs: Iterable<RunCreate>) => {
  if (typeof inputs === "object" && inputs !== null && Symbol.iterator in inputs) return inputs
  throw new TypeError("The inputs of runAll must be an array or iterable.")
}

/** The operations on runs, as promises. */
export const make = (caller: Caller.Caller<V4.Runs>): Runs => ({
  ...Methods.methodsOf<Omit<Runs, "runAll">>()(V4.Runs, caller, {
    create: Methods.creating(1),
    status: Methods.reading,
    get: Methods.reading,
    untilTerminal: Methods.waitingFor,
    list: Methods.listing,
    listPage: Methods.readingPage,
    cancel: Methods.reading,
    attachments: Methods.reading,
    createAndWait: Methods.creatingAndWaiting(1),
    watch: Methods.watching
  }),
  runAll: ((inputs: Iterable<RunCreate>, options?: RunAllOptions): Promise<RunAll<Run>> =>
    caller.call(
      (rejectionOf) => {
        const list = inputsOf(inputs)
        const all = {
          ...Methods.ownWaitOf(options),
          concurrency: Methods.valueOf("concurrency", atLeastOne, options?.concurrency ?? undefined),
          stopOnFailure: options?.stopOnFailure,
          extraBody: options?.extraBody,
          idempotencyKey: Methods.valueOf("idempotencyKey", Methods.callback, options?.idempotencyKey),
          onProgress: Methods.tellingOf("onProgress", options?.onProgress)
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
