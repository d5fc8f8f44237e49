import * as Schema from "effect/Schema"
import { DecimalString } from "../DecimalString.ts"
import { Identifier } from "../Identifier.ts"
import { answer, JsonObject, openRecord, undescribed } from "../OpenRecord.ts"
import type { RunOptions, RunReplay } from "../Options.ts"
import { openStatus } from "../OpenStatus.ts"
import { Timestamp } from "../Timestamp.ts"
import { runStatuses, terminalRunStatuses } from "../Wire.ts"

/** The body of `POST /runs`: the instruction, provider-native reasoning values, and any field that isn't described. */
export const RunCreate = openRecord({
  task: Schema.String,
  modelParams: Schema.optionalKey(JsonObject)
}).annotate({ identifier: "RunCreate" })

/** The body of `POST /runs`. */
export type RunCreate = typeof RunCreate.Type & RunOptions

/** Status of a run. Described are the terminal ones: `completed`, `failed`, `cancelled`. */
export const RunStatus = openStatus(runStatuses)
export type RunStatus = typeof RunStatus.Type

/** Returns whether a run's status is final: `completed`, `failed` or `cancelled`. An unknown status isn't. */
export const isTerminalRunStatus = (status: string): boolean =>
  (terminalRunStatuses as ReadonlyArray<string>).includes(status)

/** The question that a run waits for. It's a type alone: a client keeps what the service sends. */
export interface WaitingFor {
  readonly id: string
  /** `question`, `approval`, `sign_in`, `captcha`, `payment` or `max_cost`. */
  readonly reason: string
  /** `agent`, `rule` or `api`. */
  readonly askedBy: string
  readonly question: string
  /** The answers to choose from; null for any text. */
  readonly choices: ReadonlyArray<string> | null
  readonly askedAt: string
  readonly deadline: string
  /** `fail`, `skip` or `continue`. */
  readonly whenUnanswered: string
  readonly pausesTimeLimit: boolean
}

/** An object whose fields have types and aren't checked. */
type Unchecked<A> = ReturnType<typeof undescribed<Schema.NullOr<Schema.Codec<A, JsonObject>>>>

// fields of our server, and those that published clients read
const undescribedFields = {
  sessionId: undescribed(Schema.NullOr(Identifier)),
  workspaceId: undescribed(Schema.NullOr(Identifier)),
  task: undescribed(Schema.String),
  modelParams: undescribed(Schema.NullOr(JsonObject)),
  judgement: undescribed(Schema.NullOr(JsonObject)),
  waitingFor: undescribed(Schema.NullOr(JsonObject)) as object as Unchecked<WaitingFor>,
  replay: undescribed(Schema.NullOr(JsonObject)) as object as Unchecked<RunReplay>,
  result: undescribed(Schema.Unknown),
  error: undescribed(Schema.NullOr(Schema.String)),
  title: undescribed(Schema.NullOr(Schema.String)),
  model: undescribed(Schema.NullOr(Schema.String)),
  createdAt: undescribed(Timestamp),
  updatedAt: undescribed(Timestamp),
  startedAt: undescribed(Schema.NullOr(Timestamp)),
  finishedAt: undescribed(Schema.NullOr(Timestamp)),
  cost: undescribed(Schema.NullOr(DecimalString)),
  totalCostUsd: undescribed(Schema.NullOr(DecimalString)),
  contextLimit: undescribed(Schema.NullOr(Schema.Int)),
  totalInputTokens: undescribed(Schema.NullOr(Schema.Int)),
  totalOutputTokens: undescribed(Schema.NullOr(Schema.Int)),
  attachedFileIds: undescribed(Schema.NullOr(Schema.Array(Identifier)))
}

/** The response to `POST /runs`: "the run, which includes id". Only the id is certain. */
export const CreatedRun = answer({
  id: Identifier,
  status: undescribed(RunStatus),
  ...undescribedFields,
  eventsUrl: undescribed(Schema.String),
  missingFileIds: undescribed(Schema.Array(Identifier))
}).annotate({ identifier: "CreatedRun" })
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
export type Run = typeof Run.Type

/** The response of the cheap status endpoint. */
export const RunStatusView = answer({ status: RunStatus }).annotate({ identifier: "RunStatusView" })
export type RunStatusView = typeof RunStatusView.Type
