import * as AgrestiCoull from "@webagent/statistics/AgrestiCoull"
import * as PassAtK from "@webagent/statistics/PassAtK"
import { mean } from "@webagent/statistics/Quantile"
import type { ScenarioResult, SuiteFigures } from "./RunReport.ts"
import { isScored } from "./Trial.ts"

interface Scored {
  readonly suite: string
  readonly passed: number
  readonly scored: number
}

const figuresOf = (suite: string | null, results: ReadonlyArray<Scored>): SuiteFigures => {
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
    interval: AgrestiCoull.ofMean(rates) ?? null,
    k,
    scenariosOfK: whole.length,
    passAtK: mean(whole.map(({ passed, scored }) => PassAtK.atLeastOne(passed, scored, k))),
    passHatK: mean(whole.map(({ passed, scored }) => PassAtK.all(passed, scored, k)))
  }
}

const scoredOf = (results: ReadonlyArray<ScenarioResult>): ReadonlyArray<Scored> =>
  results.flatMap(({ suite, trials }) => {
    const count = trials.filter(isScored).length
    const passed = trials.filter(({ verdict }) => verdict === "passed").length
    return count === 0 ? [] : [{ suite, passed, scored: count }]
  })

/**
 * The figures of some scenarios together, even if each has only one trial; undefined if none was scored. `suite` names
 * the row.
 */
export const together = (suite: string | null, results: ReadonlyArray<ScenarioResult>): SuiteFigures | undefined => {
  const scored = scoredOf(results)
  return scored.length === 0 ? undefined : figuresOf(suite, scored)
}

/** The figures of a run's suites, all together first; nothing where no scenario has more than one trial. */
export const of = (results: ReadonlyArray<ScenarioResult>): ReadonlyArray<SuiteFigures> | undefined => {
  if (results.every(({ trials }) => trials.length < 2)) return undefined
  const scored = scoredOf(results)
  if (scored.length === 0) return undefined
  const suites = Map.groupBy(scored, ({ suite }) => suite)
  return [figuresOf(null, scored), ...(suites.size < 2 ? [] : [...suites].map(([suite, of]) => figuresOf(suite, of)))]
}
