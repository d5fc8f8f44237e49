import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Source, Value } from "./Evaluation.ts"

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

const specials: Readonly<Record<string, Value>> = {
  undefined: undefined,
  null: null,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
  "-0": -0
}

const deepest = 128

const Special = Schema.Struct({ v: Schema.String })
const Handle = Schema.Struct({ h: Schema.Int })
const List = Schema.Struct({ a: Schema.Array(Schema.Unknown) })
const Fields = Schema.Struct({ o: Schema.Array(Schema.Struct({ k: Schema.String, v: Schema.Unknown })) })

const isSpecial = Schema.is(Special)
const isHandle = Schema.is(Handle)
const isList = Schema.is(List)
const isFields = Schema.is(Fields)

/** A value out of Playwright's encoding; dates, patterns and the like are nothing that a simulated page knows. */
export const decode = (encoded: unknown, handles: ReadonlyArray<Value>, depth = 0): Option.Option<Value> => {
  if (typeof encoded === "boolean" || typeof encoded === "number" || typeof encoded === "string")
    return Option.some(encoded)
  if (encoded === undefined) return Option.some(undefined)
  if (depth > deepest) return Option.none()
  if (isSpecial(encoded)) return Object.hasOwn(specials, encoded.v) ? Option.some(specials[encoded.v]) : Option.none()
  if (isHandle(encoded)) return encoded.h in handles ? Option.some(handles[encoded.h]) : Option.none()
  if (isList(encoded)) return Option.all(encoded.a.map((item) => decode(item, handles, depth + 1)))
  if (!isFields(encoded)) return Option.none()
  return Option.map(
    Option.all(encoded.o.map(({ k, v }) => Option.map(decode(v, handles, depth + 1), (value) => [k, value] as const))),
    (entries): Value => Object.fromEntries(entries)
  )
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

/** What the script is asked to evaluate, out of the arguments that follow the script itself. */
export const source = (values: ReadonlyArray<unknown>, handles: ReadonlyArray<Value>): Option.Option<Source> =>
  Option.flatMap(decodeCall(values), ([isFunction, , text, count, ...rest]) =>
    Option.map(Option.all(rest.slice(0, count).map((argument) => decode(argument, handles))), (given) => ({
      text,
      called: isFunction,
      given
    }))
  )
