import { Spelling } from "@webagent/control"
import type { Scenario } from "@webagent/scenario"
import type { Suite } from "@webagent/scenario"
import type * as Duration from "effect/Duration"

/** Limits of a scenario that it does not declare itself. */
export interface ScenarioLimits {
  readonly maxDuration: Duration.Duration | undefined
  /** An exact decimal. */
  readonly maxCost_usd: string | undefined
}

/** The names under which limits of a scenario stand, the closest to it first. */
const namesOf = (suite: string, { name, tags }: Scenario): ReadonlyArray<string> => [
  `${suite} > ${name}`,
  name,
  ...tags.map((tag) => `tag:${tag}`),
  suite
]

/** The suites with limits for the scenarios that declare none, by the name of a scenario, a tag or a suite. */
export const apply = (
  suites: ReadonlyArray<Suite.Suite>,
  limits: Readonly<Record<string, ScenarioLimits>>
): ReadonlyArray<Suite.Suite> => {
  const first = (suite: string, scenario: Scenario) =>
    namesOf(suite, scenario).flatMap((name) => (Object.hasOwn(limits, name) ? (limits[name] ?? []) : []))
  const limited = (suite: string, scenario: Scenario): Scenario => {
    const found = [scenario, ...first(suite, scenario)]
    return {
      ...scenario,
      maxDuration: found.map(({ maxDuration }) => maxDuration).find((limit) => limit !== undefined),
      maxCost_usd: found.map(({ maxCost_usd }) => maxCost_usd).find((limit) => limit !== undefined)
    }
  }
  return suites.map((suite) => ({
    ...suite,
    scenarios: suite.scenarios.map((scenario) => limited(suite.name, scenario))
  }))
}

/** A name in the limits that is of no suite, scenario or tag, and the one that was meant. */
export const stranger = (
  suites: ReadonlyArray<Suite.Suite>,
  limits: Readonly<Record<string, unknown>>
): { readonly name: string; readonly meant: string | undefined } | undefined => {
  const known = new Set(suites.flatMap(({ name, scenarios }) => scenarios.flatMap((one) => namesOf(name, one))))
  const name = Object.keys(limits).find((name) => !known.has(name))
  return name === undefined ? undefined : { name, meant: Spelling.meant(name, [...known]) }
}
