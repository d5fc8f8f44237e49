import * as Schema from "effect/Schema"

/**
 * Accepts what the description's pattern accepts, in linear time. The description's own,
 * `^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$`, takes seconds to refuse two thousand zeros and an x, and decoders meet text
 * from the network. `test/DecimalString.test.ts` compares the two on every short string.
 */
export const decimalPattern = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/u

/** A decimal number as text, in USD or MB as the field says: `"0"`, `"1.5"`, `"+.5"`, `"-3."`. */
export const DecimalString = /* @__PURE__ */ (() =>
  Schema.String.check(Schema.isPattern(decimalPattern, { message: "Expected a decimal number string" })))()
