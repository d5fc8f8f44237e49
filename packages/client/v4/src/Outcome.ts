import { Run } from "@webagent/contract/v4"
import { AgentResult, inLine, type ResultSchema } from "@webagent/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The outcome of a run. */
export type Outcome =
  | { readonly _tag: "Completed"; readonly run: Run; readonly result: unknown }
  /** `error` is what the service says of it, if it does. */
  | { readonly _tag: "Failed"; readonly run: Run; readonly error: string | undefined }
  | { readonly _tag: "Cancelled"; readonly run: Run }
  /** Nothing yet: the status is none of the terminal ones. */
  | { readonly _tag: "Unfinished"; readonly run: Run }

/** Returns the error of the service, even if it isn't a text. */
const errorOf = ({ error, raw }: Run): string | undefined => {
  if (typeof error === "string") return error
  const other = raw?.["error"]
  return other === undefined ? undefined : JSON.stringify(other)
}

/**
 * Returns the outcome of a run, by its status.
 *
 * @param run - A run as the service returns it.
 * @returns The outcome, with the tag `Completed`, `Failed` or another one for each way in which it can end.
 * @example
 * ```ts
 * import { Outcome, Runs } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const tag = Runs.use((runs) => Effect.map(runs.get("5f2e"), (one) => Outcome.of(one)._tag))
 * ```
 */
export const of = (run: Run): Outcome => {
  switch (run.status) {
    case "completed":
      return { _tag: "Completed", run, result: run.result }
    case "failed":
      return { _tag: "Failed", run, error: errorOf(run) }
    case "cancelled":
      return { _tag: "Cancelled", run }
    default:
      return { _tag: "Unfinished", run }
  }
}

const costOf = ({ cost }: Run) => (cost === undefined || cost === null ? "" : ` It cost ${cost} USD.`)

/** A run has failed, where a result was asked for. */
export class RunFailedError extends Schema.TaggedError<RunFailedError>()("RunFailedError", { run: Run }) {
  override get message() {
    const error = inLine(errorOf(this.run) ?? "no reason given", 1000)
    return `Run ${this.run.id} failed: ${error}.${costOf(this.run)}`
  }
}

/** A run was cancelled, where a result was asked for. */
export class RunCancelledError extends Schema.TaggedError<RunCancelledError>()("RunCancelledError", { run: Run }) {
  override get message() {
    return `Run ${this.run.id} was cancelled.${costOf(this.run)}`
  }
}

/** A run has completed, and its result doesn't match the schema: `run.result` is what the agent answered. */
export class ResultMismatchError extends Schema.TaggedError<ResultMismatchError>()("ResultMismatchError", {
  run: Run,
  /** The parts that don't fit, and their location. */
  issue: Schema.String
}) {
  override get message() {
    const { issue, run } = this
    return `The result of run ${run.id} doesn't match the schema: ${inLine(issue, 1000)}.${costOf(run)}`
  }
}

/** Errors of a run that was expected to have a result. */
export type NoResultError = RunFailedError | RunCancelledError | ResultMismatchError

/** A completed run, its result decoded. */
export type CompletedRun<A> = Run & { readonly result: A }

/**
 * The run with its result as a schema says, or why there is none. A result that is text with nothing but JSON in it is
 * taken as that JSON, unless it fits as text. The run is a terminal one.
 *
 * @param schema - A schema of the result.
 * @param run - A run that has finished.
 * @returns The run with a typed result. Fails if there is no result, or if it doesn't match the schema.
 * @example
 * ```ts
 * import { Outcome, Runs } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const Offer = Schema.Struct({ price: Schema.Number, currency: Schema.String })
 *
 * export const offer = Effect.gen(function* () {
 *   const runs = yield* Runs
 *   const run = yield* runs.untilTerminal("5f2e")
 *   return (yield* Outcome.decode(Offer, run)).result.price
 * })
 * ```
 */
export const decode = <A, RD>(
  schema: ResultSchema<A, RD>,
  run: Run
): Effect.Effect<CompletedRun<A>, NoResultError, RD> => {
  switch (run.status) {
    case "failed":
      return Effect.fail(new RunFailedError({ run }))
    case "cancelled":
      return Effect.fail(new RunCancelledError({ run }))
    default:
      return AgentResult.decode(schema, run.result).pipe(
        Effect.map((result): CompletedRun<A> => ({ ...run, result })),
        Effect.mapError((issue) => new ResultMismatchError({ run, issue }))
      )
  }
}

/**
 * `decode` for the run of an effect, if there is a schema; else the run as it is.
 *
 * @param schema - A schema of the result, or undefined.
 * @returns A function that decodes the run of an effect.
 * @example
 * ```ts
 * import { Outcome, Runs } from "@webagent/v4"
 * import * as Schema from "effect/Schema"
 *
 * export const text = Runs.use((runs) => Outcome.as(Schema.String)(runs.untilTerminal("5f2e")))
 * ```
 */
export const as = (schema: ResultSchema<unknown, unknown> | undefined) => {
  if (schema !== undefined) AgentResult.check(schema)
  return <E, R>(run: Effect.Effect<Run, E, R>): Effect.Effect<Run, E | NoResultError, unknown> =>
    schema === undefined ? run : Effect.flatMap(run, (run) => decode(schema, run))
}
