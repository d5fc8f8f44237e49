import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import type { AffectedScenario } from "@webagent/report/Finding"
import { age } from "./Ages.ts"

const mostNamed = 3

/** The first few of some names, and how many more there are. */
export const listed = (names: ReadonlyArray<string>, most = mostNamed): string => {
  const more = names.length - most
  return `${names.slice(0, most).join(", ")}${more > 0 ? `, and ${more} more` : ""}`
}

/** The numbers of some shards: `shard 2`, `shards 2, 3`. */
export const shards = (numbers: ReadonlyArray<number>): string =>
  `${numbers.length === 1 ? "shard" : "shards"} ${numbers.join(", ")}`

/** Names of scenarios with their ages. */
export const dated = (scenarios: ReadonlyArray<AffectedScenario>): string =>
  listed(scenarios.map((one) => `${scenarioTitle(one)}${one.onset === undefined ? "" : ` (${age(one.onset)})`}`))
