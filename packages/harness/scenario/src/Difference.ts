import * as Equal from "effect/Equal"
import * as Formatter from "effect/Formatter"

const longest = 300

/** A value as one line for a person, cut when it is long. */
export const show = (value: unknown): string => {
  const text = Formatter.format(value)
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`
}

/** The first place where two values differ. */
export interface Difference {
  /** Location in the compared values: empty for the values themselves, otherwise for example `.tasks[0].cost`. */
  readonly path: string
  readonly actual: unknown
  readonly expected: unknown
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null

/** The path of a field or an element below that of what it is in. */
export const step = (key: string, inArray: boolean): string =>
  inArray ? `[${key}]` : /^[A-Za-z_$][\w$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`

const nameless = /^\[object /u

/** Returns whether dates, maps, errors and addresses are the same in the parts that aren't fields. */
const isSameInside = (one: Fields, other: Fields): boolean => {
  const kind = Object.prototype.toString.call(one)
  if (kind !== Object.prototype.toString.call(other)) return false
  if (kind === "[object Object]" || kind === "[object Array]" || Equal.equals(one, other)) return true
  const text = String(one)
  return !nameless.test(text) && text === String(other)
}

const firstBelow = (
  actual: unknown,
  expected: unknown,
  path: string,
  above: ReadonlyMap<unknown, unknown>
): Difference | undefined => {
  if (Object.is(actual, expected)) return undefined
  if (!isObject(actual) || !isObject(expected) || !isSameInside(actual, expected)) return { path, actual, expected }
  // each holds itself in the same place
  if (above.has(actual) && above.get(actual) === expected) return undefined
  const within = new Map(above).set(actual, expected)
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const at = path + step(key, Array.isArray(expected))
    if (Object.hasOwn(actual, key) !== Object.hasOwn(expected, key)) {
      return { path: at, actual: actual[key], expected: expected[key] }
    }
    const below = firstBelow(actual[key], expected[key], at, within)
    if (below !== undefined) return below
  }
  return undefined
}

/**
 * The first difference of two values: own fields of objects, elements of arrays, what dates, maps, sets and errors hold,
 * `Object.is` for everything else. A missing field and an undefined one are different.
 */
export const firstDifference = (actual: unknown, expected: unknown): Difference | undefined =>
  firstBelow(actual, expected, "", new Map())
