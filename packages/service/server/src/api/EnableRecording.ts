import type { HTTPValidationError } from "@webagent/contract"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { invalid } from "./Invalid.ts"

/**
 * True if a create request enables a recording: `"enableRecording": true` in its body. The description says that a
 * recording can be enabled, and not how; without the field, or with null, there is none.
 */
export const enableRecording = (body: object): Effect.Effect<{ readonly recording?: true }, HTTPValidationError> => {
  const asked = Predicate.hasProperty(body, "enableRecording") ? (body.enableRecording ?? false) : false
  if (typeof asked === "boolean") return Effect.succeed(asked ? { recording: true } : {})
  return Effect.fail(invalid(["body", "enableRecording"], "Expected true or false", "bool_type"))
}
