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

const scales = [
  ["days", 86_400_000],
  ["hours", 3_600_000],
  ["minutes", 60_000],
  ["seconds", 1000]
] as const

const write = (duration: Duration.Duration): string => {
  const ms = Duration.toMillis(duration)
  const [unit, size] = scales.find(([, scale]) => ms !== 0 && ms % scale === 0) ?? ["millis", 1]
  return `${ms / size} ${unit}`
}

/** A length of time as people write it: `200ms`, `1.5 seconds`, `45s`, `30 minutes`, `2h`, `1 day`. */
export const Span = Schema.String.check(
  Schema.isPattern(written, { expected: "a length of time such as 200ms, 45 seconds or 30m" })
).pipe(
  Schema.decodeTo(Schema.Duration, {
    decode: SchemaGetter.transform(parse),
    encode: SchemaGetter.transform(write)
  })
)

/** A check that one length of time is not longer than another: the complaint is about the first. */
export const notLonger = <const Short extends string, const Long extends string>(short: Short, long: Long) =>
  Schema.makeFilter((value: Readonly<Record<Short | Long, Duration.Duration>>) =>
    Duration.isLessThanOrEqualTo(value[short], value[long])
      ? undefined
      : { path: [short], issue: `is longer than ${long}` }
  )
