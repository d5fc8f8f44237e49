import * as Schema from "effect/Schema"

/** A person's word that someone is working on a problem: it still fails runs, but sends no reminders. */
export const Acknowledgement = Schema.Struct({
  /** Who is working on it: a team, a person or a handle. */
  owner: Schema.String,
  /** When it was acknowledged. */
  at: Schema.String,
  /** The last day on which it holds, such as `2026-12-01`; absent if it holds until the problem is over. */
  until: Schema.optionalKey(Schema.String),
  note: Schema.optionalKey(Schema.String)
})
export type Acknowledgement = typeof Acknowledgement.Type
