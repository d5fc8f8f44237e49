import * as Schema from "effect/Schema"
import { Moment, OptionalText } from "./Fields.ts"

/** A follow-up that a session was sent. Its text is the task of its turn. */
export const StoredMessage = Schema.Struct({
  id: Schema.String,
  sessionId: Schema.String,
  turnId: Schema.String,
  owner: OptionalText,
  interrupt: Schema.Boolean,
  createdAt_ms: Moment
})

export type StoredMessage = typeof StoredMessage.Type
