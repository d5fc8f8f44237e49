import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { StandardSchema, Validated } from "./Options.ts"

type Issue = NonNullable<Validated<unknown>["issues"]>[number]

const textOf = ({ message, path = [] }: Issue) => {
  const keys = path.map((part) => String(typeof part === "object" ? part.key : part))
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`
}

/** A schema of any library as Effect's: what it refuses, and what it throws, does not fit. */
export const make = <Output>(standard: StandardSchema<Output>): Schema.Decoder<Output> => {
  // checked before the run: afterwards you would pay for a run whose result cannot be read
  if (typeof standard?.["~standard"]?.validate !== "function") {
    throw new TypeError("result is not a Standard Schema: give one of zod, valibot, arktype or such.")
  }
  return Schema.declareConstructor<Output, unknown>()(
    [],
    () => (value) =>
      Effect.tryPromise({
        try: async () => standard["~standard"].validate(value),
        catch: (error) => new SchemaIssue.InvalidValue({ message: String(error) })
      }).pipe(
        Effect.flatMap((validated) =>
          validated.issues === undefined
            ? Effect.succeed(validated.value)
            : Effect.fail(new SchemaIssue.InvalidValue({ message: validated.issues.map(textOf).join("; ") }))
        )
      )
  )
}
