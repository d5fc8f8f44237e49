/** A share as a person reads it: `95 %`, and `99.5 %` where whole numbers hide what is said. */
export const percent = (share: number): string => {
  const exact = share * 100
  const digits = exact > 99 && exact < 100 ? 1 : 0
  return `${exact.toFixed(digits)} %`
}

/** True if a ratio is too close to 1 to be written as a change. */
export const isSame = (ratio: number): boolean => Math.abs(ratio - 1) < 0.0005

/** A ratio as a change: `9 % more`, `4 % less`, `3.2 times more`. */
export const change = (ratio: number, [more, less]: readonly [string, string]): string => {
  if (ratio >= 3) return `${ratio.toFixed(ratio < 10 ? 1 : 0)} times ${more}`
  if (isSame(ratio)) return "unchanged"
  const points = Math.abs(ratio - 1) * 100
  return `${points.toFixed(points < 10 ? 1 : 0)} % ${ratio >= 1 ? more : less}`
}

/** Formats a number of nights. */
export const nights = (count: number): string => `${count} night${count === 1 ? "" : "s"}`

/** Tonight, or the nights of a window. */
export const lately = (size: number): string => (size === 1 ? "tonight" : `in the last ${nights(size)}`)

/** A time with its unit. */
export const time = (time_ms: number): string => {
  if (time_ms < 10) return `${time_ms.toFixed(1)} ms`
  if (time_ms < 1000) return `${Math.round(time_ms)} ms`
  return time_ms < 100_000
    ? `${(time_ms / 1000).toFixed(time_ms < 10_000 ? 2 : 1)} s`
    : `${Math.round(time_ms / 1000)} s`
}

/** An amount with its unit. */
export const dollars = (amount: number): string => `${Number(amount.toPrecision(3))} USD`
