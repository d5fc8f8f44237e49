import * as DateTime from "effect/DateTime"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"

// pure, all three: a client of a version without times has none of them
const date = /* @__PURE__ */ String.raw`\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?`

/** A date-time as RFC 3339 text. Read leniently: in either case, and a missing offset means UTC, as it does in task times. */
export const Timestamp = /* @__PURE__ */ (() =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^${date}(?:[Zz]|[+-]\\d{2}:\\d{2})?$`, "u"), { message: "Expected a date-time" })
  ))()

/**
 * A v2 task time: "date-time, naive UTC", such as `2026-05-01T09:30:00.123456`. This is not RFC 3339, so a
 * validator of `format: date-time` refuses it. An offset is tolerated when reading, our server never sends one.
 */
export const NaiveTimestamp = /* @__PURE__ */ Timestamp.annotate({ examples: ["2026-05-01T09:30:00.123456"] })

/** The instant that a timestamp of the service names; none when the text is no time. Effect reads naive text as UTC. */
export const toDateTime = (timestamp: string): Option.Option<DateTime.Utc> => DateTime.make(timestamp.toUpperCase())

/** The latest instants that were written. Most are written several times, such as for each poll. */
const written = /* @__PURE__ */ new Map<number, string>()

/** An instant as our server writes it in every place but a v2 task: RFC 3339 with `Z`. */
export const fromMillis = (epoch_ms: number): string => {
  const existing = written.get(epoch_ms)
  if (existing !== undefined) return existing
  if (written.size === 1000) written.clear()
  const text = new Date(epoch_ms).toISOString()
  written.set(epoch_ms, text)
  return text
}

/** An instant as our server writes it in a v2 task: naive UTC, six digits of seconds as the service's own. */
export const naiveFromMillis = (epoch_ms: number): string => `${fromMillis(epoch_ms).slice(0, -1)}000`
