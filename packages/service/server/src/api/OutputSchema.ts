import type { HTTPValidationError } from "@webagent/contract"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { invalid } from "./Invalid.ts"

const isObject = Schema.is(Schema.JsonObject)

/**
 * The JSON Schema that the output has to fit: `"outputSchema": { ... }` in a body. The description has no such field;
 * without it any output fits.
 */
export const outputSchema = (
  body: object
): Effect.Effect<{ readonly outputSchema?: Schema.JsonObject }, HTTPValidationError> => {
  if (!Predicate.hasProperty(body, "outputSchema") || body.outputSchema === null) return Effect.succeed({})
  return isObject(body.outputSchema)
    ? Effect.succeed({ outputSchema: body.outputSchema })
    : Effect.fail(invalid(["body", "outputSchema"], "Expected a JSON Schema: an object", "dict_type"))
}
