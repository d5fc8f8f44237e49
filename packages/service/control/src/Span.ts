import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

const units: Readonly<Record<string, string>> = { ms: "millis", s: "seconds", m: "minutes", h: "hours", d: "days" }

const written = /^(\d+(?:\.\d+)?) ?(ms|[smhd]|millis?|seconds?|minutes?|hours?|days?)$/u

const day_ms = 86_400_000

/** The longest length of time that is taken: dates that many of these make are still dates. */
const longest_days = 36_500

/**
 * A length of time as people write it, such as `200ms` or `45 seconds`.
 *
 * @param text - A text such as `200ms`.
 * @returns The length of time, or none.
 * @example
 * ```ts
 * import { spanFromText } from "@webagent/simulation"
 *
 * export const span = spanFromText("45 seconds")
 * ```
 */
export const spanFromText = (text: string): Option.Option<Duration.Duration> => {
  const [, amount, unit = ""] = written.exec(text) ?? []
  return amount === undefined ? Option.none() : Duration.fromInput(`${amount} ${units[unit] ?? unit}` as Duration.Input)
}

const isShort = (text: string): boolean =>
  Option.match(spanFromText(text), {
    onNone: () => true,
    onSome: (span) => Duration.toMillis(span) <= longest_days * day_ms
  })

const scales = [
  ["days", day_ms],
  ["hours", 3_600_000],
  ["minutes", 60_000],
  ["seconds", 1000]
] as const

const write = (duration: Duration.Duration): string => {
  const ms = Duration.toMillis(duration)
  const [unit, size] = scales.find(([, scale]) => ms !== 0 && ms % scale === 0) ?? ["millis", 1]
  // a number that small would be written with an exponent
  return `${ms < 1e-6 ? 0 : ms / size} ${unit}`
}

/** A length of time as people write it: `200ms`, `1.5 seconds`, `45s`, `30 minutes`, `2h`, `1 day`; at most 36500 days. */
export const Span = Schema.String.check(
  Schema.isPattern(written, { expected: "a length of time such as 200ms, 45 seconds or 30m" }),
  Schema.makeFilter(isShort, { expected: `a length of time of at most ${longest_days} days` })
).pipe(
  Schema.decodeTo(Schema.Duration, {
    decode: SchemaGetter.transform((text) => Option.getOrElse(spanFromText(text), () => Duration.zero)),
    encode: SchemaGetter.transform(write)
  })
)

/** A check that one length of time is not longer than another: the issue is about the first. */
export const notLonger = <const Short extends string, const Long extends string>(short: Short, long: Long) =>
  Schema.makeFilter((value: Readonly<Record<Short | Long, Duration.Duration>>) =>
    Duration.isLessThanOrEqualTo(value[short], value[long])
      ? undefined
      : { path: [short], issue: `is longer than ${long}` }
  )
