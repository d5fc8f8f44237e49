import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import type { AffectedScenario, Finding, Incomplete, TrialCount } from "@webagent/report/Finding"
import type { LeakedBrowser } from "@webagent/report/Trial"
import { defined } from "@webagent/cli/Defined"
import { counted } from "@webagent/cli/Text"
import * as BreachText from "./BreachText.ts"
import * as CauseText from "./CauseText.ts"
import * as LimitText from "./LimitText.ts"
import { dated, listed, shards as shardsText } from "./Names.ts"
import * as OutageText from "./OutageText.ts"
import * as PartialText from "./PartialText.ts"
import * as Statistics from "./Statistics.ts"

/** The evidence of a finding or of one of its scenarios. */
export interface Evidence {
  /** The evidence, in one line. */
  readonly evidence: string
  /** The cause of the failure alone, in one line. */
  readonly cause?: string
  /** Other details: the number of trials that passed in this run and in earlier ones. */
  readonly detail?: string
  /** Comparison with earlier runs, if it is worse and also failed in this one. */
  readonly baseline?: string
  /** Number of a scenario's trials that passed, in this run and in earlier ones, if they show that the failure is new. */
  readonly rate?: string
}

const line = (text: string) => text.replaceAll(/\s+/gu, " ").trim()

/** `3 of 5 trials passed`, `1 of 1 trial passed, 3 not run`; undefined for a single trial. */
export const passRate = ({ notRun, passed, ran }: TrialCount): string | undefined =>
  ran + notRun < 2
    ? undefined
    : `${passed} of ${counted(ran, "trial")} passed${notRun === 0 ? "" : `, ${notRun} not run`}`

/** The browsers that a scenario leaked, and whether they were stopped. */
const leaked = (browsers: ReadonlyArray<LeakedBrowser>, trials: ReadonlyArray<number>): string => {
  if (browsers.length === 0) return "leaked a browser"
  const open = browsers.filter(({ stopped }) => !stopped)
  const still = `, ${open.length === browsers.length ? "" : `${open.length} of them `}still open, and may cost money`
  const where =
    trials.length === 0 ? "" : ` in ${trials.length === 1 ? "trial" : "trials"} ${listed(trials.map(String))}`
  return `leaked ${counted(browsers.length, "browser")}${where}${open.length === 0 ? `; the harness stopped ${browsers.length === 1 ? "it" : "them"} after the trial` : still}`
}

/** Which shards are missing, and which scenarios weren't run because of them. */
const lostShards = (
  { missing, of, shards }: Extract<typeof Incomplete.Type, { readonly _tag: "LostShards" }>,
  scenarios: ReadonlyArray<AffectedScenario>
): string => {
  const which = shards === undefined ? `${missing} of ${counted(of, "shard")}` : `${shardsText(shards)} of ${of}`
  // who sees to the shard doesn't own them
  const names = listed(
    scenarios.map((one) => `${scenarioTitle(one)}${one.owner === undefined ? "" : ` (${one.owner})`}`)
  )
  return `${which} sent no report${names === "" ? "" : `: ${names} ${scenarios.length === 1 ? "was" : "were"} not run`}`
}

/** The sentence of a finding about the whole run. */
export const ofRun = ({ kind, scenarios }: Finding): string => {
  switch (kind._tag) {
    case "ServiceAway": {
      const sentence = OutageText.sentence(kind.outage, kind.isWholeRun)
      return kind.toll === undefined ? sentence : `${sentence}; ${OutageText.interrupted(kind.toll)}`
    }
    case "BrokenInvariant":
      return kind.breach === undefined
        ? `${counted(kind.count ?? 1, "invariant")} broken outside of scenarios`
        : line(BreachText.text(kind.breach))
    case "RunLimitExceeded":
      return LimitText.ofRun(kind.limit)
    case "CostUnknown":
      if (kind.runs.length === 0) return "had an unknown cost although a limit of cost was set"
      return `${counted(kind.runs.length, "run")} (${listed(kind.runs)}) reported no final cost in "cost" or "totalCostUsd", so the limits of cost could not be enforced`
    case "Incomplete": {
      const { why } = kind
      switch (why._tag) {
        case "ScenarioTimeLimit":
          return `${counted(scenarios.length, "scenario")} exceeded --max-scenario-time: ${dated(scenarios)}`
        case "LostShards":
          return lostShards(why, scenarios)
        case "NothingRan":
          return "no scenario ran to its end"
        case "TooManyUnreachable":
          return `too few results: the infrastructure ended ${why.trials} of ${why.of} trials`
        case "Stopped":
          return "the run was stopped before every scenario ran"
        case "Partial":
          return `the night is partial: ${PartialText.text(why.partial)}`
      }
    }
    default:
      return ""
  }
}

