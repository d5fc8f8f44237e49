import type { Value } from "./Literal.ts"
import type { Result } from "./Protocol.ts"

const unserializable = (value: number): string | undefined =>
  Number.isFinite(value) && !Object.is(value, -0) ? undefined : Object.is(value, -0) ? "-0" : String(value)

/** The value as CDP says it by value; what is inside a list or an object is said as JSON. */
export const byValue = (value: Value): Result => {
  if (value === undefined) return { type: "undefined" }
  if (value === null) return { type: "object", subtype: "null", value: null }
  if (typeof value === "number") {
    const unserializableValue = unserializable(value)
    return unserializableValue === undefined
      ? { type: "number", value, description: String(value) }
      : { type: "number", unserializableValue, description: unserializableValue }
  }
  if (typeof value === "object") return { type: "object", ...(Array.isArray(value) ? { subtype: "array" } : {}), value }
  return { type: typeof value, value }
}

/** An object that stays in the page and is named by its id. */
export const byReference = (value: Value, objectId: string): Result =>
  Array.isArray(value)
    ? { type: "object", subtype: "array", className: "Array", description: `Array(${value.length})`, objectId }
    : { type: "object", className: "Object", description: "Object", objectId }

/** Returns the result of an evaluation that threw. */
export const thrown = (message: string, exceptionId: number): Result => {
  const exception = { type: "object", subtype: "error", className: "Error", description: `Error: ${message}` }
  return {
    result: exception,
    exceptionDetails: { exceptionId, text: "Uncaught", lineNumber: 0, columnNumber: 0, exception }
  }
}
