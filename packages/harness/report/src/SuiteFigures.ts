import * as Bootstrap from "@webagent/statistics/Bootstrap"
import * as PassAtK from "@webagent/statistics/PassAtK"
import { mean } from "@webagent/statistics/Quantile"
import * as Wilson from "@webagent/statistics/Wilson"
import type { RunHeader, ScenarioResult, SuiteFigures } from "./RunReport.ts"
import { isScored } from "./Trial.ts"

interface Scored {
  readonly suite: string
  readonly passed: number
  readonly scored: number
}

/** Numbers that are all the same cannot be drawn otherwise: then it is counted how many scenarios there are. */
const intervalOf = (rates: ReadonlyArray<number>, seed: number): SuiteFigures["interval"] => {
  const [first] = rates
  if (first !== undefined && rates.length > 1 && rates.every((rate) => rate === first)) {
    return Wilson.interval(first * rates.length, rates.length)
  }
  return Bootstrap.ofMean(rates, seed) ?? null
}

const figuresOf = (suite: string | null, results: ReadonlyArray<Scored>, seed: number): SuiteFigures => {
  const rates = results.map(({ passed, scored }) => passed / scored)
  const k = Math.max(...results.map(({ scored }) => scored))
  const whole = results.filter(({ scored }) => scored === k)
  const sum = (count: (result: Scored) => number) => results.reduce((total, result) => total + count(result), 0)
  return {
    suite,
    scenarios: results.length,
    passed: sum(({ passed }) => passed),
    scored: sum(({ scored }) => scored),
    rate: mean(rates),
    interval: intervalOf(rates, seed),
    k,
    scenariosOfK: whole.length,
    passAtK: mean(whole.map(({ passed, scored }) => PassAtK.atLeastOne(passed, scored, k))),
    passHatK: mean(whole.map(({ passed, scored }) => PassAtK.all(passed, scored, k)))
  }
}

/** The figures of a run's suites, all together first; nothing where no scenario has more than one trial. */
export const of = (
  results: ReadonlyArray<ScenarioResult>,
  { seed }: Pick<RunHeader, "seed">
): ReadonlyArray<SuiteFigures> | undefined => {
  if (results.every(({ trials }) => trials.length < 2)) return undefined
  const scored = results.flatMap(({ suite, trials }): ReadonlyArray<Scored> => {
    const count = trials.filter(isScored).length
    const passed = trials.filter(({ verdict }) => verdict === "passed").length
    return count === 0 ? [] : [{ suite, passed, scored: count }]
  })
  if (scored.length === 0) return undefined
  const suites = Map.groupBy(scored, ({ suite }) => suite)
  return [
    figuresOf(null, scored, seed),
    ...(suites.size < 2 ? [] : [...suites].map(([suite, of]) => figuresOf(suite, of, seed)))
  ]
}
