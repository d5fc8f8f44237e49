import * as Schema from "effect/Schema"

/** Milliseconds since 1970, in the years 0 to 9999: others are not written as dates are. */
export const Moment = Schema.Finite.check(
  Schema.isBetween({ minimum: -62_167_219_200_000, maximum: 253_402_300_799_999 })
)
export const OptionalMoment = Schema.NullOr(Moment)
export const OptionalText = Schema.NullOr(Schema.String)
