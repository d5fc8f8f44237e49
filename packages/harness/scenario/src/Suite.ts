import { wrongName } from "./Name.ts"
import type { Scenario } from "./Scenario.ts"

const TypeId = "~@webagent/scenario/Suite"

/** A named list of scenarios, in the order in which they are reported. A file `*.suite.ts` default-exports one. */
export interface Suite {
  readonly [TypeId]: typeof TypeId
  readonly name: string
  readonly scenarios: ReadonlyArray<Scenario>
}

/** A suite; throws a TypeError with one sentence when two scenarios have one name, or its own cannot be shown. */
export const make = (name: string, scenarios: ReadonlyArray<Scenario>): Suite => {
  const wrong = wrongName(name)
  if (wrong !== undefined) throw new TypeError(`Suite ${JSON.stringify(name)}: ${wrong}`)
  const seen = new Set<string>()
  for (const { name: scenario } of scenarios) {
    if (seen.has(scenario)) throw new TypeError(`Suite "${name}" has two scenarios named "${scenario}".`)
    seen.add(scenario)
  }
  return { [TypeId]: TypeId, name, scenarios }
}

/** Whether a value is a suite, also one made by another copy of this package. */
export const isSuite = (value: unknown): value is Suite =>
  typeof value === "object" && value !== null && TypeId in value
