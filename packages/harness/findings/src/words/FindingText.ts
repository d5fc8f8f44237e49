import type { Comparison, ScenarioName } from "@webagent/report/Comparison"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import type { AffectedScenario, Finding, TrialCount } from "@webagent/report/Finding"
import type { LeakedBrowser } from "@webagent/report/Trial"
import { defined } from "@webagent/cli/Defined"
import { counted, cut, percent, signedPercent } from "@webagent/cli/Text"
import { onsetOf } from "../Order.ts"
import { isNew } from "../Tolerance.ts"
import { age, ages } from "./Ages.ts"
import { amount } from "./Amounts.ts"
import { figureName } from "./Figures.ts"
import * as ChangeText from "./ChangeText.ts"
import * as OutageText from "./OutageText.ts"
import * as PeopleText from "./PeopleText.ts"
import * as Statistics from "./Statistics.ts"
import * as BreachText from "./BreachText.ts"
import * as CauseText from "./CauseText.ts"
import * as LimitText from "./LimitText.ts"
import * as PartialText from "./PartialText.ts"

/** The scenarios that made a whole run worse, the one that added most first. */
export interface Contribution {
  /** Share of the change that they account for together. */
  readonly share: string
  readonly scenarios: ReadonlyArray<ScenarioName & { readonly title: string; readonly text: string }>
}

/** One scenario of a finding, in words. */
export interface ScenarioText extends ScenarioName {
  readonly title: string
  readonly evidence: string
  /** The cause of its failure alone. */
  readonly cause?: string
  /** Number of its trials that passed, in this run and in earlier ones, if they show that the failure is new. */
  readonly rate?: string
  readonly age?: string
}

/** A finding in words. */
export interface FindingText {
  /** The problem, in two or three words. */
  readonly what: string
  /** The scenario's suite and name, the number of scenarios, or what else it is about. */
  readonly place: string
  /** The evidence, in one line. */
  readonly evidence: string
  /** The cause of the failure, in one line, without other details. */
  readonly cause?: string
  /** Other details: the number of trials that passed in this run and in earlier ones. */
  readonly detail?: string
  /** Since when it has been so; with several scenarios, how many have each age. */
  readonly age?: string
  /** Who sees to it; if the service was unreachable, who is affected. */
  readonly owner?: string
  /** Who is working on it. */
  readonly acknowledged?: string
  /** When it was first seen, and which code changed then. */
  readonly change?: ChangeText.ChangeText
  /** Comparison with earlier runs, if it is worse and also failed in this one. */
  readonly baseline?: string
  /** Says that the evidence was counted and not estimated. */
  readonly certainty?: string
  readonly contribution?: Contribution
  /** That several scenarios share it: `one of 4 scenarios with this cause`. */
  readonly shared?: string
  readonly scenarios: ReadonlyArray<ScenarioText>
}

const line = (text: string) => text.replaceAll(/\s+/gu, " ").trim()

/** `3 of 5 trials passed`, `1 of 1 trial passed, 3 not run`; undefined for a single trial. */
export const passRate = ({ notRun, passed, ran }: TrialCount): string | undefined =>
  ran + notRun < 2
    ? undefined
    : `${passed} of ${counted(ran, "trial")} passed${notRun === 0 ? "" : `, ${notRun} not run`}`

const unusually: { readonly [figure in Comparison["figure"]]?: string } = {
  "pass rate": "unusually flaky",
  duration: "unusually slow",
  cost: "unusually costly"
}

/** A figure far outside of earlier runs, in two or three words. */
const unusualOf = (row: Comparison): string =>
  // that it is new is in the evidence
  isNew(row)
    ? "flaky"
    : ((row.scenario === null && row.figure === "pass rate" ? undefined : unusually[row.figure]) ??
      `unusual ${row.figure}`)

/** The problem, in two or three words. */
export const what = ({ kind, scenarios: [first] }: Pick<Finding, "kind" | "scenarios">): string => {
  switch (kind._tag) {
    case "Failed":
      return first?.verdict === "claimed" || kind.claimedSuccess ? "claimed success wrongly" : "failed"
    case "Flaky":
      return "flaky"
    case "Unreachable":
      return "unreachable"
    case "Unscored":
    case "PartlyScored":
      return "not scored"
    case "Leak":
      return "browser leak"
    case "AbandonedRun":
      return "abandoned run"
    case "BrokenInvariant":
      return kind.invariant
    case "LimitExceeded":
      return "exceeded limit"
    case "RunLimitExceeded":
      return "limit crossed"
    case "CostUnknown":
      return "cost unknown"
    case "Regressed":
      return `worse: ${figureName(kind.comparison)}`
    case "Unusual":
      return unusualOf(kind.comparison)
    case "Quarantined":
      return "quarantined"
    case "QuarantineExpired":
      return "quarantine expired"
    case "Incomplete":
      if (kind.why._tag === "Stopped") return "stopped"
      return kind.why._tag === "NothingRan" || kind.why._tag === "ScenarioTimeLimit" ? "not run" : "incomplete"
    case "NotRun":
      return "not run"
    case "ServiceAway":
      return "outage"
    case "StillOpen":
      return "still open"
  }
}

