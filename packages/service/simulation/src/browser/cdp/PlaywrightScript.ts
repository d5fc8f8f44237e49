import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Source, Value } from "./Literal.ts"

/**
 * Playwright evaluates through a script that it puts into each page. A simulated page runs no script: it knows this one
 * by its name, reads its arguments, and answers in its encoding.
 */
export const isInstallation = (expression: string): boolean =>
  expression.includes("new (module.exports.UtilityScript())")

/** Which function of the script is called, if this is a call of it. */
export const called = (functionDeclaration: string): "evaluate" | "jsonValue" | undefined => {
  const match = /utilityScript\.(evaluate|jsonValue)\(/u.exec(functionDeclaration.slice(0, 200))?.[1]
  return match === "evaluate" || match === "jsonValue" ? match : undefined
}

/** A value in Playwright's encoding. */
export const encode = (value: Value): unknown => {
  let last = 0
  const write = (part: Value): unknown => {
    if (part === undefined || part === null) return { v: String(part) }
    if (typeof part === "number") {
      return Number.isFinite(part) && !Object.is(part, -0) ? part : { v: Object.is(part, -0) ? "-0" : String(part) }
    }
    if (typeof part !== "object") return part
    const id = ++last
    if (Array.isArray(part)) return { a: part.map(write), id }
    return { o: Object.entries(part).map(([k, inner]) => ({ k, v: write(inner) })), id }
  }
  return write(value)
}

const Call = Schema.TupleWithRest(
  Schema.Tuple([Schema.UndefinedOr(Schema.Boolean), Schema.UndefinedOr(Schema.Boolean), Schema.String, Schema.Int]),
  [Schema.Unknown]
)
const decodeCall = Schema.decodeUnknownOption(Call)

/** Returns the source that the script is called with, out of the arguments after the script itself. */
export const source = (values: ReadonlyArray<unknown>, held: Value): Option.Option<Source> =>
  Option.map(decodeCall(values), ([isFunction, , text]) => ({ text, called: isFunction, held }))
