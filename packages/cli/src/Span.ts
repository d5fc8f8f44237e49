import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

const units: Readonly<Record<string, string>> = { ms: "millis", s: "seconds", m: "minutes", h: "hours", d: "days" }

const written = /^(\d+(?:\.\d+)?) ?(ms|[smhd]|millis?|seconds?|minutes?|hours?|days?)$/u

/** Reads a length of time with its unit, such as `200ms`, `2s` or `45 seconds`. */
export const parse = (text: string): Option.Option<Duration.Duration> => {
  const [, amount, unit = ""] = written.exec(text.trim()) ?? []
  return amount === undefined ? Option.none() : Duration.fromInput(`${amount} ${units[unit] ?? unit}` as Duration.Input)
}
