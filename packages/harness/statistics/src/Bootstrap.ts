import { drawing } from "./Drawing.ts"
import { mean, quantile } from "./Quantile.ts"

const draws = 2000

/**
 * Within what the mean lies, with a confidence of 95 %, when the numbers are drawn again; the same for the same seed.
 * Nothing can be said of fewer than two numbers.
 */
export const ofMean = (
  numbers: ReadonlyArray<number>,
  seed: number
): { readonly low: number; readonly high: number } | undefined => {
  const count = numbers.length
  if (count < 2) return undefined
  const next = drawing(seed)
  const means = new Float64Array(draws)
  for (let index = 0; index < draws; index++) {
    let sum = 0
    for (let drawn = 0; drawn < count; drawn++) sum += numbers[Math.floor(next() * count)] ?? 0
    means[index] = sum / count
  }
  const ordered = means.toSorted()
  // a mean of equal numbers would lie beside them by what adding them rounds
  const middle = mean(numbers)
  return { low: Math.min(middle, quantile(ordered, 0.025)), high: Math.max(middle, quantile(ordered, 0.975)) }
}
