// of the normal distribution, for 95 % on two sides
const z = 1.959_963_984_540_054
// half of these pass, and half fail
const added = z ** 2

/**
 * Returns a 95 % confidence interval for the mean of shares from 0 to 1, such as the success rates of tasks. For shares
 * that are only 0 or 1, it is the interval of Agresti and Coull: the normal one after about two passes and two failures
 * are added. Without these, a few shares that happen to be alike would look certain.
 *
 * @param shares - Shares of tasks that were chosen independently of each other.
 * @returns The interval within [0, 1], which contains the mean; undefined for fewer than two shares.
 */
export const ofMean = (shares: ReadonlyArray<number>): { readonly low: number; readonly high: number } | undefined => {
  if (shares.length < 2) return undefined
  const count = shares.length + added
  const sum = shares.reduce((total, share) => total + share, 0)
  const middle = (sum + added / 2) / count
  const squares = (shares.reduce((total, share) => total + share ** 2, 0) + added / 2) / count
  const reach = z * Math.sqrt((squares - middle ** 2) / count)
  const mean = sum / shares.length
  // the added ones move the middle away from the mean, which many equal shares would leave outside
  return { low: Math.min(mean, Math.max(0, middle - reach)), high: Math.max(mean, Math.min(1, middle + reach)) }
}
