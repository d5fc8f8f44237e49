// All that a program meets, so that it needs to name this package alone.
export {
  BrowserNotFoundError,
  type Call,
  ConflictError,
  ContentTooLargeError,
  HTTPValidationError,
  type JsonObject,
  type OpenStatus,
  type Raw,
  RunNotFoundError,
  SessionNotFoundError,
  UnauthorizedError,
  type ValidationError
} from "@webagent/contract"
export type {
  Browser,
  BrowserCreate,
  CreatedRun,
  QueuedMessage,
  Run,
  RunCreate,
  RunStatus,
  RunStatusView,
  UpdatedBrowser
} from "@webagent/contract/v4"
export {
  type CallError,
  type CallChoices as CallOptions,
  type CircuitOpen,
  ClientConfigError,
  type GivenOptions,
  type RequestOptions,
  type ResponseInfo,
  type ResultSchema,
  type StandardSchema,
  withResponse,
  type WithResult,
  type ConnectionFailed,
  type CreateError,
  type CreateOptions,
  CreateOutcomeUnknown,
  type InvalidRequest,
  type Timeout,
  TooManyRequestsError,
  type TotalCost,
  TransportError,
  type TransportErrorReason,
  type UndecodableAnswer,
  UnexpectedStatus
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
