// a format takes longer to make than to use, and a page has tens of thousands of numbers
const formats = new Map<number, Intl.NumberFormat>()

const formatOf = (digits: number): Intl.NumberFormat => {
  const cached = formats.get(digits)
  if (cached !== undefined) return cached
  const made = new Intl.NumberFormat("en-US", { maximumFractionDigits: digits })
  formats.set(digits, made)
  return made
}

/** A number with its digits in groups: `8,214`, `1.5`. */
export const number = (value: number, digits = 1): string =>
  // most numbers are small counts and times, and a format takes ten times as long
  Number.isInteger(value) && Math.abs(value) < 1000 ? String(value) : formatOf(digits).format(value)

/** A duration: `0.4 ms`, `41 ms`, `1.31 s`, `41.2 s`, `2 min 05 s`, `1 h 30 min`. */
export const duration = (duration_ms: number): string => {
  const size = Math.abs(duration_ms)
  if (size < 999.5) return `${number(duration_ms, size < 9.95 ? 1 : 0)} ms`
  if (size < 59_950) return `${number(duration_ms / 1000, size < 9995 ? 2 : 1)} s`
  const seconds = Math.round(duration_ms / 1000)
  const minutes = seconds < 3600 ? Math.floor(seconds / 60) : Math.round(seconds / 60)
  const [large, small, units] =
    seconds < 3600 ? [minutes, seconds % 60, ["min", "s"]] : [Math.floor(minutes / 60), minutes % 60, ["h", "min"]]
  return `${large} ${units[0]}${small === 0 ? "" : ` ${String(small).padStart(2, "0")} ${units[1]}`}`
}

/** A share in percent: `97.5 %`, `100 %`. */
export const percent = (share: number, digits = 1): string => `${number(share * 100, digits)} %`

/** A change in percent with its sign: `+170 %`, `-3.2 %`. */
export const signedPercent = (change: number): string =>
  `${change < 0 ? "" : "+"}${percent(change, Math.abs(change) < 0.1 ? 1 : 0)}`

/** A number with its noun: `1 browser`, `2 browsers`; `plural` is what is added. */
export const counted = (count: number, noun: string, plural = "s"): string =>
  `${number(count)} ${noun}${count === 1 ? "" : plural}`

/** A moment with its zone: `2026-11-21 09:12:44 UTC`. */
export const moment = (iso: string): string => `${iso.slice(0, 19).replace("T", " ")} UTC`

/** Text cut to a width, with an ellipsis when something is missing. */
export const cut = (text: string, width: number): string =>
  text.length <= width ? text : width < 1 ? "" : `${text.slice(0, width - 1)}…`
