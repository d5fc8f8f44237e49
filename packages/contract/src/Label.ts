import * as Schema from "effect/Schema"

/** An optional name that a caller gives to a record; null clears it. Postgres stores no text with a NUL. */
export const Label = Schema.optionalKey(
  Schema.NullOr(
    Schema.String.check(
      Schema.isMaxLength(255, { message: "Expected at most 255 characters" }),
      Schema.isPattern(/^[^\0]*$/u, { message: "Expected text without the character NUL" })
    )
  )
)
