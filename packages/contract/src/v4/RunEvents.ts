import * as Schema from "effect/Schema"
import { RunNotFoundError } from "../Errors.ts"
import { Identifier } from "../Identifier.ts"
import { answer, JsonObject, undescribed } from "../OpenRecord.ts"
import { openStatus } from "../OpenStatus.ts"
import type { Operation } from "../Operation.ts"
import { Timestamp } from "../Timestamp.ts"
import { runEventTypes, runOperations as extensions } from "../Wire.ts"

/**
 * Type of a run's event: `run.` and the run's new status, or that a step began, succeeded or failed, or that a person took
 * control of the run's browser, released it, or had it until its time was over, that the run waits
 * for a browser, or that it waits for a person (`run.waiting`), was answered, or had no answer in time.
 */
export const RunEventType = openStatus(runEventTypes)
export type RunEventType = typeof RunEventType.Type

/**
 * An event of a run. Ids grow, but aren't consecutive, because events of all runs share them. `data` has the `status`
 * and, for a step, its number as `step`. For a run that waits for a browser, it has its place as `browserQueue`, and for one that
 * asks a person the question's id as `questionId`.
 */
export const RunEvent = answer({
  runId: undescribed(Identifier),
  id: Schema.Int,
  ts: undescribed(Timestamp),
  type: RunEventType,
  data: undescribed(JsonObject)
}).annotate({ identifier: "RunEvent" })
export type RunEvent = typeof RunEvent.Type

/**
 * A page of a run's events, oldest first. Pass `nextAfter` as `after` to get the next ones, even if there are none yet.
 * `reset` is true if events before this page are no longer stored, as an event `reset` says it in a stream.
 */
export const RunEvents = answer({
  events: Schema.Array(RunEvent),
  nextAfter: undescribed(Schema.NullOr(Schema.Int)),
  hasMore: undescribed(Schema.Boolean),
  reset: undescribed(Schema.Boolean)
}).annotate({ identifier: "RunEvents" })
export type RunEvents = typeof RunEvents.Type

/** The operation on a run's events that the description doesn't show. */
export const listEvents = {
  ...extensions.listEvents,
  params: Schema.Struct({ run_id: Identifier }),
  success: RunEvents,
  errors: [RunNotFoundError]
} as const satisfies Operation
