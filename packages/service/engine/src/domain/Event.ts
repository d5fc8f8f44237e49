import * as Schema from "effect/Schema"
import { Moment, OptionalText } from "./Fields.ts"

/**
 * That a session, turn or browser is new (`from` is null) or has another status, or that a step of a turn began (`to` is
 * `running`) or finished (`succeeded` or `failed`).
 */
export const Event = Schema.Struct({
  at_ms: Moment,
  of: Schema.Literals(["session", "turn", "browser", "step"]),
  /** Of a step, the id of its turn. */
  id: Schema.String,
  /** Ordinal of a step. */
  step: Schema.optionalKey(Schema.Int),
  /** Of a turn or a step. */
  sessionId: OptionalText,
  owner: OptionalText,
  from: OptionalText,
  to: Schema.String
})

export type Event = typeof Event.Type

/** Returns the id of the turn that an event is about, or null. */
export const turnIdOf = ({ id, of }: Event): string | null => (of === "turn" || of === "step" ? id : null)
