// What a call or a wait can fail with, so that a program needs to name this package alone.
export { HTTPValidationError, SessionNotFoundError, UnauthorizedError } from "@webagent/contract"
export {
  type CallError,
  type CreateError,
  type CreateOptions,
  CreateOutcomeUnknown,
  TooManyRequestsError,
  TransportError
} from "@webagent/core"
export { WaitTimeoutError } from "@webagent/polling"

export * as Outcome from "./Outcome.ts"
export { type CompletedSession, type NoResultError, ResultMismatchError, SessionFailedError } from "./Outcome.ts"
export * from "./Sessions.ts"
export type { SessionError } from "./SessionWaiter.ts"
export * as V3 from "./V3.ts"
