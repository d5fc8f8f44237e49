import type { ErrorClass, WaitTimeoutError as WaitTimeout } from "@webagent/core/promise"
import { errorClass } from "@webagent/core/promise/Caller"
import * as Polling from "@webagent/polling"
import * as Outcome from "../Outcome.ts"
import type { Session } from "./Session.ts"

// The classes are those that Effect programs catch. Their types here say what an instance has, and nothing of Effect.

/** A wait ended at its deadline. What it waited for goes on at the service, and may go on costing. */
export interface WaitTimeoutError extends WaitTimeout {}
export const WaitTimeoutError: ErrorClass<WaitTimeoutError> = errorClass(Polling.WaitTimeoutError)

/** A session has failed, where a result was asked for. */
export interface SessionFailedError extends Error {
  readonly _tag: "SessionFailedError"
  readonly session: Session
}
export const SessionFailedError: ErrorClass<SessionFailedError> = errorClass(Outcome.SessionFailedError)

/** A session has ended, and its result is not what was asked for: `session.result` is what the agent answered. */
export interface ResultMismatchError extends Error {
  readonly _tag: "ResultMismatchError"
  readonly session: Session
  /** The parts that don't fit, and their location. */
  readonly issue: string
}
export const ResultMismatchError: ErrorClass<ResultMismatchError> = errorClass(Outcome.ResultMismatchError)
