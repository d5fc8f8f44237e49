import type { Amount } from "@webagent/report/Comparison"

/** A share in percent: `95 %`, and `99.5 %` if whole numbers would hide that it isn't all. */
export const percent = (share: number): string => {
  const exact = share * 100
  const digits = exact > 99 && exact < 100 ? 1 : 0
  return `${exact.toFixed(digits)} %`
}

/** True if a ratio is too close to 1 to be written as a change. */
export const isSame = (ratio: number): boolean => Math.abs(ratio - 1) < 0.0005

/** Words for more, less and several times as much of a figure. */
const comparatives: Readonly<Record<string, readonly [more: string, less: string, times: string]>> = {
  duration: ["longer", "shorter", "as long"],
  cost: ["more expensive", "cheaper", "as expensive"]
}

/**
 * A ratio as a change of a figure: `9 % longer`, `4 % cheaper`, `3.2 times as long`; with `when` to be followed by the time
 * before: `9 % longer tonight than`, `3.2 times as long tonight as`.
 */
export const change = (ratio: number, figure: string, when?: string): string => {
  const [more, less, times] = comparatives[figure] ?? ["more", "less", "as much"]
  if (isSame(ratio)) return when === undefined ? "unchanged" : `the same ${when} as`
  const points = Math.abs(ratio - 1) * 100
  const text =
    ratio >= 3
      ? `${ratio.toFixed(ratio < 10 ? 1 : 0)} times ${times}`
      : `${points.toFixed(points < 10 ? 1 : 0)} % ${ratio >= 1 ? more : less}`
  return when === undefined ? text : `${text} ${when} ${ratio >= 3 ? "as" : "than"}`
}

/** A number of nights. */
export const nights = (count: number): string => `${count} night${count === 1 ? "" : "s"}`

/** Tonight, or the nights of a window. */
export const lately = (window: number): string => (window === 1 ? "tonight" : `in the last ${nights(window)}`)

/** A p value: `p = 0.013`. */
export const chance = (pValue: number, digits = 3): string =>
  pValue < 10 ** -digits ? `p < ${(10 ** -digits).toFixed(digits)}` : `p = ${pValue.toFixed(digits)}`

/** The judge counts a shorter trial as this long, because a clock says more about the machine below it. */
const shortest_ms = 20

const time = (time_ms: number): string => {
  if (time_ms <= shortest_ms + 0.001) return `at most ${shortest_ms} ms`
  if (time_ms < 1000) return `${Math.round(time_ms)} ms`
  return time_ms < 100_000
    ? `${(time_ms / 1000).toFixed(time_ms < 10_000 ? 2 : 1)} s`
    : `${Math.round(time_ms / 1000)} s`
}

/** A measured value with its unit: `3 of 5`, `1.19 s`, `0.0132 USD`. */
export const amount = (value: Amount, figure = ""): string => {
  switch (value._tag) {
    case "Rate":
      return `${value.passed} of ${value.scored}`
    case "Share":
      return percent(value.share)
    case "Duration":
      return time(value.milliseconds)
    case "Cost":
      return `${Number(Number(value.usd).toPrecision(3))} USD`
    case "Count":
      return String(value.count)
    case "Ratio":
      return change(value.ratio, figure)
  }
}

/** A rate or a share from 0 to 1. */
export const shareOf = (value: Amount): number =>
  value._tag === "Rate" ? value.passed / Math.max(1, value.scored) : value._tag === "Share" ? value.share : Number.NaN
