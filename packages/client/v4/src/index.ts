// What a call or a wait can fail with, so that a program needs to name this package alone.
export {
  BrowserNotFoundError,
  ConflictError,
  HTTPValidationError,
  RunNotFoundError,
  SessionNotFoundError,
  UnauthorizedError
} from "@webagent/contract"
export {
  type CallError,
  type CreateError,
  type CreateOptions,
  CreateOutcomeUnknown,
  TooManyRequestsError,
  type TotalCost,
  TransportError
} from "@webagent/core"
export { WaitTimeoutError } from "@webagent/polling"

export * from "./Browsers.ts"
export * from "./Cost.ts"
export * as Outcome from "./Outcome.ts"
export {
  type CompletedRun,
  type NoResultError,
  ResultMismatchError,
  RunCancelledError,
  RunFailedError
} from "./Outcome.ts"
export type { OwnWaitOptions, WaitEnd } from "./OwnRun.ts"
export { NotStartedError, type RunAll, type RunAllOptions, type RunProgress } from "./RunAll.ts"
export * from "./Runs.ts"
export type { RunError } from "./RunWaiter.ts"
export * from "./Sessions.ts"
export * as V4 from "./V4.ts"
