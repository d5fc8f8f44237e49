export * from "@webagent/core/promise"
export { totalCost } from "../Cost.ts"
export type { Browser, BrowserCreate, Browsers, OwnedBrowser, UpdatedBrowser } from "./Browsers.ts"
export * from "./Errors.ts"
export { WaitTimeoutError } from "./Errors.ts"
export type { CompletedRun, CreatedRun, Run, RunCreate, RunStatus, RunStatusView } from "./Run.ts"
export type {
  CreateAndWaitOptions,
  OwnWaitOptions,
  RunAll,
  RunAllOptions,
  RunProgress,
  Runs,
  WithResult
} from "./Runs.ts"
export type { FollowUp, FollowUpAndWaitOptions, NextRun, QueuedMessage, Sessions } from "./Sessions.ts"
export * from "./WebAgent.ts"
