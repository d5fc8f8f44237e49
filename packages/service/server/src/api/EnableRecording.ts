import * as Predicate from "effect/Predicate"

/**
 * Whether a create asks for a recording: `"enableRecording": true` in its body. The description says that a recording
 * can be enabled, and not how.
 */
export const enableRecording = (body: object): { readonly recording?: true } =>
  Predicate.hasProperty(body, "enableRecording") && body.enableRecording === true ? { recording: true } : {}
