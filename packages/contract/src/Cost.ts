import { decimalPattern } from "./DecimalString.ts"

/**
 * Names under which services report the cost of a run, task or session in USD. The description only has `cost`, of a v2
 * task. Of several, the first one with a readable amount counts.
 */
export const costFields = ["cost", "totalCostUsd"] as const

/**
 * Returns a number as a decimal string, or undefined if it isn't certain which number was sent: JSON numbers can have any
 * number of digits, and JavaScript keeps 15 of them for certain.
 */
export const decimalOf = (value: number): string | undefined => {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/u.exec(String(value)) ?? []
  const digits = `${whole}${fraction}`
  if (digits === "" || digits.replace(/^0+/u, "").length > 15) return undefined
  const point = whole.length + Number(exponent)
  const padded = point > 0 ? digits.padEnd(point, "0") : `${"0".repeat(1 - point)}${digits}`
  const at = Math.max(1, point)
  return `${sign}${padded.slice(0, at)}${at < padded.length ? `.${padded.slice(at)}` : ""}`
}

/**
 * Returns the cost that a run, task or session reports in any of `costFields`, as text or as a number; undefined if it
 * reports none.
 *
 * @param record - The response of the service, as it was sent.
 * @returns An exact decimal in USD.
 * @example
 * ```ts
 * import { costOf } from "@webagent/contract"
 *
 * console.log(costOf({ id: "r-1", status: "completed", totalCostUsd: 0.42 })) // 0.42
 * ```
 */
export const costOf = (record: Readonly<Record<string, unknown>>): string | undefined => {
  for (const name of costFields) {
    const value = record[name]
    const text = typeof value === "number" ? decimalOf(value) : value
    if (typeof text === "string" && decimalPattern.test(text)) return text
  }
  return undefined
}
