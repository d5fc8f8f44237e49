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

/** Returns the outcome of a session's task, by its status, or by its result if no status is sent. */
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

/** A session has ended, and its result is not what was asked for: `session.result` is what the agent answered. */
export class ResultMismatchError extends Schema.TaggedError<ResultMismatchError>()("ResultMismatchError", {
  session: Session,
  /** The parts that don't fit, and their location. */
  issue: Schema.String
}) {
  override get message() {
    const issue = inLine(this.issue, 1000)
    return `The result of session ${this.session.id} is not what was asked for: ${issue}.`
  }
}

/** Errors of a session that was expected to have a result. */
export type NoResultError = SessionFailedError | ResultMismatchError

/** A session that is over, its result decoded. */
export type CompletedSession<A> = Session & { readonly result: A }

/**
 * The session with its result as a schema says, or why there is none. A result that is text with nothing but JSON in
 * it is taken as that JSON, unless it fits as text. The session is a terminal one.
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

/** `decode` for the session of an effect, if there is a schema; else the session as it is. */
export const as = (schema: ResultSchema<unknown, unknown> | undefined) => {
  if (schema !== undefined) AgentResult.check(schema)
  return <E, R>(session: Effect.Effect<Session, E, R>): Effect.Effect<Session, E | NoResultError, unknown> =>
    schema === undefined ? session : Effect.flatMap(session, (session) => decode(schema, session))
}
