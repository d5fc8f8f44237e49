import * as Schema from "effect/Schema"
import { AccountExtensions } from "../Account.ts"
import { AllBrowserOperations } from "../AllBrowserOperations.ts"
import { type Operations, withQueries } from "../Operation.ts"
import { numberedQuery } from "../PageQuery.ts"
import { ProfileExtensions } from "../Profile.ts"
import { browserQueries, workspaceQueries } from "../Queries.ts"
import { v3Extensions as extensions } from "../Wire.ts"
import { WorkspaceExtensions, WorkspaceList } from "../Workspace.ts"
import { ProfileListQuery, SessionListQuery, SessionMessagesQuery } from "./Queries.ts"
import { SessionExtensions } from "./SessionExtensions.ts"

/**
 * The operations of API v3 that the description doesn't show, as published clients call them. A service may lack them:
 * it responds with 404 or 405.
 */
export const V3Extensions = {
  sessions: withQueries(SessionExtensions, { list: SessionListQuery, messages: SessionMessagesQuery }),
  browsers: withQueries(AllBrowserOperations, browserQueries),
  profiles: withQueries(ProfileExtensions, { list: ProfileListQuery }),
  workspaces: {
    ...withQueries(WorkspaceExtensions, workspaceQueries),
    list: { ...extensions.listWorkspaces, query: Schema.Struct(numberedQuery), success: WorkspaceList }
  },
  billing: AccountExtensions
} as const satisfies Operations
