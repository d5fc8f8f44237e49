import { decimalPattern } from "@webagent/contract"

/** The total cost of several resources. */
export interface TotalCost {
  /** The exact sum of what is known, in USD, as a decimal string without an exponent: `"0"`, `"0.0264"`. */
  readonly total: string
  /** Number of amounts in the sum. */
  readonly known: number
  /** Number of resources with an unknown cost. */
  readonly unknown: number
}

/**
 * Adds decimal strings without rounding. Missing costs, and texts that aren't decimal numbers, are counted as unknown.
 *
 * @param costs - Amounts in USD, as the service returns them.
 * @returns The exact sum in USD, and the numbers of known and unknown costs.
 * @example
 * ```ts
 * import { Cost } from "@webagent/core"
 *
 * console.log(Cost.total(["0.10", "0.20", null])) // { total: "0.3", known: 2, unknown: 1 }
 * ```
 */
export const total = (costs: Iterable<string | null | undefined>): TotalCost => {
  const all = Array.from(costs)
  const amounts = all.filter((cost) => typeof cost === "string" && decimalPattern.test(cost)) as ReadonlyArray<string>
  const parts = amounts.map((amount) => amount.split(".") as [whole: string, fraction?: string])
  // the digits after the point, of the amount that has most of them
  const scale = parts.reduce((most, [, fraction = ""]) => Math.max(most, fraction.length), 1)
  const sum = parts.reduce((sum, [whole, fraction = ""]) => sum + BigInt(whole + fraction.padEnd(scale, "0")), 0n)
  const digits = String(sum)
    .replace("-", "")
    .padStart(scale + 1, "0")
  const text = `${digits.slice(0, -scale)}.${digits.slice(-scale)}`.replace(/\.?0+$/u, "")
  return { total: sum < 0n ? `-${text}` : text, known: amounts.length, unknown: all.length - amounts.length }
}
