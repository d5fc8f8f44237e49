import * as Atom from "effect/reactivity/Atom"
import { lostSince } from "../state/connection.ts"

/** The time, updated every 15 seconds for relative times. */
export const now = Atom.make((get) => {
  const timer = setInterval(() => get.setSelf(Date.now()), 15_000)
  get.addFinalizer(() => clearInterval(timer))
  return Date.now()
})

/** The time, updated every second for durations that grow. It stands still while the server doesn't respond. */
export const second = Atom.make((get) => {
  const lost_ms = get(lostSince)
  if (lost_ms !== undefined) return lost_ms
  const timer = setInterval(() => get.setSelf(Date.now()), 1000)
  get.addFinalizer(() => clearInterval(timer))
  return Date.now()
})

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" })
const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "long" })

/** Milliseconds of an instant; NaN if the text is none. */
export const msOf = (instant: string): number => Date.parse(instant)

/** A time relative to now, such as `3 min ago`. */
export const ago = (instant: string, now_ms: number): string => {
  const seconds = Math.round((msOf(instant) - now_ms) / 1000)
  if (Number.isNaN(seconds)) return instant
  const distance = Math.abs(seconds)
  // the time of `now` may be 15 seconds old
  if (distance < 45) return seconds > 20 ? "in a moment" : "just now"
  if (distance < 3570) return relative.format(Math.round(seconds / 60), "minute")
  if (distance < 86_400) return relative.format(Math.round(seconds / 3600), "hour")
  return relative.format(Math.round(seconds / 86_400), "day")
}

/** A date with time and zone. */
export const moment = (instant: string): string => {
  const at_ms = msOf(instant)
  return Number.isNaN(at_ms) ? instant : absolute.format(at_ms)
}

/** A duration, such as `0.4 s` or `2 min 05 s`. */
export const span = (ms: number): string => {
  if (ms < 950) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`
  return `${Math.floor(seconds / 3600)} h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, "0")} min`
}

/** An exact decimal amount in USD: four decimals below a dollar, two above. */
export const usd = (amount: string | number | null | undefined): string => {
  const value = Number(amount ?? Number.NaN)
  if (Number.isNaN(value)) return "–"
  return `$${value.toFixed(value > 0 && value < 1 ? 4 : 2)}`
}

/** A whole number with thousands separators. */
export const count = (n: number): string => n.toLocaleString("en")

/** A number with its noun: `1 run`, `2 runs`. */
export const counted = (n: number, noun: string, plural = `${noun}s`): string =>
  `${count(n)} ${n === 1 ? noun : plural}`

const units = ["B", "kB", "MB", "GB"]

/** A number of bytes, such as `512 B` or `1.5 MB`. */
export const byteSize = (bytes: number): string => {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  return `${Number((bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1))} ${units[power]}`
}

const clock = new Intl.DateTimeFormat("en", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23"
})

const date = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" })

/** The time of day of a moment, such as `14:03:07.120`. */
export const timeOfDay = (ms: number): string => clock.format(ms)

/** The time of day in seconds, such as `14:03:07`. */
export const clockTime = (ms: number): string => timeOfDay(ms).slice(0, 8)

/** A date and time of day, such as `Nov 28, 2026, 14:03:07`. */
export const dateTime = (ms: number): string => date.format(ms)
