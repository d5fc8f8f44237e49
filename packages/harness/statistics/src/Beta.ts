import { logGamma } from "./Gamma.ts"

/** The continued fraction of the incomplete beta function, by Lentz' method. */
const betaFraction = (a: number, b: number, x: number): number => {
  const tiny = 1e-300
  const away = (value: number) => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let result = d
  for (let m = 1; m <= 300; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    result *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    const change = d * c
    result *= change
    if (Math.abs(change - 1) < 1e-14) break
  }
  return result
}

/** The regularised incomplete beta function: the share of the beta distribution below x. */
export const cdf = (a: number, b: number, x: number): number => {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x))
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(a, b, x)) / a : 1 - (front * betaFraction(b, a, 1 - x)) / b
}

/** The value below which a share of the beta distribution lies. */
export const quantile = (share: number, a: number, b: number): number => {
  let [low, high] = [0, 1]
  // small values need as many digits as large ones
  for (let step = 0; step < 1100 && high - low > 1e-14 * high; step++) {
    const middle = (low + high) / 2
    if (cdf(a, b, middle) < share) low = middle
    else high = middle
  }
  return (low + high) / 2
}
