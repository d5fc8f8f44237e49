import type { WaitOptions, WithResult } from "@webagent/core/promise"
import { type Caller, ownWaitOf, resultOf, waitOf } from "@webagent/core/promise/Caller"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as V4 from "../Runs.ts"
import type { Run, RunCreate } from "./Run.ts"
import type { CreateAndWaitOptions, RunAll, RunAllOptions, Runs } from "./Runs.ts"

const settledOf = <A>(exit: Exit.Exit<A, unknown>): PromiseSettledResult<A> =>
  Exit.isSuccess(exit)
    ? { status: "fulfilled", value: exit.value }
    : {
        status: "rejected",
        reason: Option.getOrElse(Cause.findErrorOption(exit.cause), () => Cause.squash(exit.cause))
      }

/** The operations on runs, as promises. */
export const make = ({ call, iterate }: Caller<V4.Runs>): Runs => {
  const runs = <A, E>(f: (runs: V4.Runs["Service"]) => Effect.Effect<A, E>) => Effect.flatMap(V4.Runs, f)

  return {
    create: (input, options) => call(() => runs((runs) => runs.create(input, options)), options),
    status: (id, options) => call(() => runs((runs) => runs.status(id)), options),
    get: (id, options) => call(() => runs((runs) => runs.get(id)), options),
    untilTerminal: ((id: string, options?: WaitOptions & Partial<WithResult<unknown>>) =>
      call(() => runs((runs) => runs.untilTerminal(id, resultOf(options))), options)) as Runs["untilTerminal"],
    createAndWait: ((input: RunCreate, options?: CreateAndWaitOptions) =>
      call(
        () =>
          runs((runs) => runs.createAndWait(input, { ...ownWaitOf(options), idempotencyKey: options?.idempotencyKey })),
        options
      )) as Runs["createAndWait"],
    runAll: ((inputs: Iterable<RunCreate>, options?: RunAllOptions): Promise<RunAll<Run>> => {
      const onProgress = options?.onProgress
      return call(
        () =>
          runs((runs) =>
            Effect.map(
              runs.runAll(inputs, {
                ...ownWaitOf(options),
                concurrency: options?.concurrency,
                stopOnFailure: options?.stopOnFailure,
                idempotencyKey: options?.idempotencyKey,
                onProgress: onProgress === undefined ? undefined : (progress) => Effect.sync(() => onProgress(progress))
              }),
              ({ cost, results }) => ({ results: results.map(settledOf), cost })
            )
          ),
        options
      )
    }) as Runs["runAll"],
    watch: (id, options) =>
      iterate(() => Stream.unwrap(Effect.map(V4.Runs, (runs) => runs.watch(id, waitOf(options)))), options)
  }
}
