import * as Schema from "effect/Schema"
import { Identifier } from "../Identifier.ts"
import { afterQuery, cursorQuery } from "../PageQuery.ts"

/** The query of `GET /runs`: the runs of one session, or all of the key's. */
export const RunListQuery = Schema.Struct({ sessionId: Schema.optionalKey(Identifier), ...cursorQuery })
export type RunListQuery = typeof RunListQuery.Type

/** The query of `GET /sessions`. */
export const SessionListQuery = Schema.Struct(cursorQuery)
export type SessionListQuery = typeof SessionListQuery.Type

/** The query of `GET /runs/{run_id}/events`: the events after the one with this id. */
export const RunEventsQuery = Schema.Struct(afterQuery)
export type RunEventsQuery = typeof RunEventsQuery.Type
