import { costOf, decimalOf } from "@webagent/contract"
import { memoize } from "effect/Function"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { isRecord } from "./MustBe.ts"

/** The described fields of an answer, and of the records in those that are lists. A number stays a number. */
interface Fields extends ReadonlyMap<string, Fields | "number" | undefined> {}

const fieldsOf = (ast: SchemaAST.AST | undefined): Fields | undefined => {
  // a record with nothing described is a value of the caller's, such as metadata
  if (ast?._tag !== "Objects" || ast.propertySignatures.length === 0) return undefined
  return new Map(
    ast.propertySignatures.map(({ name, type }) => [
      String(name),
      type._tag === "Arrays"
        ? fieldsOf(type.rest[0])
        : (type._tag === "Union" ? type.types : [type]).some(({ _tag }) => _tag === "Number")
          ? "number"
          : undefined
    ])
  )
}

const ids: ReadonlySet<string> = new Set(["id", "sessionId", "runId"])
const decimals: ReadonlySet<string> = new Set(["browserCost", "proxyCost", "proxyUsedMb", "totalCostUsd"])

/** Reads responses whose schema describes only a part of them. */
export interface Reading {
  /** The schema of the described fields alone: `complete` takes all others from the answer. */
  readonly schema: Schema.Codec<unknown>
  /** The answer, where it was sent in another form without doubt, in the one that the schema describes. */
  readonly prepare: (json: unknown) => unknown
  /** The decoded answer. What the schema does not describe, or could not read, is in `raw` as it was sent, if any. */
  readonly complete: (value: unknown, json: unknown) => unknown
}

const prepareField = (name: string, value: unknown, nested: Fields | "number" | undefined): unknown => {
  if (nested === "number") return value
  if (typeof value === "number") {
    if (ids.has(name) && Number.isSafeInteger(value)) return String(value)
    if (decimals.has(name)) return decimalOf(value) ?? value
  }
  return nested !== undefined && Array.isArray(value) ? value.map((item) => prepareRecord(item, nested)) : value
}

const prepareRecord = (json: unknown, fields: Fields): unknown => {
  if (!isRecord(json)) return json
  let prepared: Record<string, unknown> = json
  fields.forEach((nested, name) => {
    const value = json[name]
    // services report it under several names
    const better = name === "cost" ? (costOf(json) ?? value) : prepareField(name, value, nested)
    if (better === value) return
    if (prepared === json) prepared = { ...json }
    prepared[name] = better
  })
  return prepared
}

const completeRecord = (value: unknown, json: unknown, fields: Fields): unknown => {
  if (!isRecord(value) || !isRecord(json)) return value
  const complete: Record<string, unknown> = { ...value }
  const unread = Object.keys(json).filter(
    (name) => !(fields.has(name) && name in value && (value[name] !== null || json[name] === null))
  )
  fields.forEach((nested, name) => {
    const [read, sent] = [value[name], json[name]]
    if (typeof nested === "object" && Array.isArray(read) && Array.isArray(sent)) {
      complete[name] = read.map((item, index) => completeRecord(item, sent[index], nested))
    }
  })
  // a field may be named __proto__: fromEntries sets no prototype
  if (unread.length > 0) complete["raw"] = Object.fromEntries(unread.map((name) => [name, json[name]]))
  return complete
}

/** Returns the reading of responses with a schema, which all clients of a process share: it is compiled with its first use. */
export const make: (schema: Schema.Codec<unknown>) => Reading = memoize((schema) => {
  const fields = fieldsOf(schema.ast)
  if (fields === undefined) return { schema, prepare: (json) => json, complete: (value) => value }
  const { annotations, checks, propertySignatures } = schema.ast as SchemaAST.Objects
  // a status that is all there is may be sent as it is
  const isStatus = fields.size === 1 && fields.has("status")
  return {
    schema: Schema.make(new SchemaAST.Objects(propertySignatures, [], annotations, checks)),
    prepare: (json) => (isStatus && typeof json === "string" ? { status: json } : prepareRecord(json, fields)),
    complete: (value, json) => completeRecord(value, json, fields)
  }
})
