import { CheckFailed, HookFailed, type Scenario, whereOf } from "@webagent/scenario"
import * as Cause from "effect/Cause"
import * as Formatter from "effect/Formatter"
import { sourceLine } from "./SourceLine.ts"
import type { SentRequest, Failure } from "@webagent/report/Trial"

const longest = 2000

const tagOf = (error: object): string =>
  "_tag" in error && typeof error._tag === "string" ? error._tag : error instanceof Error ? error.name : "error"

/** Message of an error's cause, because `fetch failed` alone contains neither the address nor the reason. */
const causeOf = ({ cause, message }: Error): string => {
  if (!(cause instanceof Error)) return ""
  // one of several addresses is enough
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  const said = first instanceof Error ? first.message : ""
  return said === "" || message.includes(said) ? "" : ` (${said})`
}

/** An error in a sentence. */
export const sentence = (error: unknown): string => {
  if (!(error instanceof Error)) return Formatter.format(error)
  return `${tagOf(error)}${error.message === "" ? "" : `: ${error.message}`}${causeOf(error)}`
}

/** Place of a failure, with the line of the suite at this place. */
const placeOf = (where: string | undefined, redact: (text: string) => string) => {
  if (where === undefined) return {}
  const source = sourceLine(where)
  return source === undefined ? { where } : { where, source: redact(source) }
}

/**
 * Text that a terminal and the log of a CI job show and do nothing about, whatever a service has answered: control
 * characters are written out, and no line begins as GitHub's commands do.
 */
const harmless = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replaceAll(/^([ \t]*)::/gmu, "$1\\::")

/** The reason why a scenario failed, for people: the first failure of its cause. */
export const failureOf = (options: {
  readonly cause: Cause.Cause<unknown>
  readonly scenario: Scenario
  readonly request: SentRequest | undefined
  /** Error message of the service itself. */
  readonly service: string | undefined
  /** Takes secrets out of text. */
  readonly redact: (text: string) => string
}): Failure => {
  const { cause, request, scenario, service } = options
  const redact = (text: string) => harmless(options.redact(text))
  const failed = cause.reasons.find(Cause.isFailReason)
  const error = failed === undefined ? Cause.squash(cause) : failed.error
  const seen = {
    ...(request === undefined ? {} : { request }),
    ...(service === undefined ? {} : { service: redact(service).slice(0, longest) })
  }
  if (error instanceof HookFailed) {
    const { message, ...failure } = failureOf({ ...options, cause: Cause.fail(error.cause) })
    return { ...failure, message: `${error.hook} failed: ${message}` }
  }
  if (error instanceof CheckFailed) {
    return {
      kind: "check",
      message: redact(error.name),
      expected: redact(error.expected),
      actual: redact(error.actual),
      ...(error.diff === undefined ? {} : { diff: error.diff.map(redact) }),
      ...placeOf(error.where ?? scenario.where, redact),
      ...seen
    }
  }
  // the runner's own interruption is no failure, so this interruption comes from the scenario itself
  const interrupted = Cause.hasInterruptsOnly(cause)
  const file = scenario.where?.replace(/:\d+$/u, "")
  // a scenario without a place is not the user's, and neither are the lines that it calls
  const where = error instanceof Error && file !== undefined ? whereOf(error, file) : undefined
  return {
    kind: failed === undefined && !interrupted ? "defect" : "error",
    message: interrupted ? "it was interrupted from inside" : redact(sentence(error)).slice(0, longest),
    ...placeOf(where ?? scenario.where, redact),
    ...seen
  }
}
