import type { JudgedRow, JudgedVerdict, NightJudgement } from "@webagent/report/NightJudgement"
import * as Flakiness from "./Flakiness.ts"
import * as Levels from "./Levels.ts"
import { keyOf, type Night, type NightScenario } from "./Night.ts"
import * as NightPassRate from "./NightPassRate.ts"
import { differences, eligible, least, most, type Past, sameMachine } from "./Past.ts"
import * as ScenarioPassRates from "./ScenarioPassRates.ts"
import * as Subject from "./Subject.ts"
import * as Words from "./Words.ts"

/**
 * How rare a false alarm is in a night, by what is looked at: 3 % of the nights together. What matters most, and what
 * needs most, gets most.
 */
const doubts = {
  nightPassRate: 0.003,
  scenarioPassRate: 0.012,
  flakiness: 0.001,
  nightDuration: 0.008,
  scenarioDuration: 0.002,
  nightCost: 0.003,
  scenarioCost: 0.001
} as const

// so many are looked at to find thirty that are a measure
const longest = 90

/** How long trials take. */
export const duration: Levels.Level = {
  figure: "duration",
  of: ({ durations }) => durations?.mean_log,
  ofOne: ({ durations }) => (durations === undefined ? undefined : Math.log(durations.median_ms)),
  words: ["longer", "shorter"],
  format: Words.time
}

const costEach = ({ cost_usd, trials }: NightScenario) => {
  const each = Number(cost_usd) / trials
  return each > 0 ? Math.log(each) : undefined
}

/** What trials cost. */
export const cost: Levels.Level = {
  figure: "cost",
  of: costEach,
  ofOne: costEach,
  words: ["dearer", "cheaper"],
  format: Words.dollars
}

const leaks = ({ nights, tonight }: Subject.Subject): JudgedRow => {
  const of = (night: Night) => night.scenarios.reduce((sum, scenario) => sum + scenario.leaks, 0)
  const before = nights.slice(-most)
  const [now, then] = [of(tonight), before.filter((night) => of(night) > 0).length]
  const said = now === 0 ? "none was left open" : now === 1 ? "1 was left open" : `${now} were left open`
  return {
    figure: "leaked browsers",
    scenario: null,
    // no night may leave one, whatever the nights before did
    verdict: now > 0 ? "regressed" : before.length < least ? "not enough data" : "no evidence",
    now: String(now),
    before: `in ${then} of ${Words.nights(before.length)}`,
    window: 1,
    since: tonight.startedAt,
    nights: before.length,
    detectable: "1 more",
    evidence: `${said}; ${then} of ${Words.nights(before.length)} before left some`
  }
}

const overall = (rows: ReadonlyArray<JudgedRow>): JudgedVerdict =>
  (["regressed", "improved", "no evidence"] as const).find((verdict) => rows.some((row) => row.verdict === verdict)) ??
  "not enough data"

/**
 * What the last thirty nights that may be a measure say of one. What is `held` in quarantine is judged by itself, and says
 * nothing of the whole night.
 */
export const judge = (
  past: Past,
  tonight: Night,
  held: ReadonlyArray<{ readonly suite: string; readonly name: string }> = []
): NightJudgement => {
  const { nights, passedOver } = eligible(past.nights, tonight)
  const subject = Subject.make(past, nights.slice(-longest), tonight)
  // times of another machine say nothing; pass rates and costs do
  const timed = Subject.only(subject, (night) => sameMachine(night, tonight))
  const isHeld = new Set(held.map(({ name, suite }) => keyOf(suite, name)))
  const whole = Subject.without(subject, isHeld)
  const rows = [
    NightPassRate.judge(whole, doubts.nightPassRate),
    Flakiness.judge(whole, doubts.flakiness),
    Levels.ofNight(duration, Subject.without(timed, isHeld), doubts.nightDuration),
    Levels.ofNight(cost, whole, doubts.nightCost),
    leaks(subject),
    ...ScenarioPassRates.judge(subject, doubts.scenarioPassRate),
    ...Levels.ofScenarios(duration, timed, doubts.scenarioDuration),
    ...Levels.ofScenarios(cost, subject, doubts.scenarioCost)
  ]
  return {
    verdict: overall(
      rows.filter(({ figure }) => figure !== "leaked browsers" || tonight.scenarios.some(({ leaks }) => leaks > 0))
    ),
    nights: Math.min(nights.length, most),
    passedOver,
    differences: differences(tonight, nights.at(-1)),
    rows
  }
}
