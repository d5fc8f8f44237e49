import * as Schema from "effect/Schema"
import { QueuePlace } from "./BrowserQueue.ts"
import { Moment, OptionalText } from "./Fields.ts"

/** Changes of a browser's control. */
const controlChanges = ["taken", "released", "expired"] as const

/** Changes of a question to a person. */
export const questionChanges = ["waiting", "answered", "unanswered"] as const

/** A change of a browser's control by a person. */
export type ControlChange = (typeof controlChanges)[number]

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
  to: Schema.String,
  /** Of a browser and of its agent's turn, whose status stays the same: a person took control or no longer has it. */
  control: Schema.optionalKey(Schema.Literals(controlChanges)),
  /** Of a turn, whose status stays the same: it waits for a free browser, at this place. */
  browserQueue: Schema.optionalKey(QueuePlace),
  /** Of a turn, whose status stays the same: it asks a person, was answered, or had no answer in time. */
  question: Schema.optionalKey(Schema.Struct({ id: Schema.String, change: Schema.Literals(questionChanges) }))
})

export type Event = typeof Event.Type

/** Returns the id of the turn that an event is about, or null. */
export const turnIdOf = ({ id, of }: Event): string | null => (of === "turn" || of === "step" ? id : null)
