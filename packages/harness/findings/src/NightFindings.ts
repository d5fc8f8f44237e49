import type { Comparison } from "@webagent/report/Comparison"
import {
  type AffectedScenario,
  type Finding,
  type FindingKind,
  type RunStatus,
  statusOf
} from "@webagent/report/Finding"
import type { NightJudgement } from "@webagent/report/NightJudgement"
import { judge } from "@webagent/nights/Judge"
import { isComplete, type Night, type NightScenario } from "@webagent/nights/Night"
import type { Past } from "@webagent/nights/Past"
import { isOf, isTolerated, passRateOf } from "./Tolerance.ts"

/** Verdict of a history on one of its nights. */
interface NightVerdict {
  /** The id of the night. */
  readonly night: string
  readonly startedAt: string
  readonly status: RunStatus
  readonly findings: ReadonlyArray<Finding>
  readonly judgement: NightJudgement
}

const error = (kind: FindingKind, scenarios: ReadonlyArray<AffectedScenario> = []): Finding => ({
  kind,
  severity: "error",
  scenarios
})

/** One finding for all scenarios with the same problem. */
const about = (
  kind: FindingKind,
  scenarios: ReadonlyArray<NightScenario>,
  facts: (scenario: NightScenario) => Partial<AffectedScenario> = () => ({})
): ReadonlyArray<Finding> =>
  scenarios.length === 0
    ? []
    : [
        error(
          kind,
          scenarios.map((scenario) => ({ suite: scenario.suite, name: scenario.name, ...facts(scenario) }))
        )
      ]

const kinds = {
  failed: { _tag: "Failed", claimedSuccess: false, cause: null, trials: 0 },
  claimed: { _tag: "Failed", claimedSuccess: true, cause: null, trials: 0 },
  flaky: { _tag: "Flaky", cause: null, trials: 0, isUsual: false },
  infra: { _tag: "Unreachable", cause: null, outage: null, trials: 0 },
  unscored: { _tag: "Unscored", cause: null, trials: 0 }
} as const satisfies { readonly [verdict in NightScenario["verdict"]]?: FindingKind }

const ofFigure = (kind: "Regressed" | "Unusual", comparison: Comparison): Finding => ({
  kind: kind === "Regressed" ? { _tag: kind, comparison } : { _tag: kind, comparison, cause: null },
  severity: kind === "Regressed" ? "error" : "warning",
  scenarios: comparison.scenario === null ? [] : [comparison.scenario]
})

/** Everything that a history file shows about a night. */
const findingsOf = (night: Night, judgement: NightJudgement): ReadonlyArray<Finding> => {
  const { scenarios } = night
  const held = scenarios.filter(({ quarantine }) => quarantine?.expired === false)
  const open = scenarios.filter((scenario) => !held.includes(scenario))
  const rows = judgement.rows.filter((row) => !held.some((one) => isOf(one, row)))
  // one whose trials all passed failed for another reason than its pass rate
  const isAsUsual = (scenario: NightScenario) =>
    scenario.passed < scenario.scored &&
    isTolerated(
      { verdict: scenario.verdict, passed: scenario.passed + (scenario.confirm?.passed ?? 0) },
      passRateOf(scenario, judgement),
      judgement.nights
    )
  // one problem is one finding
  const isUncleanOnly = ({ breaches, exceeded, leaks, passed, scored }: NightScenario) =>
    passed === scored && scored > 0 && (breaches > 0 || leaks > 0 || exceeded !== undefined)
  const ofVerdict = (verdict: keyof typeof kinds) =>
    about(
      kinds[verdict],
      open.filter((one) => one.verdict === verdict && !isAsUsual(one) && !isUncleanOnly(one)),
      ({ passed, trials, unrun = 0 }) => ({ verdict, trials: { passed, ran: trials, notRun: unrun } })
    )
  return [
    // a run that a limit cut short passes, and only its report knows
    ...(night.partial === undefined || (night.status !== undefined && night.status !== "failed")
      ? []
      : [error({ _tag: "Incomplete", why: { _tag: "Partial", partial: night.partial } })]),
    ...(isComplete(night) && scenarios.every(({ verdict }) => verdict === "skipped")
      ? [error({ _tag: "Incomplete", why: { _tag: "NothingRan" } })]
      : []),
    ...(night.breaches > 0
      ? [error({ _tag: "BrokenInvariant", invariant: "broken invariant", count: night.breaches })]
      : []),
    ...about(
      { _tag: "BrokenInvariant", invariant: "broken invariant" },
      open.filter(({ breaches }) => breaches > 0)
    ),
    ...about(
      { _tag: "Leak" },
      open.filter(({ leaks }) => leaks > 0)
    ),
    ...open.flatMap((one) => (one.exceeded ?? []).flatMap((limit) => about({ _tag: "LimitExceeded", limit }, [one]))),
    ...ofVerdict("failed"),
    ...ofVerdict("claimed"),
    ...ofVerdict("flaky"),
    ...ofVerdict("infra"),
    ...ofVerdict("unscored"),
    ...rows
      .filter(({ figure, verdict }) => verdict === "regressed" && figure !== "leaked browsers")
      .map((row) => ofFigure("Regressed", row)),
    // quarantine excuses failures, but no spending
    ...about(
      { _tag: "CostUnknown", runs: [] },
      scenarios.filter(({ costUnknown = 0 }) => costUnknown > 0)
    ),
    ...about(
      { _tag: "QuarantineExpired", expires: "" },
      open.filter(({ quarantine }) => quarantine !== undefined)
    ),
    ...rows.filter(({ isUnusual }) => isUnusual).map((row) => ofFigure("Unusual", row))
  ]
}

/**
 * Judges a night by those before it, from what a history file keeps: the same result as the run's own, with its limits of
 * scenarios and its quarantine. Only its report knows of missing shards, of limits that shards together exceeded, and of
 * scenarios that were not run.
 */
export const judgeNight = (past: Past, night: Night): NightVerdict => {
  const held = night.scenarios.filter(({ quarantine }) => quarantine?.expired === false)
  const judgement = judge(past, night, held)
  const findings = findingsOf(night, judgement)
  return { night: night.id, startedAt: night.startedAt, status: statusOf(findings), findings, judgement }
}

/**
 * Judges the last night of a history by those before it; undefined of a history without nights. Nights that began after
 * `until` come from a clock that was wrong, and are passed over unless there are no others.
 */
export const judgeLastNight = (past: Past, until?: string): NightVerdict | undefined => {
  const last = past.nights.findLast(({ startedAt }) => until === undefined || startedAt <= until) ?? past.nights.at(-1)
  return last === undefined ? undefined : judgeNight(past, last)
}
