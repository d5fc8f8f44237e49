import { HTTPValidationError } from "@webagent/contract"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

/**
 * Whether a create asks for a recording: `"enableRecording": true` in its body. The description says that a recording
 * can be enabled, and not how; without the field, or with null, there is none.
 */
export const enableRecording = (body: object): Effect.Effect<{ readonly recording?: true }, HTTPValidationError> => {
  const asked = Predicate.hasProperty(body, "enableRecording") ? (body.enableRecording ?? false) : false
  if (typeof asked === "boolean") return Effect.succeed(asked ? { recording: true } : {})
  return Effect.fail(
    new HTTPValidationError({
      detail: [{ loc: ["body", "enableRecording"], msg: "Expected true or false", type: "bool_type" }]
    })
  )
}
