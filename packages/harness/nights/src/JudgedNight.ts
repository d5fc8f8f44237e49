import type { Comparison, Contributor, Figure, Amount, Lack, ScenarioName } from "@webagent/report/Comparison"
import type { Night, NightScenario } from "./Night.ts"
import type * as Table from "./Table.ts"

const day_ms = 86_400_000

/** Only its suite and name. */
export const nameOf = ({ name, suite }: ScenarioName): ScenarioName => ({ suite, name })

/** A night that is judged, the nights before it, and the scenarios that are held in quarantine. */
export interface JudgedNight {
  readonly table: Table.Table
  readonly tonight: Night
  readonly isHeld: (scenario: NightScenario) => boolean
}

/** When the night at this place began. */
export const since = ({ table }: JudgedNight, from: number) => table.nights[from]?.startedAt ?? ""
/** The day of the night at this place, counted. */
export const day = ({ table }: JudgedNight, index: number) =>
  Math.floor(Date.parse(table.nights[index]?.startedAt ?? "") / day_ms)
/** A comparison without enough data. */
export const uncompared = (
  judged: JudgedNight,
  given: {
    readonly figure: Figure
    readonly scenario: ScenarioName | null
    readonly nights: number
    readonly lack: Lack
    readonly now?: Amount
    readonly before?: Amount
    readonly isUnusual?: boolean
  }
): Comparison => ({
  verdict: "not enough data",
  isUnusual: false,
  now: null,
  before: null,
  window: 1,
  since: judged.tonight.startedAt,
  detectable: null,
  ...given
})

const mostContributors = 5

/** The scenarios with the most of what all of these have `more` than usual, and how many there are; empty if none has. */
export const contributionOf = (
  judged: JudgedNight,
  all: ReadonlyArray<Omit<Contributor, "share"> & { readonly more: number }>
): Pick<Comparison, "contributed" | "contributors" | "scenarios"> => {
  if (all.length === 0) return {}
  const together = all.reduce((sum, { more }) => sum + more, 0)
  const changes = all.map(({ change }) => change)
  return {
    contributors: all
      .toSorted((one, other) => other.more - one.more)
      .slice(0, mostContributors)
      .map(({ more, ...one }) => ({ ...one, share: more / together })),
    contributed: { scenarios: all.length, least: Math.min(...changes), greatest: Math.max(...changes) },
    scenarios: ranIn(judged)
  }
}

/** Passed trials of all scored ones. */
export const rate = (passed: number, scored: number): Amount => ({ _tag: "Rate", passed, scored })

/** Number of scenarios that ran. */
const ranIn = ({ tonight }: JudgedNight): number =>
  tonight.scenarios.filter(({ verdict }) => verdict !== "skipped").length
