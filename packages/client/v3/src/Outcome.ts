import { Session } from "@webagent/contract/v3"
import { AgentResult, inLine, type ResultSchema } from "@webagent/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The outcome of a session's task. */
export type Outcome =
  | { readonly _tag: "Completed"; readonly session: Session; readonly result: unknown }
  /** The status is `error` or `timed_out`. */
  | { readonly _tag: "Failed"; readonly session: Session }
  /** The session is `idle` or `stopped` and has none, as when its task was cancelled. */
  | { readonly _tag: "NoResult"; readonly session: Session }
  /** Nothing yet: the status is none of the terminal ones, or there is neither a status nor a result. */
  | { readonly _tag: "Unfinished"; readonly session: Session }

const isFailed = ({ status }: Session) => status === "error" || status === "timed_out"

/**
 * Returns the outcome of a session's task, by its status, or by its result if no status is sent.
 *
 * @param session - A session as the service returns it.
 * @returns The outcome, with the tag `Completed`, `Failed` or another one for each way in which it can end.
 * @example
 * ```ts
 * import { Outcome, Sessions } from "@webagent/v3"
 * import * as Effect from "effect/Effect"
 *
 * export const tag = Sessions.use((sessions) => Effect.map(sessions.get("5f2e"), (one) => Outcome.of(one)._tag))
 * ```
 */
export const of = (session: Session): Outcome => {
  const { result, status } = session
  if (isFailed(session)) return { _tag: "Failed", session }
  const hasResult = result !== undefined && result !== null
  if (status === undefined) {
    return hasResult ? { _tag: "Completed", session, result } : { _tag: "Unfinished", session }
  }
  if (status !== "idle" && status !== "stopped") return { _tag: "Unfinished", session }
  return hasResult ? { _tag: "Completed", session, result } : { _tag: "NoResult", session }
}

/** A session has failed, where a result was asked for. */
export class SessionFailedError extends Schema.TaggedError<SessionFailedError>()("SessionFailedError", {
  session: Session
}) {
  override get message() {
    return `Session ${this.session.id} gave no result: its status is ${JSON.stringify(this.session.status)}.`
  }
}

/** A session has ended, and its result doesn't match the schema: `session.result` is what the agent answered. */
export class ResultMismatchError extends Schema.TaggedError<ResultMismatchError>()("ResultMismatchError", {
  session: Session,
  /** The parts that don't fit, and their location. */
  issue: Schema.String
}) {
  override get message() {
    const issue = inLine(this.issue, 1000)
    return `The result of session ${this.session.id} doesn't match the schema: ${issue}.`
  }
}

/** Errors of a session that was expected to have a result. */
export type NoResultError = SessionFailedError | ResultMismatchError

/** A session that is over, its result decoded. */
export type CompletedSession<A> = Session & { readonly result: A }

/**
 * The session with its result as a schema says, or why there is none. A result that is text with nothing but JSON in
 * it is taken as that JSON, unless it fits as text. The session is a terminal one.
 *
 * @param schema - A schema of the result.
 * @param session - A session that has finished.
 * @returns The session with a typed result. Fails if there is no result, or if it doesn't match the schema.
 * @example
 * ```ts
 * import { Outcome, Sessions } from "@webagent/v3"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * export const offer = Effect.gen(function* () {
 *   const sessions = yield* Sessions
 *   const session = yield* sessions.untilTerminal("5f2e")
 *   return (yield* Outcome.decode(Schema.String, session)).result
 * })
 * ```
 */
export const decode = <A, RD>(
  schema: ResultSchema<A, RD>,
  session: Session
): Effect.Effect<CompletedSession<A>, NoResultError, RD> =>
  isFailed(session)
    ? Effect.fail(new SessionFailedError({ session }))
    : AgentResult.decode(schema, session.result).pipe(
        Effect.map((result): CompletedSession<A> => ({ ...session, result })),
        Effect.mapError((issue) => new ResultMismatchError({ session, issue }))
      )

/**
 * `decode` for the session of an effect, if there is a schema; else the session as it is.
 *
 * @param schema - A schema of the result, or undefined.
 * @returns A function that decodes the session of an effect.
 * @example
 * ```ts
 * import { Outcome, Sessions } from "@webagent/v3"
 * import * as Schema from "effect/Schema"
 *
 * export const text = Sessions.use((sessions) => Outcome.as(Schema.String)(sessions.untilTerminal("5f2e")))
 * ```
 */
export const as = (schema: ResultSchema<unknown, unknown> | undefined) => {
  if (schema !== undefined) AgentResult.check(schema)
  return <E, R>(session: Effect.Effect<Session, E, R>): Effect.Effect<Session, E | NoResultError, unknown> =>
    schema === undefined ? session : Effect.flatMap(session, (session) => decode(schema, session))
}
