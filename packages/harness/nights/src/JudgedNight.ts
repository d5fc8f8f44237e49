import type { Contributor, Figure, JudgedRow, JudgedVerdict, Tier } from "@webagent/report/NightJudgement"
import type { Night, NightScenario } from "./Night.ts"
import { least } from "./Past.ts"
import type * as Table from "./Table.ts"
import * as Words from "./Words.ts"

const day_ms = 86_400_000

/** A scenario by its suite and name. */
export type Name = { readonly suite: string; readonly name: string }
/** Only its suite and name. */
export const nameOf = ({ name, suite }: Name): Name => ({ suite, name })

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
/** A p value for a person. */
export const chanceText = (chance: number) => (chance < 0.001 ? "p < 0.001" : `p = ${chance.toFixed(3)}`)
/** For a person: `in the 12 nights before`. */
export const before = (nights: number) => `in the ${Words.nights(nights)} before`

/** A row without enough data. */
export const unknownRow = (
  judged: JudgedNight,
  figure: Figure,
  scenario: Name | null,
  nights: number,
  now: string,
  why: string
): JudgedRow => ({
  figure,
  scenario,
  verdict: "not enough data",
  tier: "fine",
  now,
  before: "",
  window: 1,
  since: judged.tonight.startedAt,
  nights,
  detectable: null,
  evidence: why
})

/** That too few nights are known, for a person. */
export const needs = (nights: number) => `${Words.nights(nights)} before, and ${least} are needed`

const mostContributors = 5

/** The scenarios with the most of what all of these have `more` than usual, and their shares of it. */
export const contributorsOf = (
  all: ReadonlyArray<Omit<Contributor, "share"> & { readonly more: number }>
): ReadonlyArray<Contributor> => {
  const together = all.reduce((sum, { more }) => sum + more, 0)
  return all
    .toSorted((one, other) => other.more - one.more)
    .slice(0, mostContributors)
    .map(({ more, ...one }) => ({ ...one, share: more / together }))
}

/** Severity of a row. */
export const tierOf = (verdict: JudgedVerdict, isUnusual: boolean): Tier =>
  verdict === "regressed" ? "red" : isUnusual ? "unusual" : "fine"

/** For a person: `4 of 5`. */
export const ratio = (passed: number, of: number) => `${passed} of ${of}`
