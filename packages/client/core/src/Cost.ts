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

interface Decimal {
  readonly digits: bigint
  /** Digits after the point. */
  readonly scale: number
}

const parse = (text: string): Decimal => {
  const [whole = "", fraction = ""] = text.replace("+", "").split(".")
  const digits = BigInt(`${whole.replace("-", "")}${fraction}`)
  return { digits: whole.startsWith("-") ? -digits : digits, scale: fraction.length }
}

const sum = (left: Decimal, right: Decimal): Decimal => {
  const scale = Math.max(left.scale, right.scale)
  const scaled = (decimal: Decimal) => decimal.digits * 10n ** BigInt(scale - decimal.scale)
  return { digits: scaled(left) + scaled(right), scale }
}

const format = ({ digits, scale }: Decimal) => {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0")
  const point = text.length - scale
  const fraction = text.slice(point).replace(/0+$/u, "")
  return `${digits < 0n ? "-" : ""}${text.slice(0, point)}${fraction === "" ? "" : `.${fraction}`}`
}

/** Adds decimal strings without rounding. What is missing, or no decimal number, is counted apart. */
export const total = (costs: Iterable<string | null | undefined>): TotalCost => {
  let all: Decimal = { digits: 0n, scale: 0 }
  let known = 0
  let unknown = 0
  for (const cost of costs) {
    if (typeof cost === "string" && decimalPattern.test(cost)) {
      all = sum(all, parse(cost))
      known++
    } else {
      unknown++
    }
  }
  return { total: format(all), known, unknown }
}
