import { Cost } from "@webagent/core"

const millionth = 6

/** The exact sum of amounts in USD. */
export const sum = (amounts: Iterable<string>): string => Cost.total(amounts).total

/** What is left of an amount when another is taken from it; less than nothing begins with a minus. */
export const difference = (from: string, taken: string): string =>
  sum([from, taken.startsWith("-") ? taken.slice(1) : `-${taken.replace("+", "")}`])

/** Whether an amount is more than another. */
export const isMore = (left: string, right: string): boolean => difference(right, left).startsWith("-")

/** The amount so many times, divided by so many, rounded up to a millionth; the amount is not less than nothing. */
export const share = (amount: string, times: number, by: number): string => {
  const [whole = "0", fraction = ""] = sum([amount]).split(".")
  const scale = Math.max(fraction.length, millionth)
  const units = BigInt(whole + fraction.padEnd(scale, "0")) * BigInt(times)
  const divisor = BigInt(by) * 10n ** BigInt(scale - millionth)
  const text = String((units + divisor - 1n) / divisor).padStart(millionth + 1, "0")
  return sum([`${text.slice(0, -millionth)}.${text.slice(-millionth)}`])
}

/** An amount for a person, with cents at least: `0.50 USD`, `0.0264 USD`. */
export const shown = (amount: string): string => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return `${whole}.${fraction.padEnd(2, "0")} USD`
}
