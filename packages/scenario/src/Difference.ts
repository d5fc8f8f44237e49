import * as Formatter from "effect/Formatter"

const longest = 300

/** A value as one line for a person, cut when it is long. */
export const show = (value: unknown): string => {
  const text = Formatter.format(value)
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`
}

/** The first place where two values differ. */
export interface Difference {
  /** Where below the compared values: empty for the values themselves, else such as `.tasks[0].cost`. */
  readonly path: string
  readonly actual: unknown
  readonly expected: unknown
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const step = (key: string, inArray: boolean): string =>
  inArray ? `[${key}]` : /^[A-Za-z_$][\w$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`

/**
 * The first difference of two values as JSON sees them: own fields of objects, elements of arrays, `Object.is`
 * for everything else. A missing field and an undefined one are different.
 */
export const firstDifference = (actual: unknown, expected: unknown, path = ""): Difference | undefined => {
  if (Object.is(actual, expected)) return undefined
  if (!isObject(actual) || !isObject(expected) || Array.isArray(actual) !== Array.isArray(expected)) {
    return { path, actual, expected }
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const at = path + step(key, Array.isArray(expected))
    if (Object.hasOwn(actual, key) !== Object.hasOwn(expected, key)) {
      return { path: at, actual: actual[key], expected: expected[key] }
    }
    const below = firstDifference(actual[key], expected[key], at)
    if (below !== undefined) return below
  }
  return undefined
}
