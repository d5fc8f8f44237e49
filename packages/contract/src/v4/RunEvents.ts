import * as Schema from "effect/Schema"
import { RunNotFoundError } from "../Errors.ts"
import { Identifier } from "../Identifier.ts"
import { answer, JsonObject, undescribed } from "../OpenRecord.ts"
import { openStatus } from "../OpenStatus.ts"
import type { Operation } from "../Operation.ts"
import { Timestamp } from "../Timestamp.ts"
import { runEventTypes, runOperations as extensions } from "../Wire.ts"

/** Type of a run's event: `run.` and the run's new status, or that a step began, succeeded or failed. */
export const RunEventType = openStatus(runEventTypes)

/** Type of a run's event. */
export type RunEventType = typeof RunEventType.Type

/**
 * An event of a run. Ids grow, but aren't consecutive, because events of all runs share them. `data` has the `status`
 * and, for a step, its number as `step`.
 */
export const RunEvent = answer({
  runId: undescribed(Identifier),
  id: Schema.Int,
  ts: undescribed(Timestamp),
  type: RunEventType,
  data: undescribed(JsonObject)
}).annotate({ identifier: "RunEvent" })

/** An event of a run. */
export type RunEvent = typeof RunEvent.Type

/** A page of a run's events, oldest first. Pass `nextAfter` as `after` to get the next ones, even if there are none yet. */
export const RunEvents = answer({
  events: Schema.Array(RunEvent),
  nextAfter: undescribed(Schema.NullOr(Schema.Int)),
  hasMore: undescribed(Schema.Boolean)
}).annotate({ identifier: "RunEvents" })

/** A page of a run's events, oldest first. */
export type RunEvents = typeof RunEvents.Type

/** The operation on a run's events that the description doesn't show. */
export const listEvents = {
  ...extensions.listEvents,
  params: Schema.Struct({ run_id: Identifier }),
  success: RunEvents,
  errors: [RunNotFoundError]
} as const satisfies Operation
