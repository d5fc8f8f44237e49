import * as Schema from "effect/Schema"
import { DecimalString } from "../DecimalString.ts"
import { Identifier } from "../Identifier.ts"
import { answer, JsonObject, openRecord, undescribed } from "../OpenRecord.ts"
import { openStatus } from "../OpenStatus.ts"
import { Timestamp } from "../Timestamp.ts"
import { terminalV3SessionStatuses, v3SessionStatuses } from "../Wire.ts"

/** The body of `POST /sessions`: the instruction, and any field that the description doesn't list. */
export const SessionCreate = openRecord({
  task: Schema.String,
  // named in the description, but of no type
  thinkingLevel: Schema.optionalKey(Schema.Unknown)
}).annotate({ identifier: "SessionCreate" })
export type SessionCreate = typeof SessionCreate.Type

/** Status of a v3 session. None is described; the known ones are our server's. */
export const V3SessionStatus = openStatus(v3SessionStatuses)
export type V3SessionStatus = typeof V3SessionStatus.Type

/** Returns whether a v3 session's result is final. An unknown status isn't. */
export const isTerminalSessionStatus = (status: string): boolean =>
  (terminalV3SessionStatuses as ReadonlyArray<string>).includes(status)

/**
 * A v3 session. The description promises a result from the read endpoint and nothing else; `id` is what makes
 * reading possible. The other fields are what our server sends and are all optional to a reader.
 */
export const Session = answer({
  id: Identifier,
  status: undescribed(V3SessionStatus),
  result: undescribed(Schema.Unknown),
  task: undescribed(Schema.String),
  thinkingLevel: undescribed(Schema.NullOr(Schema.String)),
  liveUrl: undescribed(Schema.NullOr(Schema.String)),
  createdAt: undescribed(Timestamp),
  updatedAt: undescribed(Timestamp),
  // of all its turns together, in USD
  cost: undescribed(Schema.NullOr(DecimalString)),
  // fields that published clients read
  output: undescribed(Schema.Unknown),
  isTaskSuccessful: undescribed(Schema.NullOr(Schema.Boolean)),
  model: undescribed(Schema.NullOr(Schema.String)),
  title: undescribed(Schema.NullOr(Schema.String)),
  stepCount: undescribed(Schema.Int),
  recordingUrls: undescribed(Schema.Array(Schema.String)),
  totalInputTokens: undescribed(Schema.Int),
  totalOutputTokens: undescribed(Schema.Int),
  totalCostUsd: undescribed(Schema.NullOr(DecimalString)),
  outputSchema: undescribed(Schema.NullOr(JsonObject)),
  maxCostUsd: undescribed(Schema.NullOr(DecimalString)),
  proxyUsedMb: undescribed(DecimalString),
  llmCostUsd: undescribed(Schema.NullOr(DecimalString)),
  proxyCostUsd: undescribed(DecimalString),
  browserCostUsd: undescribed(DecimalString)
}).annotate({ identifier: "Session" })
export type Session = typeof Session.Type
