export {
  type Answer,
  type Call,
  type CallOptions,
  ConflictError,
  type CreateOptions,
  CreateOutcomeUnknown,
  OperationUnavailableError,
  TaskNotFoundError,
  ClientConfigError,
  type ErrorClass,
  type Hooks,
  type HttpClient,
  type PollEvent,
  type RequestEvent,
  type RequestOptions,
  type ResponseEvent,
  type ResponseInfo,
  HTTPValidationError,
  ContentTooLargeError,
  type LogLevel,
  type OpenStatus,
  type Raw,
  SessionNotFoundError,
  ShareNotFoundError,
  type Time,
  TooManyRequestsError,
  type TotalCost,
  TransportError,
  type TransportErrorReason,
  UnauthorizedError,
  type ValidationError,
  type WaitOptions,
  WaitTimeoutError,
  WebAgentClosedError,
  type WebAgentOptions
} from "@webagent/core/promise"
export * from "./Cost.ts"
export type { SessionView, TaskItemView, TaskStatus } from "./Session.ts"
export type {
  SessionCreate,
  SessionItemView,
  SessionListOptions,
  SessionPage,
  Sessions,
  SessionWaitOptions,
  ShareView
} from "./Sessions.ts"
export type {
  CreatedTask,
  TaskCreate,
  TaskListOptions,
  TaskPage,
  Tasks,
  TaskStatusView,
  TaskStep,
  TaskView
} from "./Tasks.ts"
export * from "./WebAgent.ts"
