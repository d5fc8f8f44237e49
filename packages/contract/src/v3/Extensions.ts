import * as Schema from "effect/Schema"
import { AccountExtensions } from "../Account.ts"
import type { Operations } from "../Operation.ts"
import { numberedQuery, pageQuery } from "../Pagination.ts"
import { ProfileExtensions } from "../Profile.ts"
import { v3Extensions as extensions } from "../Wire.ts"
import { WorkspaceExtensions, WorkspaceList } from "../Workspace.ts"
import { BrowserExtensions } from "./BrowserExtensions.ts"
import { SessionExtensions } from "./SessionExtensions.ts"

/** The query of `GET /profiles`: a part of a name, in any case, and a page by its number. */
export const ProfileListQuery = Schema.Struct({ query: Schema.optionalKey(Schema.String), ...pageQuery })

/** The query of `GET /profiles`. */
export type ProfileListQuery = typeof ProfileListQuery.Type

/**
 * The operations of API v3 that the description doesn't show, as published clients call them. A service may lack them:
 * it responds with 404 or 405.
 */
export const V3Extensions = {
  sessions: SessionExtensions,
  browsers: BrowserExtensions,
  profiles: {
    ...ProfileExtensions,
    list: { ...ProfileExtensions.list, query: ProfileListQuery }
  },
  workspaces: {
    ...WorkspaceExtensions,
    list: { ...extensions.listWorkspaces, query: Schema.Struct(numberedQuery), success: WorkspaceList }
  },
  billing: AccountExtensions
} as const satisfies Operations
