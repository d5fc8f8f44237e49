export * from "@webagent/core/promise"
export * from "./Errors.ts"
export type {
  CompletedSession,
  Session,
  SessionCreate,
  SessionMessage,
  SessionMessages,
  SessionPage,
  SessionStatus
} from "./Session.ts"
export type {
  CreateAndWaitOptions,
  SessionListOptions,
  SessionMessagesOptions,
  Sessions,
  SessionWaitOptions
} from "./Sessions.ts"
export * from "./WebAgent.ts"
