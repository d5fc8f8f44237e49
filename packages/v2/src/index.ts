export * from "./Sessions.ts"
export type { SessionError } from "./SessionWaiter.ts"
export * as V2 from "./V2.ts"
