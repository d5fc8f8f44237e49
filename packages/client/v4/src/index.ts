// All that a program meets, so that it needs to name this package alone.
export {
  BadCursorError,
  BrowserNotFoundError,
  type Call,
  ConflictError,
  ContentTooLargeError,
  HTTPValidationError,
  type JsonObject,
  MessageNotFoundError,
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
  BrowserList,
  CreatedRun,
  QueuedMessage,
  QueuedMessages,
  Run,
  RunAttachment,
  RunCreate,
  RunList,
  RunStatus,
  RunStatusView,
  SessionInfo,
  SessionList,
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
  OperationUnavailableError,
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
export { type NextRun, NextRunUnknownError } from "./NextRun.ts"
export type { OwnWaitOptions, WaitEnd } from "./OwnRun.ts"
export { NotStartedError, type RunAll, type RunAllOptions, type RunProgress } from "./RunAll.ts"
export * from "./Runs.ts"
export type { CancelError, RunError } from "./RunWaiter.ts"
export * from "./Sessions.ts"
export * as V4 from "./V4.ts"
