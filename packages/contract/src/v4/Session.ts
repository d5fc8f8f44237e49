import * as Schema from "effect/Schema"
import { Identifier } from "../Identifier.ts"
import { answer, openRecord, undescribed } from "../OpenRecord.ts"
import { openStatus } from "../OpenStatus.ts"
import { Timestamp } from "../Timestamp.ts"
import { messageModes, messageStatuses } from "../Wire.ts"

/**
 * A follow-up for a session. With `interrupt` false it runs as the next turn, with true it runs immediately.
 */
export const QueueMessage = openRecord({
  text: Schema.String,
  interrupt: Schema.Boolean
}).annotate({ identifier: "QueueMessage" })
export type QueueMessage = typeof QueueMessage.Type

/**
 * The response to queueing a message. The description doesn't show it, so every field is optional for a reader; `runId`
 * is the run that the message becomes, which you can wait for.
 */
export const QueuedMessage = answer({
  // our server's are numbers: the place of the message's run in its session
  id: undescribed(Schema.Union([Schema.Int, Identifier])),
  sessionId: undescribed(Identifier),
  // what one waits for: another form of it is told, and not left out
  runId: Schema.optionalKey(Schema.NullOr(Identifier)),
  mode: undescribed(openStatus(messageModes)),
  status: undescribed(openStatus(messageStatuses)),
  text: undescribed(Schema.String),
  attachedFileIds: undescribed(Schema.NullOr(Schema.Array(Identifier))),
  createdAt: undescribed(Timestamp)
}).annotate({ identifier: "QueuedMessage" })
export type QueuedMessage = typeof QueuedMessage.Type
