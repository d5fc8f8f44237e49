import type { Comparison, JudgedVerdict, ScenarioName } from "@webagent/report/Comparison"
import type { NightJudgement } from "@webagent/report/NightJudgement"
import type { JudgedNight } from "./JudgedNight.ts"
import { budget } from "./FalseAlarmBudget.ts"
import { cost, duration } from "./Level.ts"
import { levelRows, levelsOf } from "./Levels.ts"
import { keyOf, type Night } from "./Night.ts"
import { countedOf, nightPassRate, passRateRow } from "./PassRates.ts"
import { differences, eligible, least, most, type Past } from "./Past.ts"
import { saidBy, type Suspect, suspectsOf } from "./Suspects.ts"
import * as Table from "./Table.ts"
import * as UsualUsage from "./UsualUsage.ts"

export { mostAtOnce, nextOf, type Suspect, type Weighed } from "./Suspects.ts"

const longest = 90

const leaks = ({ table, tonight }: JudgedNight): Comparison => {
  const of = (night: Night) => night.scenarios.reduce((sum, scenario) => sum + scenario.leaks, 0)
  const nights = table.nights.slice(0, -1).slice(-most)
  const [now, then] = [of(tonight), nights.filter((night) => of(night) > 0).length]
  return {
    figure: "leaked browsers",
    scenario: null,
    // no night may leave one, whatever the nights before did
    verdict: now > 0 ? "regressed" : nights.length < least ? "not enough data" : "no evidence",
    isUnusual: false,
    now: { _tag: "Count", count: now },
    // in how many of these nights
    before: { _tag: "Count", count: then },
    window: 1,
    since: tonight.startedAt,
    nights: nights.length,
    detectable: { amount: { _tag: "Count", count: 1 } }
  }
}

const judgedNightOf = (past: Past, tonight: Night, held: ReadonlyArray<ScenarioName>) => {
  const { nights, passedOver } = eligible(past.nights, tonight)
  const keys = new Set(held.map(({ name, suite }) => keyOf(suite, name)))
  const judged: JudgedNight = {
    table: Table.make(past, nights.slice(-longest), tonight),
    tonight,
    isHeld: ({ name, suite }) => keys.has(keyOf(suite, name))
  }
  return { judged, nights, passedOver }
}

const durationsOf = (judged: JudgedNight) =>
  levelsOf(judged, duration, { night: budget.nightDuration, scenario: budget.scenarioDuration })

/** The scenarios whose planned trials tonight leave in doubt whether they are worse, in the order of their extra trials. */
export const suspects = (
  past: Past,
  tonight: Night,
  held: ReadonlyArray<ScenarioName> = []
): ReadonlyArray<Suspect> => {
  const { judged } = judgedNightOf(past, tonight, held)
  return suspectsOf(countedOf(judged), durationsOf(judged), judged.table.nights).filter(
    ({ name, suite }) => !held.some((one) => one.name === name && one.suite === suite)
  )
}

const overall = (rows: ReadonlyArray<Comparison>): JudgedVerdict =>
  (["regressed", "improved", "no evidence"] as const).find((verdict) => rows.some((row) => row.verdict === verdict)) ??
  "not enough data"

/**
 * Judges a night by the nights before it that may be compared with it. A scenario that is `held` in quarantine is judged by itself
 * and does not count for the whole night.
 */
export const judge = (past: Past, tonight: Night, held: ReadonlyArray<ScenarioName> = []): NightJudgement => {
  const { judged, nights, passedOver } = judgedNightOf(past, tonight, held)
  const counted = countedOf(judged)
  const durations = durationsOf(judged)
  const costs = levelsOf(judged, cost, { night: budget.nightCost, scenario: budget.scenarioCost })
  const isConfirming = tonight.scenarios.some(({ confirm }) => confirm !== undefined)
  const suspected = isConfirming ? suspectsOf(counted, durations, judged.table.nights) : []
  const rateSaid = saidBy(suspected, "pass rate")
  const level = budget.scenarioPassRate / Math.max(1, counted.length)
  const timed = levelRows(judged, durations, saidBy(suspected, "duration"))
  const paid = levelRows(judged, costs, () => undefined)
  const rows = [
    nightPassRate(judged),
    timed.whole,
    paid.whole,
    leaks(judged),
    ...counted.map((one) => passRateRow(judged, one, level, rateSaid(one.of.scenario))),
    ...timed.each,
    ...paid.each
  ]
  const usual = UsualUsage.of(nights, tonight)
  const last = nights.at(-1)
  const previous = last?.revisions && {
    ...last.revisions,
    startedAt: last.startedAt,
    tool: last.fingerprint.tool
  }
  return {
    verdict: overall(
      rows.filter(({ figure }) => figure !== "leaked browsers" || tonight.scenarios.some(({ leaks }) => leaks > 0))
    ),
    nights: Math.min(nights.length, most),
    passedOver,
    differences: differences(tonight, last),
    ...(previous === undefined ? {} : { previous }),
    ...(usual === undefined ? {} : { usual }),
    rows
  }
}
