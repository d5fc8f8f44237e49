import type { Turn } from "@webagent/engine"
import type { CompleteProfile } from "../behavior/Behavior.ts"

/** A share as text, such as `9 %`. */
const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`

const nameOf = ({ name }: CompleteProfile): string =>
  name === undefined ? "the profile in use" : `the profile ${name}`

/** The reason of a failed step if the failure has no text of its own. */
export const stepFailure = "The failure is made up."

/** The error of a run that fails because its script says so. */
export const scriptedError = "Made up: the task asks for this failure with outcome=failed."

/** The error of a run that fails because its profile fails a share of all runs. */
export const profileError = (profile: CompleteProfile): string => {
  const { cancelled = 0, completed = 0, failed = 0 } = profile.outcomes
  const all = cancelled + completed + failed
  return failed === all
    ? `Made up: ${nameOf(profile)} fails every run. Choose another profile.`
    : `Made up: ${nameOf(profile)} fails ${percent(failed / all)} of its runs. Run it again or choose another profile.`
}

/** The verdict of a judge that has read nothing. The reason of a rejection is the script or the profile. */
export const judgement = (verdict: boolean, profile: CompleteProfile | undefined): Turn.Judgement => {
  const share = percent(1 - (profile?.judge?.agrees ?? 1))
  return {
    verdict,
    reasoning: `Made up: the simulated judge ${verdict ? "accepts" : "rejects"} the result.`,
    failureReason: verdict
      ? null
      : profile === undefined
        ? "Made up: the task asks for this verdict with judge=false."
        : `Made up: ${nameOf(profile)} has its judge reject ${share} of all results.`
  }
}

/** Most levels of a made-up value. A schema may contain itself. */
const mostLevels = 8

type Json = Turn.Turn["output"]

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns a value of the form that a JSON Schema describes. Patterns and lengths of texts aren't considered. */
const valueOf = (schema: unknown, root: unknown, name: string, level = 0): Json => {
  if (!isRecord(schema) || level > mostLevels) return null
  const inner = (part: unknown, of = name) => valueOf(part, root, of, level + 1)
  const { $ref, anyOf, items, minimum, oneOf, properties } = schema
  if (typeof $ref === "string") {
    const at = (value: unknown, key: string) => (isRecord(value) ? value[key] : undefined)
    return inner($ref.split("/").slice(1).reduce(at, root))
  }
  for (const fixed of [schema["const"], [schema["enum"]].flat()[0]]) if (fixed !== undefined) return fixed as Json
  for (const choice of [anyOf, oneOf]) if (Array.isArray(choice)) return inner(choice[0])
  switch ([schema["type"]].flat()[0] ?? (isRecord(properties) ? "object" : "string")) {
    case "object":
      return Object.fromEntries(
        Object.entries(isRecord(properties) ? properties : {}).map(([key, part]) => [key, inner(part, key)])
      )
    case "array":
      return [inner(items)]
    case "number":
    case "integer":
      return typeof minimum === "number" ? Math.ceil(minimum) : 1
    case "boolean":
      return true
    case "null":
      return null
    default:
      return `Simulated ${name}`
  }
}

/** The result of a run whose script and profile have none: a value of its schema, or a text with its task. */
export const result = ({ outputSchema, task }: Turn.Turn): Json =>
  outputSchema === null ? `Simulated result of: ${task.slice(0, 200)}` : valueOf(outputSchema, outputSchema, "result")
