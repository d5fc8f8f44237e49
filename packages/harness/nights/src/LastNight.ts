import { findings, isTolerated } from "@webagent/report/Gate"
import * as Partial from "@webagent/report/Partial"
import type { JudgedRow, NightJudgement, Tier } from "@webagent/report/NightJudgement"
import { judge } from "./Judge.ts"
import { isComplete, type Night, type NightScenario } from "./Night.ts"
import type { Past } from "./Past.ts"

/** Verdict of a history on one of its nights. */
interface NightVerdict {
  /** The id of the night. */
  readonly night: string
  readonly startedAt: string
  readonly tier: Tier
  /** The reasons why the night failed, one sentence each; empty if it passed. */
  readonly reasons: ReadonlyArray<string>
  readonly judgement: NightJudgement
}

const isSame = ({ name, suite }: NightScenario, of: JudgedRow["scenario"]) => of?.name === name && of.suite === suite
const nameOf = ({ name, suite }: NightScenario) => `${suite} › ${name}`

/** One reason for all scenarios with the same problem. */
const reason = (scenarios: ReadonlyArray<NightScenario>, what: string): ReadonlyArray<string> => {
  const names = scenarios.slice(0, 3).map(nameOf).join(", ")
  const more = scenarios.length > 3 ? `, and ${scenarios.length - 3} more` : ""
  return scenarios.length === 0
    ? []
    : [`${scenarios.length} scenario${scenarios.length === 1 ? "" : "s"} ${what}: ${names}${more}`]
}

/**
 * Judges a night by those before it, from what a history file keeps: the same verdict as the run's own, with its limits of
 * scenarios and its quarantine. Only its report knows of missing shards, of limits that shards together crossed, and of what
 * was not run.
 */
export const judgeNight = (past: Past, night: Night): NightVerdict => {
  const held = night.scenarios.filter(({ quarantine }) => quarantine?.expired === false)
  const open = night.scenarios.filter((scenario) => !held.includes(scenario))
  const judgement = judge(past, night, held)
  const { rows } = judgement
  const openRows = rows.filter(({ scenario }) => !held.some((one) => isSame(one, scenario)))
  const rowOf = (scenario: NightScenario) =>
    rows.find((row) => row.figure === "pass rate" && isSame(scenario, row.scenario))
  const rate = new Map(night.scenarios.map((scenario) => [scenario, rowOf(scenario)]))
  // one whose trials all passed failed for another reason than its pass rate
  const isAsUsual = (scenario: NightScenario) =>
    scenario.passed < scenario.scored &&
    isTolerated(
      { verdict: scenario.verdict, passed: scenario.passed + (scenario.confirm?.passed ?? 0) },
      rate.get(scenario),
      judgement.nights
    )
  // one problem is one reason
  const isSaid = ({ breaches, exceeded, leaks, passed, scored }: NightScenario) =>
    passed === scored && scored > 0 && (breaches > 0 || leaks > 0 || exceeded !== undefined)
  const of = (verdict: NightScenario["verdict"]) =>
    open.filter((scenario) => scenario.verdict === verdict && !isAsUsual(scenario) && !isSaid(scenario))
  const reasons = [
    // what a limit kept from running is not red, and only the report knows
    ...(night.partial === undefined || (night.verdict !== undefined && night.verdict.status !== "red")
      ? []
      : [`the night is partial: ${Partial.text(night.partial)}`]),
    ...(isComplete(night) && night.scenarios.every(({ verdict }) => verdict === "skipped")
      ? ["no scenario ran to its end"]
      : []),
    ...(night.breaches > 0 ? [`${night.breaches} invariants broken outside of scenarios`] : []),
    ...reason(
      open.filter(({ breaches }) => breaches > 0),
      "broke an invariant"
    ),
    ...reason(
      open.filter(({ leaks }) => leaks > 0),
      "leaked a browser"
    ),
    ...reason(
      open.filter(({ exceeded }) => exceeded !== undefined),
      "exceeded maxDuration or maxCost"
    ),
    ...reason(of("failed"), "failed"),
    ...reason(of("claimed"), "failed although the agent reported success"),
    ...reason(of("flaky"), "passed in some trials only"),
    ...reason(of("infra"), "could not run: the service was away"),
    ...reason(of("unscored"), "could not be judged"),
    ...findings(openRows),
    // quarantine excuses failures, and no spending
    ...reason(
      night.scenarios.filter(({ costUnknown = 0 }) => costUnknown > 0),
      "had an unknown cost although a limit of cost was set"
    ),
    ...reason(
      open.filter(({ quarantine }) => quarantine !== undefined),
      "in quarantine past the expiry date"
    )
  ]
  const tier = reasons.length > 0 ? "red" : openRows.some(({ tier }) => tier === "unusual") ? "unusual" : "fine"
  return { night: night.id, startedAt: night.startedAt, tier, reasons, judgement }
}

/**
 * Judges the last night of a history by those before it; undefined of a history without nights. Nights that began after
 * `until` come from a clock that was wrong, and are passed over unless there are no others.
 */
export const judgeLastNight = (past: Past, until?: string): NightVerdict | undefined => {
  const last = past.nights.findLast(({ startedAt }) => until === undefined || startedAt <= until) ?? past.nights.at(-1)
  return last === undefined ? undefined : judgeNight(past, last)
}
