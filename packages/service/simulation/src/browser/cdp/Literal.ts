import * as Result from "effect/Result"
import JSON5 from "json5"
import type { Document } from "./Document.ts"

/** A value that an expression can have: JSON, `undefined`, and the numbers that JSON can't represent. */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | ReadonlyArray<Value>
  | { readonly [key: string]: Value }

/** The beginning of every error message about an expression. */
export const literalsOnly =
  "this browser is simulated: it evaluates literals, document.title and the page's text only. " +
  "Use a real browser for other expressions"

const longestSource = 64 * 1024
const deepestValue = 128

/** The properties of a page that have a value. */
const properties: Readonly<Record<string, (document: Document, userAgent: string) => string>> = {
  "document.title": ({ title }) => title,
  "document.URL": ({ url }) => url,
  "document.readyState": () => "complete",
  "document.body.textContent": ({ text }) => text,
  "document.body.innerText": ({ text }) => text,
  "location.href": ({ url }) => url,
  "navigator.userAgent": (_, userAgent) => userAgent
}

// counts the brackets of strings as well, so a string of brackets may be refused; writing a deep value must not overflow
const isTooDeep = (source: string): boolean => {
  let depth = 0
  for (const [bracket] of source.matchAll(/[[\]{}]/gu)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1
    if (depth > deepestValue) return true
  }
  return false
}

/** Removes the comment that Puppeteer appends to a function. */
const withoutSourceUrl = (source: string): string => {
  const start = source.lastIndexOf("\n//# sourceURL=")
  return start < 0 || source.trimEnd().indexOf("\n", start + 1) >= 0 ? source : source.slice(0, start)
}

/** Removes spaces, a final semicolon and outer parentheses. */
const bare = (source: string): string => {
  const text = source.trim()
  const expression = text.endsWith(";") ? text.slice(0, -1).trimEnd() : text
  const isWrapped = expression.startsWith("(") && expression.endsWith(")") && !expression.slice(1, -1).includes("(")
  return isWrapped ? expression.slice(1, -1).trim() : expression
}

interface Function {
  readonly parameters: string
  readonly body: string
}

const arrow = /^(?:async\s+)?(?:\((?<list>[^()]*)\)|(?<name>[\w$]+))\s*=>\s*(?<body>[\s\S]*)$/u
const declaration = /^(?:async\s+)?function\b[^(]*\((?<list>[^()]*)\)\s*(?<body>\{[\s\S]*\})$/u

/** Returns the expression of a function's body, which is the body itself unless it's a block with a return statement. */
const returned = (body: string): string => {
  if (!body.startsWith("{") || !body.endsWith("}")) return bare(body)
  const block = body.slice(1, -1).trim()
  return block === "" ? "undefined" : /^return\b/u.test(block) ? bare(block.slice("return".length)) : body
}

/** Returns the parts of a function's source, or nothing if the source isn't a function. */
const functionOf = (source: string): Function | undefined => {
  const groups = (arrow.exec(source) ?? declaration.exec(source))?.groups
  if (groups === undefined) return undefined
  const parameters = (groups["list"] ?? groups["name"] ?? "").trim()
  return { parameters, body: returned((groups["body"] ?? "").trim()) }
}

/** An expression or a function, as a CDP client sends it. */
export interface Source {
  readonly text: string
  /** True if the text is a function to call. By default, a function is called and anything else is evaluated. */
  readonly called?: boolean | undefined
  /** The first argument of the call, if it's an object that the client holds. */
  readonly held?: Value
}

const refused = Result.fail(literalsOnly)

const literal = (text: string, document: Document, userAgent: string): Result.Result<Value, string> => {
  if (text === "undefined") return Result.succeed(undefined)
  const property = text.replace(/^(?:window|globalThis)\./u, "").replace(/^document\.location/u, "location")
  if (Object.hasOwn(properties, property)) {
    return Result.succeed(properties[property]?.(document, userAgent))
  }
  return Result.try({ try: (): Value => JSON5.parse(text), catch: () => literalsOnly })
}

/**
 * Evaluates a literal, a property of the page, or a function that returns one of the two or its own argument, which is
 * how Playwright and Puppeteer read a page's title and a handle's value. Nothing is executed.
 */
export const evaluate = (
  { called, held, text }: Source,
  document: Document,
  userAgent: string
): Result.Result<Value, string> => {
  if (text.length > longestSource || isTooDeep(text)) return refused
  const source = bare(withoutSourceUrl(text))
  const definition = functionOf(source)
  if (called === (definition === undefined)) return refused
  if (definition === undefined) return literal(source, document, userAgent)
  const { body, parameters } = definition
  if (parameters !== "") return parameters === body ? Result.succeed(held) : refused
  return literal(body, document, userAgent)
}
