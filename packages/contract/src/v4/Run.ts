import * as Schema from "effect/Schema"
import { DecimalString } from "../DecimalString.ts"
import { Identifier } from "../Identifier.ts"
import { answer, JsonObject, openRecord, undescribed } from "../OpenRecord.ts"
import { openStatus } from "../OpenStatus.ts"
import { Timestamp } from "../Timestamp.ts"
import { runStatuses, terminalRunStatuses } from "../Wire.ts"

/** What `POST /runs` takes: the instruction, provider-native reasoning values, and anything not described. */
export const RunCreate = openRecord({
  task: Schema.String,
  modelParams: Schema.optionalKey(JsonObject)
}).annotate({ identifier: "RunCreate" })

/** What `POST /runs` takes. */
export type RunCreate = typeof RunCreate.Type

/** Status of a run. Described are the terminal ones: `completed`, `failed`, `cancelled`. */
export const RunStatus = openStatus(runStatuses)

/** Status of a run. */
export type RunStatus = typeof RunStatus.Type

/** Whether nothing more happens to a run: `completed`, `failed`, `cancelled`. An unknown status is not terminal. */
export const isTerminalRunStatus = (status: string): boolean =>
  (terminalRunStatuses as ReadonlyArray<string>).includes(status)

const undescribedFields = {
  sessionId: undescribed(Schema.NullOr(Identifier)),
  task: undescribed(Schema.String),
  modelParams: undescribed(Schema.NullOr(JsonObject)),
  result: undescribed(Schema.Unknown),
  error: undescribed(Schema.NullOr(Schema.String)),
  createdAt: undescribed(Timestamp),
  startedAt: undescribed(Schema.NullOr(Timestamp)),
  finishedAt: undescribed(Schema.NullOr(Timestamp)),
  cost: undescribed(Schema.NullOr(DecimalString))
}

/** What `POST /runs` answers: "the run, which includes id". Nothing else of it is certain. */
export const CreatedRun = answer({
  id: Identifier,
  status: undescribed(RunStatus),
  ...undescribedFields
}).annotate({ identifier: "CreatedRun" })

/** What `POST /runs` answers. */
export type CreatedRun = typeof CreatedRun.Type

/** The full run: an id, a status and, once terminal, a result. `cost` is a decimal string in USD. */
export const Run = answer({
  id: Identifier,
  status: RunStatus,
  ...undescribedFields
}).annotate({ identifier: "Run" })

/** The full run. */
export type Run = typeof Run.Type

/** What the cheap status look-up answers. */
export const RunStatusView = answer({ status: RunStatus }).annotate({ identifier: "RunStatusView" })

/** What the cheap status look-up answers. */
export type RunStatusView = typeof RunStatusView.Type
