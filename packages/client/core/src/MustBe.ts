import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { shown } from "./RequestEncoding.ts"
import { inLine } from "./TransportError.ts"

/** Describes the problem with a caller's value. */
export const mustBe = (name: string, what: string, value: unknown): string =>
  `${name} must be ${what}; got ${inLine(shown(value), 99)}.`

/** Returns whether a value has fields. A Map, a Headers or an array has entries, and none of them is a field. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !(Symbol.iterator in value)

export const aRecord = "an object with fields"

/** A time, if it is one. */
export const positive = (input: Duration.Input): Duration.Duration | undefined => {
  const time = Duration.fromInput(input)
  return Option.isSome(time) && Duration.toMillis(time.value) > 0 ? time.value : undefined
}

export const aTime = 'a length of time above zero, such as "30 seconds"'
