import * as Effect from "effect/Effect"
import * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import { runInNewContext } from "node:vm"
import { AgentError, type Turn } from "@webagent/engine"
import type * as Calls from "./Calls.ts"

/** An output that fits, as it fits; or why it does not. */
type Fit = (output: Schema.Json) => Result.Result<Schema.Json, string>

const anything: Fit = Result.succeed

const largest = 800

/** Limits how long a check may take, in milliseconds, because a pattern of a caller can take forever. */
const longestCheck_ms = 100

/** Stops a check that takes too long. Everything else waits for it meanwhile. */
const withinTime =
  (fit: Fit): Fit =>
  (output) => {
    try {
      return runInNewContext("check()", { check: () => fit(output) }, { timeout: longestCheck_ms })
    } catch {
      return Result.fail(`A check against its patterns took longer than ${longestCheck_ms} ms: simplify them.`)
    }
  }

/** A check of outputs; fails where the schema is none, or has something that cannot be checked. */
export const make = (outputSchema: Turn.Turn["outputSchema"]): Effect.Effect<Fit, AgentError> => {
  if (outputSchema === null) return Effect.succeed(anything)
  const document = isOld(outputSchema) ? JsonSchema.fromSchemaDraft07 : JsonSchema.fromSchemaDraft2020_12
  return Effect.try({
    try: () => SchemaRepresentation.fromJsonSchemaDocument(document(outputSchema), { patterns: "apply" }),
    catch: (cause) =>
      new AgentError({
        failure: "invalid_task",
        message: `The outputSchema cannot be used: ${(cause instanceof Error ? cause.message : String(cause)).slice(0, largest)}`
      })
  }).pipe(
    Effect.map((codec) => {
      const check = Schema.decodeUnknownResult(codec as Schema.Codec<unknown>, { onExcessProperty: "error" })
      return withinTime((output) => {
        const checked = check(output)
        if (Result.isSuccess(checked)) return Result.succeed(output)
        // some models write the object as text
        const parsed = typeof output === "string" ? Result.try((): Schema.Json => JSON.parse(output)) : checked
        if (Result.isSuccess(parsed) && Result.isSuccess(check(parsed.success))) {
          return Result.succeed(parsed.success as Schema.Json)
        }
        return Result.fail(checked.failure.message.replaceAll(/\s+/gu, " ").slice(0, largest))
      })
    })
  )
}

/** Returns whether a schema is one of draft 7, which has its definitions under another name. */
const isOld = ({ $schema, definitions }: Schema.JsonObject): boolean =>
  definitions !== undefined || (typeof $schema === "string" && $schema.includes("draft-07"))

/** Limits how often an output that doesn't fit is sent back. */
export const mostRepairs = 3

const decodeDone = Schema.decodeUnknownResult(Schema.Struct({ success: Schema.Boolean, output: Schema.Json }))

/** Takes the end of a task whose output fits, and counts what has to be repaired. */
export const accepting = (fit: Fit) => {
  let count = 0
  let last = ""
  const accept: Calls.Accept = (params) => {
    const decoded = decodeDone(params)
    if (Result.isFailure(decoded)) return Result.fail("done must have success (true or false) and an output.")
    return Result.match(fit(decoded.success.output), {
      onFailure: (why) => {
        count += 1
        last = why
        return Result.fail(`The output does not fit its schema: ${why}`)
      },
      onSuccess: (output) => Result.succeed({ success: decoded.success.success, output })
    })
  }
  return { accept, count: () => count, last: () => last }
}
