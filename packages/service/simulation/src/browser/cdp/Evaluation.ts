import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Document } from "./Document.ts"
import { type Node, type Parameter, parse, Unreadable } from "./Syntax.ts"

/** What an expression can come to: JSON, `undefined`, and the numbers that JSON does not have. */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | ReadonlyArray<Value>
  | { readonly [key: string]: Value }

/** What every refusal of an expression begins with. */
export const constantsOnly = "this browser is simulated: it evaluates constants only"

/** The largest value that an expression may come to, in characters or items. */
const largestValue = 512 * 1024
const deepestValue = 128

class Refused extends Error {}

const refuse = (why: string): never => {
  throw new Refused(`${constantsOnly}; ${why}`)
}

/** A value as it came in a message, or nothing when it is nested too deeply. */
export const fromJson = (json: unknown, depth = 0): Option.Option<Value> => {
  if (json === null || typeof json === "boolean" || typeof json === "number" || typeof json === "string") {
    return Option.some(json)
  }
  if (typeof json !== "object" || depth > deepestValue) return json === undefined ? Option.some(json) : Option.none()
  if (Array.isArray(json)) return Option.all(json.map((item) => fromJson(item, depth + 1)))
  const entries = Object.entries(json).map(([key, inner]) =>
    Option.map(fromJson(inner, depth + 1), (v) => [key, v] as const)
  )
  return Option.map(Option.all(entries), (fields): Value => Object.fromEntries(fields))
}

export type Scope = ReadonlyMap<string, Value>

/** The names that a page knows: a little of `document`, `location`, `navigator` and `window`. */
export const scopeOf = (document: Document, userAgent: string): Scope => {
  const location = { href: document.url }
  const navigator = { userAgent, webdriver: true }
  const text = { textContent: document.text, innerText: document.text }
  const view = {
    title: document.title,
    URL: document.url,
    contentType: document.mimeType,
    readyState: "complete",
    location,
    body: text,
    documentElement: text
  }
  const window = { document: view, location, navigator, innerWidth: 1280, innerHeight: 720, devicePixelRatio: 1 }
  return new Map<string, Value>([
    ...Object.entries(window),
    ["window", window],
    ["globalThis", window],
    ["self", window]
  ])
}

const isList = (value: Value): value is ReadonlyArray<Value> => Array.isArray(value)

const isFields = (value: Value): value is { readonly [key: string]: Value } =>
  typeof value === "object" && value !== null && !isList(value)

const isPlain = (value: Value): value is undefined | null | boolean | number | string =>
  typeof value !== "object" || value === null

const member = (of: Value, key: Value): Value => {
  if (of === undefined || of === null) return refuse(`${String(of)} has no properties`)
  if (typeof key !== "string" && typeof key !== "number") return refuse("a property is named by a string or a number")
  if ((typeof of === "string" || isList(of)) && key === "length") return of.length
  if (typeof of === "string" || isList(of)) {
    return typeof key === "number" || /^\d+$/u.test(key)
      ? of[Number(key)]
      : refuse(`'${String(key)}' is not known here`)
  }
  return isFields(of) && Object.hasOwn(of, key) ? of[key] : undefined
}

const plain = (value: Value) => (isPlain(value) ? value : refuse("operators take no objects"))

const typeName = (value: Value) => (value === null ? "object" : typeof value)

const unary = (operator: string, operand: Value): Value => {
  if (operator === "typeof") return typeName(operand)
  if (operator === "!") return !operand
  const number = Number(plain(operand))
  return operator === "-" ? -number : number
}

const equals = (left: Value, right: Value) => {
  if (!isPlain(left) || !isPlain(right)) return left === right
  return (left === null || left === undefined) && (right === null || right === undefined)
    ? true
    : typeof left === typeof right
      ? left === right
      : refuse("== is known for values of one type only")
}

const sum = (left: Value, right: Value): Value => {
  const [a, b] = [plain(left), plain(right)]
  if (typeof a !== "string" && typeof b !== "string") return Number(a) + Number(b)
  const joined = [String(a), String(b)]
  return joined.join("").length > largestValue ? refuse("the value is too large") : joined.join("")
}

const compare = (left: Value, right: Value, holds: (order: number) => boolean): boolean => {
  const [a, b] = [plain(left), plain(right)]
  if (typeof a === "string" && typeof b === "string") return holds(a < b ? -1 : a > b ? 1 : 0)
  const difference = Number(a) - Number(b)
  return Number(a) === Number(b) ? holds(0) : !Number.isNaN(difference) && holds(difference)
}

