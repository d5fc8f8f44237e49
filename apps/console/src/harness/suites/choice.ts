import type { StartRun, SuiteFile, SuiteScenario, SuiteTree } from "@webagent/harness-api"
import { queryOf, textIn } from "../state/address.ts"

/** A scenario with the file that it's in. */
export interface Listed extends SuiteScenario {
  readonly suite: string
  readonly argument: string
}

/** Filters of scenarios, as the page's address has them. */
export interface Filters {
  readonly text: string
  readonly tag: string
  readonly owner: string
  /** A verdict of the last run, `never` for none, or `quarantined`. */
  readonly status: string
}

/** Reads the filters of an address. */
export const filtersOf = (search: string): Filters => {
  const query = new URLSearchParams(search)
  return {
    text: textIn(query, "text"),
    tag: textIn(query, "tag"),
    owner: textIn(query, "owner"),
    status: textIn(query, "status")
  }
}

/** Writes filters as the query of an address. */
export const textOf = (filters: Filters): string => queryOf({ ...filters })

/** Every scenario with its file. */
export const scenariosOf = ({ argument, scenarios, suite }: SuiteFile): ReadonlyArray<Listed> =>
  scenarios.map((scenario) => ({ ...scenario, suite: suite ?? argument, argument }))

/** The key of a scenario among all. */
export const keyOf = ({ name, suite }: Pick<Listed, "name" | "suite">): string => JSON.stringify([suite, name])

/** The status of a scenario, as its filter has it. */
export const statusOf = ({ last, quarantine }: Pick<SuiteScenario, "last" | "quarantine">): string =>
  quarantine !== null ? "quarantined" : (last?.verdict ?? "never")

/** True if a scenario fits the filters. */
export const fits = (scenario: Listed, { owner, status, tag, text }: Filters): boolean =>
  (tag === "" || scenario.tags.includes(tag)) &&
  (owner === "" || scenario.owner === owner) &&
  (status === "" || statusOf(scenario) === status) &&
  text
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => `${scenario.suite} › ${scenario.name}`.toLowerCase().includes(word))

/** A word of a shell that can't mean anything else. */
const quoted = (word: string): string =>
  /^[\w./:@%+,-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

/** The scenarios to run: all, those of a tag, or the chosen ones. */
export interface Selected {
  readonly files: ReadonlyArray<SuiteFile>
  readonly chosen: ReadonlyArray<Listed>
  readonly target: string | undefined
  readonly trials: number | undefined
  readonly record: boolean
}

const isWhole = ({ chosen, files }: Selected): boolean =>
  chosen.length === files.reduce((sum, file) => sum + file.scenarios.length, 0)

/** The run that the selection starts. */
export const runOf = (selected: Selected): StartRun => {
  const { chosen, record, target, trials } = selected
  return {
    ...(isWhole(selected)
      ? {}
      : {
          suites: [...new Set(chosen.map(({ argument }) => argument))],
          scenarios: chosen.map(({ name, suite }) => ({ suite, name }))
        }),
    ...(target === undefined ? {} : { target }),
    ...(trials === undefined ? {} : { trials }),
    ...(record ? { record } : {})
  }
}

/** The tag that names exactly the chosen scenarios; undefined if none does. */
const tagOf = ({ chosen, files }: Selected): string | undefined => {
  const all = files.flatMap(scenariosOf)
  return chosen[0]?.tags.find(
    (tag) =>
      chosen.every(({ tags }) => tags.includes(tag)) &&
      all.filter(({ tags }) => tags.includes(tag)).length === chosen.length
  )
}

/** The commands that run the same in a terminal: one where one can, otherwise one per scenario. */
export const commandOf = (selected: Selected, program: string): string => {
  const { chosen, files, record, target, trials } = selected
  const flags = [
    ...(target === undefined ? [] : [`--target ${quoted(target)}`]),
    ...(trials === undefined ? [] : [`--trials ${trials}`]),
    ...(record ? ["--record"] : [])
  ]
  const command = (...words: ReadonlyArray<string>) => [`${program} run`, ...words, ...flags].join(" ")
  if (isWhole(selected)) return command()
  const named = new Set(chosen.map(({ argument }) => argument))
  const some = files.filter(({ argument }) => named.has(argument))
  if (some.reduce((sum, { scenarios }) => sum + scenarios.length, 0) === chosen.length)
    return command(...some.map(({ argument }) => quoted(argument)))
  const tag = tagOf(selected)
  if (tag !== undefined) return command(`--tag ${quoted(tag)}`)
  return chosen.map(({ argument, name }) => command(quoted(argument), `--name ${quoted(name)}`)).join("\n")
}

/** The values of the filters. */
export const choicesOf = ({ files }: SuiteTree) => {
  const all = files.flatMap(scenariosOf)
  const sorted = (values: ReadonlyArray<string>) => [...new Set(values)].toSorted()
  return {
    tags: sorted(all.flatMap(({ tags }) => tags)),
    owners: sorted(all.flatMap(({ owner }) => (owner === null ? [] : [owner]))),
    statuses: sorted(all.map(statusOf))
  }
}
