// Lanczos' approximation, g = 7
const lanczos = [
  0.999_999_999_999_809_93, 676.520_368_121_885_1, -1259.139_216_722_402_8, 771.323_428_777_653_13,
  -176.615_029_162_140_59, 12.507_343_278_686_905, -0.138_571_095_265_720_12, 9.984_369_578_019_571_6e-6,
  1.505_632_735_149_311_6e-7
] as const

/** The natural logarithm of the gamma function of a positive number. */
export const logGamma = (value: number): number => {
  const x = value - 1
  const base = x + 7.5
  const series = lanczos.reduce((sum, term, index) => (index === 0 ? term : sum + term / (x + index)), 0)
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(base) - base + Math.log(series)
}

const factorials = [0]
const most = 4096

/** The natural logarithm of a factorial. */
const logFactorial = (value: number): number => {
  if (value > most) return logGamma(value + 1)
  for (let next = factorials.length; next <= value; next++)
    factorials.push((factorials[next - 1] ?? 0) + Math.log(next))
  return factorials[value] ?? 0
}

/** The natural logarithm of the binomial coefficient: in how many ways `chosen` of `all` can be chosen. */
export const logChoose = (all: number, chosen: number): number =>
  logFactorial(all) - logFactorial(chosen) - logFactorial(all - chosen)
