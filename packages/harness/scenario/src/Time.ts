import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

const units = { ms: "millis", s: "seconds", m: "minutes", h: "hours", d: "days" } as const

/**
 * A time as a suite, a configuration or a flag writes it: `"30s"`, `"5 minutes"`, milliseconds as a number, a Duration.
 * Any string has this type, so that a value of your configuration fits. One that isn't a time is refused at run time.
 */
export type Time = Duration.Input | `${number}${keyof typeof units}` | (string & {})

/** Description of allowed values, for a message. */
export const expected = 'a time such as "30s", "500ms", "5 minutes", or milliseconds as a number'

/**
 * Reads a time. A text needs its unit.
 *
 * @param written - A text such as `"30s"` or `"5 minutes"`, or a number of milliseconds.
 * @returns The time, or none if the text has no unit or is no time.
 * @example
 * ```ts
 * import { parse } from "@webagent/scenario/Time"
 *
 * export const timeout = parse("5 minutes")
 * ```
 */
export const parse = (written: unknown): Option.Option<Duration.Duration> => {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?(ms|[smhd])$/u.exec(String(written).trim()) ?? []
  const input = unit === undefined ? written : `${amount} ${units[unit as keyof typeof units]}`
  return Option.filter(
    Duration.fromInput(input as Duration.Input),
    (time) => Duration.isFinite(time) && Duration.isGreaterThan(time, Duration.zero)
  )
}
