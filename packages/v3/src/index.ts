// What a call or a wait can fail with, so that a program needs to name this package alone.
export { HTTPValidationError, SessionNotFoundError, UnauthorizedError } from "@webagent/contract"
export {
  type CallError,
  type CreateError,
  CreateOutcomeUnknown,
  TooManyRequestsError,
  TransportError
} from "@webagent/core"
export { WaitTimeoutError } from "@webagent/polling"

export * from "./Sessions.ts"
export type { SessionError } from "./SessionWaiter.ts"
export * as V3 from "./V3.ts"
