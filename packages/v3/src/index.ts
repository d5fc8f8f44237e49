export * from "./Sessions.ts"
export type { SessionError } from "./SessionWaiter.ts"
export * as V3 from "./V3.ts"
