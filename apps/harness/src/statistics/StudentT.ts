// Lanczos' approximation, g = 7
const lanczos = [
  0.999_999_999_999_809_93, 676.520_368_121_885_1, -1259.139_216_722_402_8, 771.323_428_777_653_13,
  -176.615_029_162_140_59, 12.507_343_278_686_905, -0.138_571_095_265_720_12, 9.984_369_578_019_571_6e-6,
  1.505_632_735_149_311_6e-7
] as const

const logGamma = (value: number): number => {
  const x = value - 1
  const base = x + 7.5
  const series = lanczos.reduce((sum, term, index) => (index === 0 ? term : sum + term / (x + index)), 0)
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(base) - base + Math.log(series)
}

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

/** The regularised incomplete beta function. */
const beta = (a: number, b: number, x: number): number => {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x))
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(a, b, x)) / a : 1 - (front * betaFraction(b, a, 1 - x)) / b
}

/** The share of Student's t distribution below a value; `freedom` is its degrees of freedom, 1 or more. */
export const cdf = (value: number, freedom: number): number => {
  const tail = beta(freedom / 2, 0.5, freedom / (freedom + value * value)) / 2
  return value > 0 ? 1 - tail : tail
}

/** The value below which a share of Student's t distribution lies; the share is between 0 and 1. */
export const quantile = (share: number, freedom: number): number => {
  if (share === 0.5) return 0
  if (share < 0.5) return -quantile(1 - share, freedom)
  let high = 1
  while (cdf(high, freedom) < share) high *= 2
  let low = 0
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2
    if (cdf(middle, freedom) < share) low = middle
    else high = middle
  }
  return (low + high) / 2
}
