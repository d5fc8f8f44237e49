export * from "@webagent/core/promise"
export * from "./Cost.ts"
export * from "./Errors.ts"
export type {
  CompletedRun,
  CreatedRun,
  Run,
  RunAttachment,
  RunCreate,
  RunPage,
  RunStatus,
  RunStatusView
} from "./Run.ts"
export type {
  CreateAndWaitOptions,
  RunAll,
  RunAllOptions,
  RunListOptions,
  RunProgress,
  Runs,
  RunWaitOptions
} from "./Runs.ts"
export type {
  FollowUp,
  FollowUpAndWaitOptions,
  NextRun,
  QueuedMessage,
  QueuedMessages,
  SessionInfo,
  SessionListOptions,
  SessionPage,
  Sessions
} from "./Sessions.ts"
export * from "./WebAgent.ts"
