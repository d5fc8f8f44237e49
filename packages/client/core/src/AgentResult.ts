import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { parseJson } from "./Json.ts"
import type { StandardSchema, Validated } from "./StandardSchema.ts"

/** A schema of Effect's, or of any library that follows standardschema.dev: zod, valibot, arktype. */
export type ResultSchema<A, RD = never> = Schema.Decoder<A, RD> | StandardSchema<A>

/** Asks for a result of a type: what ends without one is then an error. */
export interface WithResult<A, RD = never> {
  readonly result: ResultSchema<A, RD>
}

type Issue = NonNullable<Validated<unknown>["issues"]>[number]

const textOf = ({ message, path = [] }: Issue) => {
  const keys = path.map((part) => String(typeof part === "object" ? part.key : part))
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`
}

const isStandard = <A, RD>(schema: ResultSchema<A, RD>): schema is StandardSchema<A> =>
  typeof (schema as Partial<StandardSchema<A>> | undefined)?.["~standard"]?.validate === "function"

/**
 * Refuses an option that isn't a schema before a run is created, because a later error would come after the run's cost.
 *
 * @param schema - The `result` option of a call.
 * @returns Nothing if it's a schema.
 * @throws `TypeError` if it isn't one.
 * @example
 * ```ts
 * import { AgentResult } from "@webagent/core"
 * import * as Schema from "effect/Schema"
 *
 * AgentResult.check(Schema.Struct({ price: Schema.Number }))
 * ```
 */
export const check = (schema: ResultSchema<unknown, unknown>): void => {
  if (isStandard(schema) || Schema.isSchema(schema)) return
  throw new TypeError("result must be a schema, such as zod's or Effect's.")
}

/** A value by a schema, or what does not fit. */
const decoderOf = <A, RD>(schema: ResultSchema<A, RD>): ((value: unknown) => Effect.Effect<A, string, RD>) => {
  if (!isStandard(schema)) {
    const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
    return (value) => Effect.mapError(decode(value), (error) => error.message)
  }
  // what a schema throws does not fit either
  const validate = (value: unknown) =>
    Effect.tryPromise({ try: async () => schema["~standard"].validate(value), catch: String })
  return (value) =>
    Effect.flatMap(validate(value), (validated) =>
      validated.issues === undefined
        ? Effect.succeed(validated.value)
        : Effect.fail(validated.issues.map(textOf).join("; "))
    )
}

/**
 * Decodes an agent's result with a schema, and fails with the parts that don't fit. Agents often return text that
 * contains only JSON, so text that doesn't fit is also tried as JSON.
 *
 * @param schema - A schema of Effect's, or of any library that follows standardschema.dev, such as zod's.
 * @param result - The result of a run.
 * @returns The decoded result. Fails with a text that lists the parts that don't fit.
 * @example
 * ```ts
 * import { AgentResult } from "@webagent/core"
 * import * as Schema from "effect/Schema"
 *
 * const Offer = Schema.Struct({ price: Schema.Number })
 * // agents often return JSON as text
 * export const offer = AgentResult.decode(Offer, '{"price": 4.2}')
 * ```
 */
export const decode = <A, RD = never>(schema: ResultSchema<A, RD>, result: unknown): Effect.Effect<A, string, RD> => {
  const as = decoderOf(schema)
  if (typeof result !== "string") return as(result)
  const orJson = Effect.catch((issue: string): Effect.Effect<A, string, RD> => {
    const json = parseJson(result)
    return json === undefined ? Effect.fail(issue) : as(json)
  })
  return orJson(as(result))
}
