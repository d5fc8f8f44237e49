import type { ScenarioName } from "@webagent/report/Comparison"

/** The query of an address, without the names that are empty. */
export const queryOf = (values: Readonly<Record<string, string | number | boolean | undefined>>): string => {
  const query = new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined || value === "" || value === false ? [] : [[name, String(value)]]
    )
  )
  return query.size === 0 ? "" : `?${query}`
}

/** A text of a query, shortened: an address may hold anything. */
export const textIn = (query: URLSearchParams, name: string): string => (query.get(name) ?? "").slice(0, 500)

/** The address of a run. */
export const runAddress = (run: string): string => `/runs/${encodeURIComponent(run)}`

/** The address of a scenario of a run; without an index, of the trial to look at first. */
export const trialAddress = (run: string, { name, suite }: ScenarioName, index?: number): string =>
  `/trial/${encodeURIComponent(run)}${queryOf({ suite, name, trial: index === undefined ? undefined : index + 1 })}`

/** The address of a night. */
export const nightAddress = (night: string): string => `/nights/${encodeURIComponent(night)}`

/** The address of a scenario over time. */
export const scenarioAddress = ({ name, suite }: ScenarioName): string => `/scenario${queryOf({ suite, name })}`

/** The address of two nights compared. */
export const compareAddress = (night: string, before: string): string =>
  `/compare/${encodeURIComponent(night)}${queryOf({ before })}`

/** The address of a load test. */
export const loadAddress = (run: string, test: string): string => `/load/${encodeURIComponent(run)}${queryOf({ test })}`

/** The address of two load tests compared; without an earlier one, of two services compared under the same load. */
export const loadComparisonAddress = (run: string, test: string, before?: string): string =>
  `/load-comparison/${encodeURIComponent(run)}${queryOf({ test, before })}`

/** The scenario of a query; undefined if it names none. */
export const scenarioIn = (search: string): ScenarioName | undefined => {
  const query = new URLSearchParams(search)
  const [suite, name] = [query.get("suite"), query.get("name")]
  return suite === null || name === null ? undefined : { suite, name }
}
