import type { ErrorClass } from "@webagent/core/promise"
import * as Outcome from "../Outcome.ts"
import * as Started from "../RunAll.ts"
import * as Next from "../NextRun.ts"
import type { Run } from "./Run.ts"
import type { QueuedMessage } from "./Sessions.ts"

// The classes are those that Effect programs catch. Their types here say what an instance has, and nothing of Effect.

/** A run has failed, where a result was asked for. */
export interface RunFailedError extends Error {
  readonly _tag: "RunFailedError"
  readonly run: Run
}
export const RunFailedError: ErrorClass<RunFailedError> = Outcome.RunFailedError

/** A run was cancelled, where a result was asked for. */
export interface RunCancelledError extends Error {
  readonly _tag: "RunCancelledError"
  readonly run: Run
}
export const RunCancelledError: ErrorClass<RunCancelledError> = Outcome.RunCancelledError

/** A run has completed, and its result doesn't match the schema: `run.result` is what the agent answered. */
export interface ResultMismatchError extends Error {
  readonly _tag: "ResultMismatchError"
  readonly run: Run
  /** The parts that don't fit, and their location. */
  readonly issue: string
}
export const ResultMismatchError: ErrorClass<ResultMismatchError> = Outcome.ResultMismatchError

/** A run of `runAll` was not created, since an earlier one had failed and `stopOnFailure` was asked for. */
export interface NotStartedError extends Error {
  readonly _tag: "NotStartedError"
  readonly index: number
}
export const NotStartedError: ErrorClass<NotStartedError> = Started.NotStartedError

/** A message was queued, but the answer does not name the run that it becomes. The run may continue and cost money. */
export interface NextRunUnknownError extends Error {
  readonly _tag: "NextRunUnknownError"
  readonly sessionId: string
  readonly queued: QueuedMessage
}
export const NextRunUnknownError: ErrorClass<NextRunUnknownError> = Next.NextRunUnknownError
