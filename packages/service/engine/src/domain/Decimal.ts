import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"

/** An amount as text: USD or MB, never a binary fraction. */
export type Decimal = string

const parse = (text: Decimal): BigDecimal.BigDecimal =>
  Option.getOrElse(BigDecimal.fromString(text), () => BigDecimal.fromBigInt(0n))

const plain = (value: BigDecimal.BigDecimal): Decimal => {
  const { scale, value: digits } = BigDecimal.normalize(value)
  if (scale <= 0) return String(digits * 10n ** BigInt(-scale))
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0")
  return `${digits < 0n ? "-" : ""}${text.slice(0, -scale)}.${text.slice(-scale)}`
}

/** The exact sum, without an exponent. */
export const add = (left: Decimal, right: Decimal): Decimal => plain(BigDecimal.sum(parse(left), parse(right)))

/** The exact difference, without an exponent. */
export const subtract = (left: Decimal, right: Decimal): Decimal =>
  plain(BigDecimal.subtract(parse(left), parse(right)))

/** The exact product, without an exponent. */
export const multiply = (left: Decimal, right: Decimal): Decimal =>
  plain(BigDecimal.multiply(parse(left), parse(right)))

/** The product with a ratio, rounded half up to a millionth; the ratio is not negative. */
export const multiplyRatio = (amount: Decimal, numerator: bigint, denominator: bigint): Decimal => {
  const parsed = BigDecimal.normalize(parse(amount))
  const { scale, value } = BigDecimal.scale(parsed, Math.max(parsed.scale, 6))
  const divisor = denominator * 10n ** BigInt(scale - 6)
  return plain(BigDecimal.make((value * numerator * 2n + divisor) / (divisor * 2n), 6))
}

/** True if the first amount is larger. */
export const isMore = (left: Decimal, right: Decimal): boolean =>
  left !== right && BigDecimal.isGreaterThan(parse(left), parse(right))
