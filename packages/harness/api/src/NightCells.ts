import type { Verdict } from "@webagent/report/Verdict"
import type { NightsColumn } from "./Nights.ts"

/** The letter of each verdict in a night's column. */
const letters: Readonly<Record<Verdict, string>> = {
  passed: "p",
  flaky: "k",
  failed: "f",
  claimed: "c",
  infra: "i",
  unscored: "u",
  skipped: "s"
}

/** The letter of a scenario that a night doesn't have. */
export const absent = "-"

const verdicts: ReadonlyMap<string, Verdict> = new Map(
  Object.entries(letters).map(([verdict, letter]) => [letter, verdict as Verdict])
)

/** Returns the letter of a verdict. */
export const letterOf = (verdict: Verdict): string => letters[verdict]

/** Returns the verdict of a letter; undefined if the night doesn't have the scenario. */
export const verdictOf = (letter: string | undefined): Verdict | undefined => verdicts.get(letter ?? absent)

/** One cell of the heat map. */
export interface Cell {
  readonly verdict: Verdict
  readonly passed: number
  readonly scored: number
}

/** Reads the cells of a night by the index of their row; undefined if the night doesn't have the scenario. */
export const cellsOf = ({
  cells,
  rates,
  usual
}: Pick<NightsColumn, "cells" | "rates" | "usual">): ((row: number) => Cell | undefined) => {
  const others = new Map(rates.map(([row, passed, scored]) => [row, { passed, scored }]))
  return (row) => {
    const verdict = verdictOf(cells[row])
    return verdict === undefined ? undefined : { verdict, ...(others.get(row) ?? { passed: usual, scored: usual }) }
  }
}
