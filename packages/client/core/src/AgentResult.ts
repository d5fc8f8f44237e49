import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const parseJson = (text: string) => Result.getSuccess(Result.try((): unknown => JSON.parse(text)))

/**
 * What an agent answered, as a value of a type; fails with what does not fit. An agent often answers with text that
 * contains nothing but JSON: what does not fit as text is tried as that JSON.
 */
export const decode = <A, RD>(
  schema: Schema.Decoder<A, RD>,
  result: unknown
): Effect.Effect<A, Schema.SchemaError, RD> => {
  const as = Schema.decodeUnknownEffect(schema, { errors: "all" })
  if (typeof result !== "string") return as(result)
  const orJson = Effect.catch((error: Schema.SchemaError) =>
    Option.match(parseJson(result), { onNone: () => Effect.fail(error), onSome: (json) => as(json) })
  )
  return orJson(as(result))
}
