// All that a program meets, so that it needs to name this package alone.
export {
  BadCursorError,
  type Call,
  ConflictError,
  ContentTooLargeError,
  HTTPValidationError,
  type JsonObject,
  type OpenStatus,
  type Raw,
  SessionNotFoundError,
  UnauthorizedError,
  type ValidationError
} from "@webagent/contract"
export type {
  Session,
  SessionCreate,
  SessionList,
  SessionMessage,
  SessionMessages,
  SessionStop,
  V3SessionStatus
} from "@webagent/contract/v3"
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
  TransportError,
  type TransportErrorReason,
  type UndecodableAnswer,
  UnexpectedStatus
} from "@webagent/core"
export { WaitTimeoutError } from "@webagent/polling"

export * as Outcome from "./Outcome.ts"
export { type CompletedSession, type NoResultError, ResultMismatchError, SessionFailedError } from "./Outcome.ts"
export * from "./Sessions.ts"
export type { SessionError } from "./SessionWaiter.ts"
export * as V3 from "./V3.ts"
