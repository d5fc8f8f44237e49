import type { CreatedRun, Run, RunCreate } from "@webagent/contract/v4"
import { Cost, type CreateOptions, CreateOutcomeUnknown, type TotalCost, TransportError } from "@webagent/core"
import { OwnWait } from "@webagent/polling"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type { OwnWaitOptions } from "./OwnRun.ts"

/** A run that was not created, since an earlier one had failed and `stopOnFailure` was asked for. */
export class NotStartedError extends Schema.TaggedError<NotStartedError>()("NotStartedError", {
  /** Its place among the inputs, from 0. */
  index: Schema.Int
}) {
  override get message() {
    return `Run number ${this.index} was not created: another one had failed.`
  }
}

/** The progress of `runAll`. */
export interface RunProgress {
  /** The place of the run among the inputs, from 0. */
  readonly index: number
  readonly input: RunCreate
  /** The latest event of the run. */
  readonly event: "created" | "completed" | "failed"
  /** Its id, if it is known: a failed one may not have been created. */
  readonly id: string | undefined
  /** Counts of runs, this one included: those that are to be, were created, have ended either way, and failed. */
  readonly total: number
  readonly created: number
  readonly ended: number
  readonly failed: number
}

/** Options of `runAll`, for all of its runs. */
export interface RunAllOptions<RC = never>
  extends OwnWaitOptions<RC>, Omit<CreateOptions, "timeout" | "idempotencyKey"> {
  /** Runs that are at work at a time; 10 unless told. */
  readonly concurrency?: number | undefined
  /** After a run that has not completed no further one is created; those at work are waited for. False unless told. */
  readonly stopOnFailure?: boolean | undefined
  /** The `Idempotency-Key` of each create: the same again makes a list of creates repeatable where keys are honoured. */
  readonly idempotencyKey?: ((input: RunCreate, index: number) => string) | undefined
  /** Is told of each run that was created, and of each that has ended. */
  readonly onProgress?: ((progress: RunProgress) => Effect.Effect<unknown, never, RC>) | undefined
}

/** The outcome of `runAll`. */
export interface RunAll<A, E> {
  /** A run, or why there is none, for each input in the order of the inputs. */
  readonly results: ReadonlyArray<Exit.Exit<A, E | NotStartedError>>
  /** The total cost. It's unknown for runs that may run, or have run, without a reported cost. */
  readonly cost: TotalCost
}

/** Creates one run and waits for it, telling when it was created. */
type RunOne<A, E, R> = (
  input: RunCreate,
  index: number,
  onCreated: (run: CreatedRun) => Effect.Effect<unknown, never, R>
) => Effect.Effect<A, E, R>

const runIn = (error: unknown): Run | undefined => (Object(error) as { readonly run?: Run }).run

/** The create was sent, but whether it made a run, or which one, is not known. */
const isAmbiguous = (error: unknown) =>
  error instanceof CreateOutcomeUnknown ||
  (error instanceof TransportError && error.reason._tag === "UndecodableAnswer")

/** Runs them all; never fails, for one that fails says nothing of the others. */
export const make = <A extends Run, E, R>(
  inputs: Iterable<RunCreate>,
  runOne: RunOne<A, E, R>,
  options: RunAllOptions<R> | undefined
): Effect.Effect<RunAll<A, E>, never, R> =>
  Effect.suspend(() => {
    const list = Array.from(inputs)
    const counts = { total: list.length, created: 0, ended: 0, failed: 0 }
    const costs: Array<string | null | undefined> = []
    const tell = (index: number, input: RunCreate, event: RunProgress["event"], id: string | undefined) =>
      Effect.suspend(() => options?.onProgress?.({ index, input, event, id, ...counts }) ?? Effect.void).pipe(
        // who is told and throws is no reason to let go of a run
        Effect.catchDefect((defect) => Effect.logWarning("onProgress has thrown", defect))
      )

    const one = Effect.fnUntraced(function* (input: RunCreate, index: number) {
      if (options?.stopOnFailure === true && counts.failed > 0) return Exit.fail(new NotStartedError({ index }))
      let created: CreatedRun | undefined
      const exit = yield* Effect.exit(
        // suspended, since a caller's function that throws ends its own run and no other
        Effect.suspend(() =>
          runOne(input, index, (run) => {
            created = run
            counts.created++
            return tell(index, input, "created", run.id)
          })
        )
      )
      const run = Exit.isSuccess(exit) ? exit.value : runIn(OwnWait.errorOf(exit))
      const completed = Exit.isSuccess(exit) && exit.value.status === "completed"
      counts.ended++
      if (!completed) counts.failed++
      if (run !== undefined || created !== undefined || isAmbiguous(OwnWait.errorOf(exit))) costs.push(run?.cost)
      yield* tell(index, input, completed ? "completed" : "failed", created?.id)
      return exit
    })

    const concurrency = Math.max(1, Math.floor(options?.concurrency ?? 10) || 1)
    return Effect.map(Effect.forEach(list, one, { concurrency }), (results) => ({ results, cost: Cost.total(costs) }))
  })
