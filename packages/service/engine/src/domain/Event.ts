import * as Schema from "effect/Schema"
import { Moment, OptionalText } from "./Fields.ts"

/** That a session, turn or browser is new (`from` is null) or has another status. */
export const Event = Schema.Struct({
  at_ms: Moment,
  of: Schema.Literals(["session", "turn", "browser"]),
  id: Schema.String,
  /** Of a turn. */
  sessionId: OptionalText,
  owner: OptionalText,
  from: OptionalText,
  to: Schema.String
})

export type Event = typeof Event.Type
