export {
  type Answer,
  type Call,
  type CallOptions,
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
export type { Sessions } from "./Sessions.ts"
export * from "./WebAgent.ts"
