import type { HTTPValidationError } from "@webagent/contract"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { invalid } from "./Invalid.ts"

/** An option that this server can't honor, and that would change the cost or the result. */
export interface UnsupportedOption {
  readonly name: string
  /** Values besides null that ask for nothing. */
  readonly harmless?: ReadonlyArray<boolean>
  /** True if an object without fields asks for nothing. */
  readonly mayBeEmpty?: boolean
  /** Reason of the refusal, and advice. */
  readonly issue: string
}

/** An option that a caller has to leave out, for the reason `what`. */
export const leftOut = (name: string, what: string, harmless: ReadonlyArray<boolean> = []): UnsupportedOption => ({
  name,
  harmless,
  issue: `${what}: leave ${name} out`
})

const asksForNothing = (value: unknown, harmless: ReadonlyArray<unknown>) =>
  value === undefined || value === null || harmless.includes(value) || (Array.isArray(value) && value.length === 0)

const isEmptyObject = (value: unknown) => typeof value === "object" && Object.keys(value ?? {}).length === 0

/**
 * Refuses a body with an option that this server can't honor, because a caller would otherwise pay for a result without
 * it. `at` is the object in the body that has the options.
 */
export const refuseUnsupported =
  (options: ReadonlyArray<UnsupportedOption>, at: ReadonlyArray<string> = []) =>
  (body: object): Effect.Effect<void, HTTPValidationError> => {
    for (const { harmless = [], issue, mayBeEmpty = false, name } of options) {
      if (!Predicate.hasProperty(body, name) || asksForNothing(body[name], harmless)) continue
      if (mayBeEmpty && isEmptyObject(body[name])) continue
      return Effect.fail(invalid(["body", ...at, name], issue))
    }
    return Effect.void
  }
