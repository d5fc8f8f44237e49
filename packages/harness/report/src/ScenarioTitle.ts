import type { ScenarioName } from "./Comparison.ts"

/** The title of a scenario in reports and messages: `shop › pays by card`. */
export const scenarioTitle = ({ name, suite }: ScenarioName): string => `${suite} › ${name}`
