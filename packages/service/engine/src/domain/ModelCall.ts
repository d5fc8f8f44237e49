import * as Schema from "effect/Schema"
import { Moment, OptionalText } from "./Fields.ts"

/** Tokens that a model read and wrote, as its provider counted them. */
export const Tokens = Schema.Struct({ input: Schema.Int, output: Schema.Int })

export type Tokens = typeof Tokens.Type

const fields = {
  /** When the model was asked, in milliseconds since 1970. */
  at_ms: Moment,
  duration_ms: Schema.Finite,
  /** The model that was asked: the configured one, or a fallback. */
  model: Schema.String,
  /** Null if the provider counted none, for example because the call failed. */
  tokens: Schema.NullOr(Tokens),
  /** In USD; null is unknown. */
  cost: OptionalText,
  /** Ordinal of the step that the call was made for; null for a call that belongs to no step, such as a judge's. */
  step: Schema.NullOr(Schema.Int),
  /** The reason why it failed, or null. */
  failure: OptionalText
}

const Report = Schema.Struct(fields)

/** A call of a language model, as an agent reports it. */
export type ModelCallReport = typeof Report.Type

/** A call that an agent made of a language model. A run's costs and tokens are the sums of its calls. */
export const ModelCall = Schema.Struct({
  turnId: Schema.String,
  /** 1 is the turn's first. */
  ordinal: Schema.Int,
  ...fields
})

export type ModelCall = typeof ModelCall.Type
