import { AccountExtensions } from "../Account.ts"
import type { Operations } from "../Operation.ts"
import { ProfileExtensions } from "../Profile.ts"
import { WorkspaceExtensions } from "../Workspace.ts"
import { BrowserExtensions } from "../BrowserExtensions.ts"
import { RunExtensions } from "./RunExtensions.ts"
import { SessionExtensions } from "./SessionExtensions.ts"

/**
 * The operations of API v4 that the description doesn't show, as published clients call them. A service may lack them:
 * it responds with 404 or 405.
 */
export const V4Extensions = {
  runs: RunExtensions,
  sessions: SessionExtensions,
  browsers: BrowserExtensions,
  profiles: ProfileExtensions,
  workspaces: WorkspaceExtensions,
  billing: AccountExtensions
} as const satisfies Operations
