export * from "@webagent/core/promise"
export type {
  Browser,
  BrowserCreate,
  BrowserListOptions,
  BrowserPage,
  Browsers,
  OwnedBrowser,
  UpdatedBrowser
} from "./Browsers.ts"
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
