import { logChoose, logGamma } from "./Gamma.ts"

const logBeta = (a: number, b: number) => logGamma(a) + logGamma(b) - logGamma(a + b)

/**
 * The logarithm of the chance of one sequence of trials with these counts, when the chance of a failure is drawn from a beta
 * distribution.
 */
export const logChance = (failed: number, passed: number, a: number, b: number): number =>
  logBeta(a + failed, b + passed) - logBeta(a, b)

/**
 * The chance of `least` or more of `trials`, when the chance of one is itself drawn from a beta distribution: a rate that
 * is not known exactly, and differs from night to night.
 */
export const atLeast = (least: number, trials: number, a: number, b: number): number => {
  if (least <= 0) return 1
  let sum = 0
  const whole = logBeta(a, b)
  for (let count = trials; count >= least; count--)
    sum += Math.exp(logChoose(trials, count) + logBeta(count + a, trials - count + b) - whole)
  return Math.min(1, sum)
}
