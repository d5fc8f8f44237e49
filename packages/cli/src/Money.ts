import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"

const zero = BigDecimal.fromBigInt(0n)

/** Text that is no decimal number counts as nothing: a service may say anything. */
const decimal = (amount: string) => Option.getOrElse(BigDecimal.fromString(amount), () => zero)

/** Without an exponent, however small it is. */
const text = (amount: BigDecimal.BigDecimal): string => {
  const { scale, value } = BigDecimal.normalize(amount)
  const digits = String(value < 0n ? -value : value).padStart(Math.max(scale, 0) + 1, "0")
  const point = digits.length - Math.max(scale, 0)
  const whole = digits.slice(0, point) + "0".repeat(Math.max(-scale, 0))
  return `${value < 0n ? "-" : ""}${whole}${point === digits.length ? "" : `.${digits.slice(point)}`}`
}

/** The exact sum of amounts in USD. */
export const sum = (amounts: Iterable<string>): string => text(BigDecimal.sumAll(Array.from(amounts, decimal)))

/** The first amount less the second; a negative one begins with a minus. */
export const difference = (from: string, taken: string): string =>
  text(BigDecimal.subtract(decimal(from), decimal(taken)))

/** True if an amount is more than another. */
export const isMore = (left: string, right: string): boolean => BigDecimal.isGreaterThan(decimal(left), decimal(right))

/** The amount times `times`, divided by `by`, rounded up to a millionth. */
export const share = (amount: string, times: number, by: number): string =>
  text(
    BigDecimal.ceil(
      BigDecimal.divideUnsafe(
        BigDecimal.multiply(decimal(amount), BigDecimal.fromBigInt(BigInt(times))),
        BigDecimal.fromBigInt(BigInt(by))
      ),
      6
    )
  )

/** An amount for a person: to the cent, or to its first two digits where it is less: `4.35 USD`, `0.026 USD`. */
export const rounded = (amount: string): string => {
  const [whole = "0", fraction = ""] = amount.split(".")
  const first = /[1-9]/u.exec(fraction)?.index ?? 0
  const digits = whole === "0" ? Math.max(2, first + 2) : 2
  return `${whole}.${fraction.slice(0, digits).padEnd(2, "0")} USD`
}

/** An exact amount for a person, with cents at least: `0.50 USD`, `0.0264 USD`. */
export const shown = (amount: string): string => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return `${whole}.${fraction.padEnd(2, "0")} USD`
}