/** The result of a scenario's trials, and whether it passes less often than before. */
const ofVerdict = (scenario: AffectedScenario): Evidence => {
  const { comparison, isQuarantineExpired, trials } = scenario
  const cause = scenario.cause && CauseText.text(scenario.cause)
  const passed = trials && passRate(trials)
  const expired = isQuarantineExpired === true ? "; its quarantine has expired" : ""
  const evidence = `${[passed, cause].filter((part) => part !== undefined).join("; ")}${expired}`
  if (comparison === undefined) return { evidence, ...defined({ cause, detail: passed }) }
  const baseline = Statistics.evidence(comparison)
  const rate = `${Statistics.now(comparison)} passed, before ${Statistics.before(comparison)}`
  const all = `${evidence}; worse than before: ${baseline}`
  return { ...defined({ cause }), rate, baseline, detail: baseline, evidence: all }
}

/** The evidence of one scenario of a finding. */
export const ofScenario = (finding: Finding, scenario: AffectedScenario): Evidence => {
  const { kind } = finding
  const { breaches = [], browsers = [], comparison, leakedIn = [] } = scenario
  const cause = scenario.cause && CauseText.text(scenario.cause)
  switch (kind._tag) {
    case "Failed":
    case "Flaky":
    case "Unreachable":
    case "Unscored":
      return ofVerdict(scenario)
    case "Leak": {
      const text = leaked(browsers, leakedIn)
      const named = `${text} (${browsers.map(({ id }) => id).join(", ")})`
      const { ran = 0, passed } = scenario.trials ?? {}
      if (ran === 0 || ran !== passed) return { cause: text, evidence: named }
      const detail = `${ran === 1 ? "the trial" : `all ${ran} trials`} passed, but a leaked browser fails the scenario`
      return { cause: text, detail, evidence: `${named}; ${detail}` }
    }
    case "AbandonedRun":
    case "BrokenInvariant":
      return { evidence: [...new Set(breaches.map((breach) => line(BreachText.text(breach))))].join(" ") }
    case "LimitExceeded":
      return { evidence: LimitText.ofScenario(kind.limit) }
    case "Regressed": {
      const row = comparison ?? kind.comparison
      return { evidence: Statistics.evidence(row), rate: `${Statistics.now(row)}, usually ${Statistics.before(row)}` }
    }
    case "Unusual": {
      const evidence = Statistics.evidence(comparison ?? kind.comparison)
      return cause === undefined ? { evidence } : { evidence: `${evidence}: ${cause}`, cause, detail: evidence }
    }
    case "QuarantineExpired":
      return { evidence: `it was to end on ${kind.expires}` }
    case "ServiceAway":
      // a scenario whose trials passed was slow
      return scenario.verdict === undefined && comparison !== undefined
        ? { evidence: Statistics.evidence(comparison) }
        : ofVerdict(scenario)
    default:
      return { evidence: ofRun(finding) }
  }
}

/** The common evidence of several scenarios. */
export const ofSeveral = (finding: Finding): Evidence => {
  const { kind, scenarios } = finding
  const [first] = scenarios
  const alone = first === undefined ? { evidence: "" } : ofScenario(finding, first)
  switch (kind._tag) {
    case "Unreachable": {
      const { outage } = kind
      if (outage === null) return alone
      const [asked, span, toll] = [OutageText.requests(outage), OutageText.span(outage), OutageText.toll(outage)]
      return { cause: `${asked}, ${span}`, detail: toll, evidence: `${span}: ${toll}; ${asked}` }
    }
    case "Failed":
    case "Flaky":
    case "Unscored": {
      const cause = kind.cause === null ? alone.evidence : CauseText.text(kind.cause)
      if (kind.trials === 0) return { cause, evidence: cause }
      const detail = counted(kind.trials, "trial")
      return { cause, detail, evidence: `${detail}: ${cause}` }
    }
    case "Leak": {
      const text = `leaked ${counted(scenarios.flatMap(({ browsers = [] }) => browsers).length, "browser")}`
      return { cause: text, evidence: text }
    }
    case "Regressed":
    case "Unusual": {
      const { detail: _, ...rest } = alone
      return {
        ...rest,
        evidence: `${kind.comparison.change === undefined ? "for example" : "up to"} ${alone.evidence}`
      }
    }
    default:
      return { cause: alone.evidence, evidence: alone.evidence }
  }
}
