// What a call or a wait can fail with, so that a program needs to name this package alone.
export { HTTPValidationError, SessionNotFoundError, UnauthorizedError } from "@webagent/contract"
export { type CallError, TooManyRequestsError, type TotalCost, TransportError } from "@webagent/core"
export { WaitTimeoutError } from "@webagent/polling"

export * from "./Cost.ts"
export * as Outcome from "./Outcome.ts"
export * from "./Sessions.ts"
export type { SessionError } from "./SessionWaiter.ts"
export * as V2 from "./V2.ts"
