import type { ErrorClass } from "@webagent/core/promise"
import * as Outcome from "../Outcome.ts"
import type { Session } from "./Session.ts"

// The classes are those that Effect programs catch. Their types here say what an instance has, and nothing of Effect.

/** A session has failed, where a result was asked for. */
export interface SessionFailedError extends Error {
  readonly _tag: "SessionFailedError"
  readonly session: Session
}
export const SessionFailedError: ErrorClass<SessionFailedError> = Outcome.SessionFailedError

/** A session has ended, and its result doesn't match the schema: `session.result` is what the agent answered. */
export interface ResultMismatchError extends Error {
  readonly _tag: "ResultMismatchError"
  readonly session: Session
  /** The parts that don't fit, and their location. */
  readonly issue: string
}
export const ResultMismatchError: ErrorClass<ResultMismatchError> = Outcome.ResultMismatchError
