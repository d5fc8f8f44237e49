import * as Schema from "effect/Schema"

/**
 * An id that the description calls "string, uuid": 8-4-4-4-12 hexadecimal digits of any version, in any case.
 * Only v2's ids are described so.
 */
export const Uuid = /* @__PURE__ */ (() => Schema.String.check(Schema.isGUID()))()

/** An id whose form the description does not show (v3, v4): any text that is not empty. */
export const Identifier = Schema.String.check(Schema.isMinLength(1))