const binary: Readonly<Record<string, (left: Value, right: Value) => Value>> = {
  "+": sum,
  "-": (left, right) => Number(plain(left)) - Number(plain(right)),
  "*": (left, right) => Number(plain(left)) * Number(plain(right)),
  "/": (left, right) => Number(plain(left)) / Number(plain(right)),
  "%": (left, right) => Number(plain(left)) % Number(plain(right)),
  "===": (left, right) => left === right,
  "!==": (left, right) => left !== right,
  "==": equals,
  "!=": (left, right) => !equals(left, right),
  "<": (left, right) => compare(left, right, (order) => order < 0),
  "<=": (left, right) => compare(left, right, (order) => order <= 0),
  ">": (left, right) => compare(left, right, (order) => order > 0),
  ">=": (left, right) => compare(left, right, (order) => order >= 0)
}

const shortens: Readonly<Record<string, (left: Value) => boolean>> = {
  "&&": (left) => !left,
  "||": (left) => Boolean(left),
  "??": (left) => left !== null && left !== undefined
}

/** A chain of operators leans to the left and may be as long as the source: it is walked, not recursed into. */
const chain = (node: Node, scope: Scope): Value => {
  const links: Array<Node & { readonly _tag: "Binary" }> = []
  let first = node
  while (first._tag === "Binary") {
    links.push(first)
    first = first.left
  }
  return links.reduceRight<Value>(
    (left, { operator, right }) => {
      const short = shortens[operator]
      if (short !== undefined) return short(left) ? left : value(right, scope)
      const apply = binary[operator]
      return apply === undefined ? refuse(`'${operator}' is not known here`) : apply(left, value(right, scope))
    },
    value(first, scope)
  )
}

const value = (node: Node, scope: Scope): Value => {
  switch (node._tag) {
    case "Constant":
      return node.value
    case "Name":
      return scope.has(node.name) ? scope.get(node.name) : refuse(`'${node.name}' is not known here`)
    case "List":
      return node.items.map((item) => value(item, scope))
    case "Fields":
      return Object.fromEntries(node.fields.map(([key, field]) => [key, value(field, scope)]))
    case "Member":
      return member(value(node.of, scope), value(node.key, scope))
    case "Unary":
      return unary(node.operator, value(node.operand, scope))
    case "Binary":
      return chain(node, scope)
    case "Choice":
      return value(node.condition, scope) ? value(node.yes, scope) : value(node.no, scope)
    case "Lambda":
      return refuse("a function is not a value here")
  }
}

/** Refuses what would take too much memory or stack to write down: values can hold each other many times. */
const measure = (whole: Value): Value => {
  let left = largestValue
  const walk = (part: Value, depth: number): void => {
    left -= typeof part === "string" ? part.length : 1
    if (left < 0 || depth > deepestValue) refuse("the value is too large")
    if (isPlain(part)) return
    for (const [key, inner] of Object.entries(part)) {
      left -= key.length
      walk(inner, depth + 1)
    }
  }
  walk(whole, 0)
  return whole
}

/** What a function's body sees: its parameters, before all else. */
const bound = (parameters: ReadonlyArray<Parameter>, given: ReadonlyArray<Value>, scope: Scope): Scope => {
  const names = new Map(scope)
  for (const [index, parameter] of parameters.entries()) {
    if (typeof parameter === "string") names.set(parameter, given[index])
    else for (const name of parameter) names.set(name, member(given[index], name))
  }
  return names
}

const attempt = (evaluate: () => Value): Result.Result<Value, string> => {
  try {
    return Result.succeed(measure(evaluate()))
  } catch (error) {
    if (error instanceof Refused) return Result.fail(error.message)
    if (error instanceof Unreadable) return Result.fail(`${constantsOnly}; ${error.message}`)
    throw error
  }
}

/** How the source of a call or of an expression is meant. */
export interface Source {
  readonly text: string
  /** Whether a function is to be called; without it, whatever it turns out to be. */
  readonly called?: boolean | undefined
  readonly given?: ReadonlyArray<Value> | undefined
}

/** Evaluates constants, what operators make of them, and functions that return such. Nothing is ever run. */
export const evaluate = ({ called, given = [], text }: Source, scope: Scope): Result.Result<Value, string> =>
  attempt(() => {
    const node = parse(text)
    if (node._tag !== "Lambda") return called === true ? refuse("this is no function") : value(node, scope)
    if (called === false) return refuse("a function is not a value here")
    return value(node.body, bound(node.parameters, given, scope))
  })
