import * as Schema from "effect/Schema"
import { DecimalString } from "../DecimalString.ts"
import { Identifier } from "../Identifier.ts"
import { answer, JsonObject, openRecord, undescribed } from "../OpenRecord.ts"
import { openStatus } from "../OpenStatus.ts"
import { Timestamp } from "../Timestamp.ts"
import { runStatuses, terminalRunStatuses } from "../Wire.ts"

/** The body of `POST /runs`: the instruction, provider-native reasoning values, and any field that isn't described. */
export const RunCreate = openRecord({
  task: Schema.String,
  modelParams: Schema.optionalKey(JsonObject)
}).annotate({ identifier: "RunCreate" })

/**
 * Fields of `POST /runs` that published clients send, and the description doesn't show. They are types alone: the service
 * checks their values.
 */
export interface RunOptions {
  /** Makes the run the next one of this session. */
  readonly sessionId?: string
  /** The name of the model, as the service knows it. */
  readonly model?: string
  /** The most that the run may cost, in USD. */
  readonly maxCostUsd?: number | string
  /** The settings of the run's browser. A service may refuse settings that it can't honor. */
  readonly browserSettings?: {
    readonly profileId?: string | null
    readonly proxyCountryCode?: string | null
    readonly customProxy?: JsonObject | null
    readonly screenWidth?: number
    readonly screenHeight?: number
    readonly record?: boolean
  }
}

/** The body of `POST /runs`. */
export type RunCreate = typeof RunCreate.Type & RunOptions

/** Status of a run. Described are the terminal ones: `completed`, `failed`, `cancelled`. */
export const RunStatus = openStatus(runStatuses)

/** Status of a run. */
export type RunStatus = typeof RunStatus.Type

/** Returns whether a run's status is final: `completed`, `failed` or `cancelled`. An unknown status isn't. */
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
  cost: undescribed(Schema.NullOr(DecimalString)),
  // fields that published clients read
  title: undescribed(Schema.NullOr(Schema.String)),
  model: undescribed(Schema.NullOr(Schema.String)),
  contextLimit: undescribed(Schema.NullOr(Schema.Int)),
  workspaceId: undescribed(Schema.NullOr(Identifier)),
  attachedFileIds: undescribed(Schema.NullOr(Schema.Array(Identifier))),
  judgement: undescribed(Schema.NullOr(JsonObject)),
  totalInputTokens: undescribed(Schema.NullOr(Schema.Int)),
  totalOutputTokens: undescribed(Schema.NullOr(Schema.Int)),
  totalCostUsd: undescribed(Schema.NullOr(DecimalString)),
  updatedAt: undescribed(Timestamp)
}

/** The response to `POST /runs`: "the run, which includes id". Only the id is certain. */
export const CreatedRun = answer({
  id: Identifier,
  status: undescribed(RunStatus),
  ...undescribedFields,
  eventsUrl: undescribed(Schema.String),
  missingFileIds: undescribed(Schema.Array(Identifier))
}).annotate({ identifier: "CreatedRun" })

/** The response to `POST /runs`. */
export type CreatedRun = typeof CreatedRun.Type

/**
 * The full run: an id, a status and, once terminal, a result. `cost` is a decimal string in USD, and `totalCostUsd` is
 * another name of it.
 */
export const Run = answer({
  id: Identifier,
  status: RunStatus,
  ...undescribedFields
}).annotate({ identifier: "Run" })

/** The full run. */
export type Run = typeof Run.Type

/** The response of the cheap status endpoint. */
export const RunStatusView = answer({ status: RunStatus }).annotate({ identifier: "RunStatusView" })

/** The response of the cheap status endpoint. */
export type RunStatusView = typeof RunStatusView.Type
