import * as Beta from "./Beta.ts"

/** The share of Student's t distribution below a value; `freedom` is its degrees of freedom, 1 or more. */
export const cdf = (value: number, freedom: number): number => {
  const tail = Beta.cdf(freedom / 2, 0.5, freedom / (freedom + value * value)) / 2
  return value > 0 ? 1 - tail : tail
}

/** The share of Student's t distribution above a value, exact also where it is tiny. */
export const above = (value: number, freedom: number): number => cdf(-value, freedom)

const search = (share: number, freedom: number): number => {
  let high = 1
  while (cdf(high, freedom) < share) high *= 2
  let low = 0
  for (let step = 0; step < 60 && high - low > 1e-12 * high; step++) {
    const middle = (low + high) / 2
    if (cdf(middle, freedom) < share) low = middle
    else high = middle
  }
  return (low + high) / 2
}

// the same few shares are asked for again and again
const cache = new Map<string, number>()
const most = 1000

/** The value below which a share of Student's t distribution lies; the share is between 0 and 1. */
export const quantile = (share: number, freedom: number): number => {
  if (share === 0.5) return 0
  if (share < 0.5) return -quantile(1 - share, freedom)
  const key = `${share} ${freedom}`
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  if (cache.size >= most) cache.clear()
  const value = search(share, freedom)
  cache.set(key, value)
  return value
}
