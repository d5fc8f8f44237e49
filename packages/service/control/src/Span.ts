import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

const units = {
  ms: "millis",
  milli: "millis",
  millis: "millis",
  s: "seconds",
  second: "seconds",
  seconds: "seconds",
  m: "minutes",
  minute: "minutes",
  minutes: "minutes",
  h: "hours",
  hour: "hours",
  hours: "hours",
  d: "days",
  day: "days",
  days: "days"
} as const

const written = new RegExp(String.raw`^(\d+(?:\.\d+)?) ?(${Object.keys(units).join("|")})$`, "u")

const parse = (text: string): Duration.Duration => {
  const [, amount, unit] = written.exec(text) ?? []
  return Duration.fromInputUnsafe(`${Number(amount)} ${units[(unit ?? "ms") as keyof typeof units]}`)
}

const day_ms = 86_400_000

/** The longest length of time that is taken: dates that many of these make are still dates. */
const longest_days = 36_500

const isShort = (text: string): boolean => {
  const [, amount, unit] = written.exec(text) ?? []
  if (amount === undefined || unit === undefined) return true
  const ms = Number(amount) * Duration.toMillis(Duration.fromInputUnsafe(`1 ${units[unit as keyof typeof units]}`))
  return ms <= longest_days * day_ms
}

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
    decode: SchemaGetter.transform(parse),
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
