// All that a program meets, so that it needs to name this package alone.
export {
  type Call,
  ConflictError,
  ContentTooLargeError,
  HTTPValidationError,
  type JsonObject,
  type OpenStatus,
  type Raw,
  SessionNotFoundError,
  ShareNotFoundError,
  TaskNotFoundError,
  UnauthorizedError,
  type ValidationError
} from "@webagent/contract"
export type {
  CreatedTask,
  SessionCreate,
  SessionItemView,
  SessionList,
  SessionStatus,
  SessionView,
  ShareView,
  TaskCreate,
  TaskItemView,
  TaskList,
  TaskStatus,
  TaskStatusView,
  TaskView
} from "@webagent/contract/v2"
export {
  type CallError,
  type CallChoices as CallOptions,
  type CircuitOpen,
  ClientConfigError,
  type GivenOptions,
  type RequestOptions,
  type ResponseInfo,
  withResponse,
  type ConnectionFailed,
  type CreateError,
  type CreateOptions,
  CreateOutcomeUnknown,
  type InvalidRequest,
  OperationUnavailableError,
  type Timeout,
  TooManyRequestsError,
  type TotalCost,
  TransportError,
  type TransportErrorReason,
  type UndecodableAnswer,
  UnexpectedStatus
} from "@webagent/core"
export { WaitTimeoutError } from "@webagent/polling"

export * from "./Cost.ts"
export * as Outcome from "./Outcome.ts"
export * from "./Sessions.ts"
export * from "./Tasks.ts"
export type { SessionError } from "./SessionWaiter.ts"
export * as V2 from "./V2.ts"
