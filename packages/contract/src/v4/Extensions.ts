import { AccountExtensions } from "../Account.ts"
import { type Operations, withQueries } from "../Operation.ts"
import { ProfileExtensions } from "../Profile.ts"
import { browserQueries, profileQueries, workspaceQueries } from "../Queries.ts"
import { WorkspaceExtensions } from "../Workspace.ts"
import { BrowserExtensions } from "../BrowserExtensions.ts"
import { DownloadExtensions } from "../Downloads.ts"
import { RunEventsQuery, RunListQuery, SessionListQuery } from "./Queries.ts"
import { listEvents } from "./RunEvents.ts"
import { RunExtensions } from "./RunExtensions.ts"
import { SessionExtensions } from "./SessionExtensions.ts"

/**
 * The operations of API v4 that the description doesn't show, as published clients call them. A service may lack them:
 * it responds with 404 or 405.
 */
export const V4Extensions = {
  runs: withQueries({ ...RunExtensions, events: listEvents }, { list: RunListQuery, events: RunEventsQuery }),
  sessions: withQueries(SessionExtensions, { list: SessionListQuery }),
  browsers: withQueries({ ...BrowserExtensions, ...DownloadExtensions }, browserQueries),
  profiles: withQueries(ProfileExtensions, profileQueries),
  workspaces: withQueries(WorkspaceExtensions, workspaceQueries),
  billing: AccountExtensions
} as const satisfies Operations
