import { AccountExtensions } from "../Account.ts"
import { AllBrowserOperations } from "../AllBrowserOperations.ts"
import { type Operations, withQueries } from "../Operation.ts"
import { ProfileExtensions } from "../Profile.ts"
import { browserQueries, profileQueries } from "../Queries.ts"
import { SessionListQuery, TaskListQuery } from "./Queries.ts"
import { SessionExtensions } from "./SessionExtensions.ts"
import { TaskExtensions } from "./TaskExtensions.ts"

/** The operations of API v2 that the description doesn't show, as published clients call them. A service may lack them. */
export const V2Extensions = {
  tasks: withQueries(TaskExtensions, { list: TaskListQuery }),
  sessions: withQueries(SessionExtensions, { list: SessionListQuery }),
  browsers: withQueries(AllBrowserOperations, browserQueries),
  profiles: withQueries(ProfileExtensions, profileQueries),
  billing: AccountExtensions
} as const satisfies Operations
