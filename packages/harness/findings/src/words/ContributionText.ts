import type { Comparison, ScenarioName } from "@webagent/report/Comparison"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import { counted, percent, signedPercent } from "@webagent/cli/Text"
import { amount } from "./Amounts.ts"

/** The scenarios that made a whole run worse, the one that added most first. */
export interface Contribution {
  /** Share of the change that they account for together. */
  readonly share: string
  readonly scenarios: ReadonlyArray<ScenarioName & { readonly title: string; readonly text: string }>
}

// if the first few account for less, no few scenarios are the reason
const concentrated = 0.5
// if all changed by at least this much of the greatest change, no few scenarios are the reason
const alike = 0.5
// examples of a change that all scenarios have, so that the next step fits on the same screen
const mostExamples = 2

/** The scenarios that made a whole run worse. */
export const of = (comparison: Comparison): Contribution | undefined => {
  const { contributed, contributors = [], figure, scenarios: ran = 0 } = comparison
  if (contributors.length === 0) return undefined
  const share = contributors.reduce((sum, { share }) => sum + share, 0)
  const unit = figure === "pass rate" ? "" : " per trial"
  const scenarios = contributors.map(({ before, name, now, suite }) => ({
    suite,
    name,
    title: scenarioTitle({ suite, name }),
    text: `${amount(now)}${unit}, usually ${amount(before)}`
  }))
  const all = counted(ran, "scenario")
  // the contributors may be only the first few: these are counted before
  if (contributed !== undefined && contributed.scenarios > 1) {
    const { greatest, least, scenarios: count } = contributed
    const isMany = count === ran || count > contributors.length
    if (isMany && least > alike * greatest) {
      const range = [...new Set([least, greatest].map(signedPercent))].join(" to ")
      return {
        share: `${count === ran ? "all" : `${count} of`} ${all}, ${range}; for example`,
        scenarios: scenarios.slice(0, mostExamples)
      }
    }
  }
  const part = share > 0.995 ? "all" : percent(share, 0)
  return {
    share: `${share < concentrated ? "spread over many scenarios; " : ""}${part} of it comes from ${scenarios.length} of ${all}`,
    scenarios
  }
}

const mostInLine = 3

/** The reason why a whole run is worse, in one line. */
export const line = (contribution: Contribution | undefined): ReadonlyArray<string> => {
  if (contribution === undefined) return []
  const { scenarios, share } = contribution
  const named = scenarios.slice(0, mostInLine).map(({ text, title }) => `${title} ${text}`)
  return [`${share}: ${[...named, ...(scenarios.length > mostInLine ? ["…"] : [])].join("; ")}`]
}
