/** An exact decimal number: its digits, divided by ten to the power of its scale. */
interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

const zero: Decimal = { digits: 0n, scale: 0 }

const isDecimal = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/iu

const power = (exponent: number): bigint => 10n ** BigInt(exponent)

/** Text that is no decimal number counts as nothing: a service may say anything. */
const decimal = (amount: string): Decimal => {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = isDecimal.exec(amount) ?? []
  if (whole + fraction === "") return zero
  const digits = BigInt(`${whole}${fraction}`) * (sign === "-" ? -1n : 1n)
  const scale = fraction.length - Number(exponent)
  return scale < 0 ? { digits: digits * power(-scale), scale: 0 } : { digits, scale }
}

/** Without an exponent, however small it is. */
const text = ({ digits, scale }: Decimal): string => {
  let [significant, rest] = [digits, scale]
  for (; rest > 0 && significant % 10n === 0n; rest--) significant /= 10n
  const all = String(significant < 0n ? -significant : significant).padStart(rest + 1, "0")
  const point = all.length - rest
  return `${significant < 0n ? "-" : ""}${all.slice(0, point)}${rest === 0 ? "" : `.${all.slice(point)}`}`
}

/** The digits of two numbers at the scale of the one with more places. */
const aligned = (one: Decimal, other: Decimal): readonly [one: bigint, other: bigint, scale: number] => {
  const scale = Math.max(one.scale, other.scale)
  return [one.digits * power(scale - one.scale), other.digits * power(scale - other.scale), scale]
}

/** The exact sum of amounts in USD. */
export const sum = (amounts: Iterable<string>): string => {
  let total = zero
  for (const amount of amounts) {
    const [before, added, scale] = aligned(total, decimal(amount))
    total = { digits: before + added, scale }
  }
  return text(total)
}

/** The first amount less the second; a negative one begins with a minus. */
export const difference = (from: string, taken: string): string => {
  const [all, part, scale] = aligned(decimal(from), decimal(taken))
  return text({ digits: all - part, scale })
}

/** True if an amount is more than another. */
export const isMore = (left: string, right: string): boolean => {
  const [one, other] = aligned(decimal(left), decimal(right))
  return one > other
}

/** Places of a share. */
const places = 6

/** The amount times `times`, divided by `by`, rounded up to a millionth. */
export const share = (amount: string, times: number, by: number): string => {
  const { digits, scale } = decimal(amount)
  const [dividend, divisor] = [digits * BigInt(times) * power(places), BigInt(by) * power(scale)]
  const whole = dividend / divisor
  return text({ digits: dividend % divisor > 0n ? whole + 1n : whole, scale: places })
}

/** An amount for a person: to the cent, or to its first two digits where it is less: `4.35 USD`, `0.026 USD`. */
export const rounded = (amount: string): string => {
  const [whole = "0", fraction = ""] = amount.split(".")
  const first = /[1-9]/u.exec(fraction)?.index ?? 0
  const places = /^-?0*$/u.test(whole) ? Math.max(2, first + 2) : 2
  const { digits, scale } = decimal(amount)
  if (scale <= places) return shown(text({ digits, scale }))
  const unit = power(scale - places)
  const half = (digits < 0n ? -unit : unit) / 2n
  return shown(text({ digits: (digits + half) / unit, scale: places }))
}

/** An exact amount for a person, with cents at least: `0.50 USD`, `0.0264 USD`. */
export const shown = (amount: string): string => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return `${whole}.${fraction.padEnd(2, "0")} USD`
}
