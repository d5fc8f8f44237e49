import type { JudgedRow, JudgedVerdict, NightJudgement, Tier } from "@webagent/report/NightJudgement"
import type { Asked, Name } from "./Asked.ts"
import { doubts, ways } from "./Doubts.ts"
import { cost, duration } from "./Level.ts"
import { levelRows, levelsOf } from "./Levels.ts"
import { keyOf, type Night } from "./Night.ts"
import { countedOf, nightPassRate, passRateRow } from "./PassRates.ts"
import { differences, eligible, least, most, type Past } from "./Past.ts"
import { saidBy, type Suspect, suspectsOf } from "./Suspects.ts"
import * as Table from "./Table.ts"
import * as Words from "./Words.ts"

export type { Suspect } from "./Suspects.ts"

const longest = 90

const leaks = ({ table, tonight }: Asked): JudgedRow => {
  const of = (night: Night) => night.scenarios.reduce((sum, scenario) => sum + scenario.leaks, 0)
  const nights = table.nights.slice(0, -1).slice(-most)
  const [now, then] = [of(tonight), nights.filter((night) => of(night) > 0).length]
  return {
    figure: "leaked browsers",
    scenario: null,
    // no night may leave one, whatever the nights before did
    verdict: now > 0 ? "regressed" : nights.length < least ? "not enough data" : "no evidence",
    tier: now > 0 ? "red" : "fine",
    now: String(now),
    before: `in ${then} of ${Words.nights(nights.length)}`,
    window: 1,
    since: tonight.startedAt,
    nights: nights.length,
    detectable: "1 more",
    evidence: `${now} leaked; in ${then} of ${Words.nights(nights.length)} before browsers leaked`
  }
}

const askedOf = (past: Past, tonight: Night, held: ReadonlyArray<Name>) => {
  const { nights, passedOver } = eligible(past.nights, tonight)
  const keys = new Set(held.map(({ name, suite }) => keyOf(suite, name)))
  const asked: Asked = {
    table: Table.make(past, nights.slice(-longest), tonight),
    tonight,
    isHeld: ({ name, suite }) => keys.has(keyOf(suite, name))
  }
  return { asked, nights, passedOver }
}

const durationsOf = (asked: Asked) =>
  levelsOf(asked, duration, { night: doubts.nightDuration, scenario: doubts.scenarioDuration })

/** The scenarios whose planned trials tonight leave in doubt whether they are worse, in the order of their confirm trials. */
export const suspects = (past: Past, tonight: Night, held: ReadonlyArray<Name> = []): ReadonlyArray<Suspect> => {
  const { asked } = askedOf(past, tonight, held)
  return suspectsOf(countedOf(asked), durationsOf(asked)).filter(
    ({ name, suite }) => !held.some((one) => one.name === name && one.suite === suite)
  )
}

const overall = (rows: ReadonlyArray<JudgedRow>): JudgedVerdict =>
  (["regressed", "improved", "no evidence"] as const).find((verdict) => rows.some((row) => row.verdict === verdict)) ??
  "not enough data"

/**
 * Judges a night by the nights before it that may be compared with it. A scenario that is `held` in quarantine is judged by itself
 * and does not count for the whole night.
 */
export const judge = (past: Past, tonight: Night, held: ReadonlyArray<Name> = []): NightJudgement => {
  const { asked, nights, passedOver } = askedOf(past, tonight, held)
  const counted = countedOf(asked)
  const durations = durationsOf(asked)
  const costs = levelsOf(asked, cost, { night: doubts.nightCost, scenario: doubts.scenarioCost })
  const isConfirming = tonight.scenarios.some(({ confirm }) => confirm !== undefined)
  const suspected = isConfirming ? suspectsOf(counted, durations) : []
  const rateSaid = saidBy(suspected, "pass rate")
  const level = doubts.scenarioPassRate / Math.max(1, counted.length) / ways.count
  const timed = levelRows(asked, durations, saidBy(suspected, "duration"))
  const paid = levelRows(asked, costs, () => undefined)
  const rows = [
    nightPassRate(asked),
    timed.whole,
    paid.whole,
    leaks(asked),
    ...counted.map((one) => passRateRow(asked, one, level, rateSaid(one.of.scenario))),
    ...timed.each,
    ...paid.each
  ]
  const tiers: ReadonlyArray<Tier> = ["red", "unusual"]
  return {
    verdict: overall(
      rows.filter(({ figure }) => figure !== "leaked browsers" || tonight.scenarios.some(({ leaks }) => leaks > 0))
    ),
    tier: tiers.find((tier) => rows.some((row) => row.tier === tier)) ?? "fine",
    nights: Math.min(nights.length, most),
    passedOver,
    differences: differences(tonight, nights.at(-1)),
    rows
  }
}
