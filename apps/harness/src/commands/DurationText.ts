import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

const units = { ms: "millis", s: "seconds", m: "minutes", h: "hours" } as const

/** A time as flags take it, such as `500ms`, `30s` or `5m`; nothing for any other text, or no time at all. */
export const parseDuration = (text: string): Option.Option<Duration.Duration> => {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?(ms|s|m|h)$/u.exec(text.trim()) ?? []
  return Number(amount) > 0
    ? Duration.fromInput(`${Number(amount)} ${units[unit as keyof typeof units]}`)
    : Option.none()
}