const mostNamed = 3

/** The first few of some names, and how many more there are. */
export const listed = (names: ReadonlyArray<string>, most = mostNamed): string => {
  const more = names.length - most
  return `${names.slice(0, most).join(", ")}${more > 0 ? `, and ${more} more` : ""}`
}

const leaked = (browsers: ReadonlyArray<LeakedBrowser>): string => {
  if (browsers.length === 0) return "leaked a browser"
  const open = browsers.filter(({ stopped }) => !stopped)
  const still = `${open.length === browsers.length ? "" : `${open.length} of them `}still open, and may cost`
  return `leaked ${counted(browsers.length, "browser")}, ${open.length === 0 ? "stopped after the trial" : still}`
}

/** The sentence of a finding about the whole run. */
const wholeRun = ({ kind, scenarios }: Finding): string => {
  switch (kind._tag) {
    case "ServiceAway":
      return OutageText.sentence(kind.outage, kind.isWholeRun)
    case "BrokenInvariant":
      return kind.breach === undefined
        ? `${counted(kind.count ?? 1, "invariant")} broken outside of scenarios`
        : line(BreachText.text(kind.breach))
    case "RunLimitExceeded":
      return LimitText.ofRun(kind.limit)
    case "CostUnknown":
      if (kind.runs.length === 0) return "had an unknown cost although a limit of cost was set"
      return (
        `${counted(kind.runs.length, "run")} (${listed(kind.runs)}) reported no final cost in "cost" or "totalCostUsd", so the limits of cost could not be enforced. ` +
        "Limit the spending at the service, and run without --max-cost, --trial-budget and budgets"
      )
    case "Incomplete": {
      const { why } = kind
      switch (why._tag) {
        case "ScenarioTimeLimit":
          return `${counted(scenarios.length, "scenario")} exceeded --max-scenario-time: ${dated(scenarios)}`
        case "LostShards":
          return `${why.missing} of ${why.of} shards ${why.missing === 1 ? "is" : "are"} missing`
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

/** Names of scenarios with their ages. */
export const dated = (scenarios: ReadonlyArray<AffectedScenario>): string =>
  listed(scenarios.map((one) => `${scenarioTitle(one)}${one.onset === undefined ? "" : ` (${age(one.onset)})`}`))

type Evidence = Pick<FindingText, "evidence" | "cause" | "detail" | "baseline"> & { readonly rate?: string }

/** The result of a scenario's trials, and whether it passes less often than before. */
const ofVerdict = (scenario: AffectedScenario): Evidence => {
  const { comparison, isQuarantineExpired, trials } = scenario
  const cause = scenario.cause && CauseText.text(scenario.cause)
  const passed = trials && passRate(trials)
  const expired = isQuarantineExpired === true ? "; its quarantine has expired" : ""
  const evidence = `${[passed, cause].filter((part) => part !== undefined).join("; ")}${expired}`
  if (comparison === undefined)
    return { evidence, ...(cause === undefined ? {} : { cause }), ...(passed === undefined ? {} : { detail: passed }) }
  const baseline = Statistics.evidence(comparison)
  return {
    ...(cause === undefined ? {} : { cause }),
    rate: `${Statistics.now(comparison)} passed, before ${Statistics.before(comparison)}`,
    baseline,
    detail: baseline,
    evidence: `${evidence}; worse than before: ${baseline}`
  }
}

/** The evidence of one scenario of a finding. */
const ofScenario = (finding: Finding, scenario: AffectedScenario): Evidence => {
  const { kind } = finding
  const { breaches = [], browsers = [], comparison } = scenario
  const cause = scenario.cause && CauseText.text(scenario.cause)
  switch (kind._tag) {
    case "Failed":
    case "Flaky":
    case "Unreachable":
    case "Unscored":
      return ofVerdict(scenario)
    case "Leak":
      return { cause: leaked(browsers), evidence: `${leaked(browsers)}: ${browsers.map(({ id }) => id).join(", ")}` }
    case "AbandonedRun":
    case "BrokenInvariant":
      return { evidence: breaches.map((breach) => line(BreachText.text(breach))).join("; ") }
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
    default:
      return { evidence: wholeRun(finding) }
  }
}

/** The common evidence of several scenarios. */
const ofSeveral = (finding: Finding): Evidence => {
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

// if the first few account for less, no few scenarios are the reason
const concentrated = 0.5
// changes that are at least this much of each other are the same to a person
const alike = 0.75
// if the other scenarios add less than this much of what these add on average, these are the reason
const negligible = 0.1

/** The scenarios that made a whole run worse. */
const contributionOf = ({ contributors = [], figure, scenarios: ran = 0 }: Comparison): Contribution | undefined => {
  if (contributors.length === 0) return undefined
  const share = contributors.reduce((sum, { share }) => sum + share, 0)
  const scenarios = contributors.map(({ before, name, now, suite }) => {
    const unit = figure === "pass rate" ? "" : " per trial"
    return {
      suite,
      name,
      title: scenarioTitle({ suite, name }),
      text: `${amount(now)}${unit}, usually ${amount(before)}`
    }
  })
  const of = `${scenarios.length} of ${counted(ran, "scenario")}`
  const part = share > 0.995 ? "all" : percent(share, 0)
  // if each of them rose the same, the first few are nothing special; a long scenario always has a greater share
  const changes = contributors.map(({ change }) => change)
  const [least, greatest] = [Math.min(...changes), Math.max(...changes)]
  const isEven =
    scenarios.length > 1 &&
    least > alike * greatest &&
    (1 - share) * scenarios.length >= negligible * share * (ran - scenarios.length)
  const range = [...new Set([least, greatest].map(signedPercent))].join(" to ")
  return {
    share: isEven
      ? `similar in each: ${range} in ${of}; for example`
      : `${share < concentrated ? "spread over many scenarios; " : ""}${part} of it comes from ${of}`,
    scenarios
  }
}

const mostInLine = 3

/** The reason why a whole run is worse, in one line. */
export const contributionLine = ({ contribution }: FindingText): ReadonlyArray<string> => {
  if (contribution === undefined) return []
  const { scenarios, share } = contribution
  const named = scenarios.slice(0, mostInLine).map(({ text, title }) => `${title} ${text}`)
  return [`${share}: ${[...named, ...(scenarios.length > mostInLine ? ["…"] : [])].join("; ")}`]
}

const placeOf = ({ kind, scenarios: [first, ...others] }: Finding): string => {
  if (kind._tag === "Incomplete") return "the whole run"
  if (others.length > 0) return counted(1 + others.length, "scenario")
  if (first !== undefined) return scenarioTitle(first)
  if (kind._tag === "Regressed" || kind._tag === "Unusual") return "the whole night"
  return kind._tag === "BrokenInvariant" ? (kind.breach?.resource ?? "the whole run") : "the whole run"
}

/** A finding in words. */
export const describe = (finding: Finding): FindingText => {
  const { kind, scenarios } = finding
  const [first] = scenarios
  const isSeveral = scenarios.length > 1 && kind._tag !== "Incomplete"
  const { rate: _, ...evidence } = isSeveral
    ? ofSeveral(finding)
    : first === undefined || kind._tag === "Incomplete"
      ? kind._tag === "Regressed" || kind._tag === "Unusual"
        ? { evidence: Statistics.evidence(kind.comparison) }
        : { evidence: wholeRun(finding) }
      : ofScenario(finding, first)
  const onset = onsetOf(finding)
  const since = isSeveral
    ? ages(scenarios.map(({ onset }) => onset))
    : onset === undefined || kind._tag === "Incomplete"
      ? undefined
      : age(onset)
  const contribution = "comparison" in kind ? contributionOf(kind.comparison) : undefined
  return {
    ...evidence,
    what: what(finding),
    place: placeOf(finding),
    ...defined({
      age: since,
      contribution,
      certainty:
        kind._tag === "Leak" ? "certain: open browsers are counted after each trial, not estimated" : undefined,
      owner: PeopleText.owners(finding),
      acknowledged: PeopleText.acknowledged(finding),
      change: kind._tag === "Incomplete" ? undefined : ChangeText.text(onset)
    }),
    ...(isSeveral
      ? { shared: `one of ${scenarios.length} scenarios ${"comparison" in kind ? "like this" : "with this cause"}` }
      : {}),
    scenarios: scenarios.map((scenario): ScenarioText => {
      const { cause, evidence, rate } = ofScenario(finding, scenario)
      return {
        suite: scenario.suite,
        name: scenario.name,
        title: scenarioTitle(scenario),
        evidence,
        ...defined({ cause, rate, age: scenario.onset && age(scenario.onset) })
      }
    })
  }
}

/** Names the part of the owners in a finding: those of scenarios that an outage interrupted don't own the outage. */
export const role = ({ kind }: Finding): string => (kind._tag === "Unreachable" ? "affected:" : "owner")

const longestCause = 140

/** A finding in one line, with its cause, the names of its scenarios and who sees to it. */
export const brief = (finding: Finding): string => {
  const text = describe(finding)
  const { cause, evidence, place, scenarios } = text
  const head = `${place}: ${what(finding)}${text.age === undefined ? "" : ` (${text.age})`}: ${cut(cause ?? evidence, longestCause)}`
  const named = text.shared === undefined ? head : `${head}: ${listed(scenarios.map(({ title }) => title))}`
  return text.owner === undefined ? named : `${named} · ${role(finding)} ${text.owner}`
}

/** The scenario to look at: the finding's first, or the one that added most to a whole run. */
export const exampleOf = ({ kind, scenarios: [first] }: Finding): ScenarioName | undefined =>
  first ?? ("comparison" in kind ? kind.comparison.contributors?.[0] : undefined)
