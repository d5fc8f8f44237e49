import * as Schema from "effect/Schema"
import { Uuid } from "../Identifier.ts"
import { numberedQuery } from "../PageQuery.ts"
import { Timestamp } from "../Timestamp.ts"
import { SessionStatus } from "./Session.ts"
import { TaskStatus } from "./Task.ts"

/** The query of `GET /sessions`. `filterBy` is a status. */
export const SessionListQuery = Schema.Struct({ ...numberedQuery, filterBy: Schema.optionalKey(SessionStatus) })
export type SessionListQuery = typeof SessionListQuery.Type

/** The query of `GET /tasks`. `filterBy` is a status; `after` and `before` bound the time of creation. */
export const TaskListQuery = Schema.Struct({
  ...numberedQuery,
  sessionId: Schema.optionalKey(Uuid),
  filterBy: Schema.optionalKey(TaskStatus),
  after: Schema.optionalKey(Timestamp),
  before: Schema.optionalKey(Timestamp)
})
export type TaskListQuery = typeof TaskListQuery.Type
