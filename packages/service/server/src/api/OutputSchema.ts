import type { HTTPValidationError } from "@webagent/contract"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { field } from "./ExtensionFields.ts"
import { invalid } from "./Invalid.ts"

const schemaField = field(
  "outputSchema",
  Schema.decodeUnknownOption(Schema.JsonObject),
  "Expected a JSON Schema: an object",
  "dict_type"
)

const types = ["string", "number", "integer", "boolean", "object", "array", "null"]

const isText = (value: unknown) => typeof value === "string"

const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0

const isType = (value: unknown) =>
  typeof value === "string" ? types.includes(value) : Array.isArray(value) && value.length > 0 && value.every(isType)

/** Deepest schema within schemas that is read. */
const deepest = 100

type Check = readonly [isRight: (value: unknown) => boolean, expected: string]

const text: Check = [isText, "a text"]
const number: Check = [Number.isFinite, "a number"]
const count: Check = [isCount, "a whole number of at least 0"]

/** The values that keywords of JSON Schema take, except those with schemas. Other keywords have no effect. */
const values: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["type", [isType, `${types.slice(0, -1).join(", ")} or null, or a list of them`]],
  ["required", [(value) => Array.isArray(value) && value.every(isText), "a list of property names"]],
  ["enum", [Array.isArray, "a list of values"]],
  ...["$ref", "title", "description", "pattern", "format"].map((name) => [name, text] as const),
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"].map(
    (name) => [name, number] as const
  ),
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"].map(
    (name) => [name, count] as const
  )
])

const lists = new Set(["allOf", "anyOf", "oneOf", "prefixItems"])
const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])
const schemas = new Set(["items", "additionalProperties", "additionalItems", "contains", "propertyNames", "not"])

/** Returns the first thing that is wrong with a JSON Schema; undefined for one that can be used. */
const problemOf = (schema: unknown, at: ReadonlyArray<string> = []): string | undefined => {
  const place = at.length === 0 ? "it" : at.join(".")
  if (typeof schema === "boolean") return undefined
  if (!Predicate.isObject(schema) || Array.isArray(schema)) return `${place} has to be a schema, which is an object`
  if (at.length > 2 * deepest) return `it's nested more than ${deepest} times`
  for (const [name, value] of Object.entries(schema)) {
    const here = [...at, name]
    const [isRight, expected] = values.get(name) ?? []
    if (isRight?.(value) === false) return `${here.join(".")} has to be ${expected}`
    if (lists.has(name) && !(Array.isArray(value) && value.length > 0)) {
      return `${here.join(".")} has to be a list of schemas`
    }
    if (maps.has(name) && (!Predicate.isObject(value) || Array.isArray(value))) {
      return `${here.join(".")} has to be an object with a schema for each name`
    }
    // draft 7 lists the schemas of the items of a tuple
    const isList = lists.has(name) || (name === "items" && Array.isArray(value))
    const inner =
      isList || maps.has(name)
        ? Object.entries(value as object).map(([key, one]) => problemOf(one, [...here, key]))
        : schemas.has(name)
          ? [problemOf(value, here)]
          : []
    const problem = inner.find(Predicate.isNotUndefined)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Fails for a value that isn't a JSON Schema, such as one with a type that doesn't exist: no output could fit it. */
export const check = (
  schema: Schema.JsonObject | undefined,
  name = "outputSchema"
): Effect.Effect<void, HTTPValidationError> => {
  const problem = schema === undefined ? undefined : problemOf(schema)
  return problem === undefined
    ? Effect.void
    : Effect.fail(invalid(["body", name], `This isn't a JSON Schema: ${problem}`))
}

/** Reads the JSON Schema that the output has to fit. Without it, any output fits. */
export const read = (body: object) =>
  Effect.flatMapEager(schemaField(body), (named) => Effect.mapEager(check(named.outputSchema), () => named))
