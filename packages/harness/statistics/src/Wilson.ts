// of the normal distribution, for 95 % on two sides
const z = 1.959_963_984_540_054

/** Wilson's 95 % confidence interval for a share that was seen `times` times among `of`. */
export const interval = (times: number, of: number): { readonly low: number; readonly high: number } => {
  if (of === 0) return { low: 0, high: 1 }
  const share = times / of
  const scale = 1 + z ** 2 / of
  const middle = (share + z ** 2 / (2 * of)) / scale
  const reach = (z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2))) / scale
  // at the ends rounding would leave a little beside nothing and all
  return { low: times === 0 ? 0 : middle - reach, high: times === of ? 1 : middle + reach }
}
