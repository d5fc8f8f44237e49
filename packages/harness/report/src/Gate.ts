import * as ExceededRunLimit from "./ExceededRunLimit.ts"
import * as Breach from "./Breach.ts"
import type { GateResult, Reason } from "./GateResult.ts"
import type { JudgedRow } from "./NightJudgement.ts"
import * as Onset from "./Onset.ts"
import * as Outage from "./Outage.ts"
import {
  allTrialsOf,
  breachesOf,
  costUnknownOf,
  isBad,
  isOverLimit,
  isUncleanOnly,
  leakedBrowsersOf,
  type RunReport,
  type ScenarioResult,
  type Verdict
} from "./RunReport.ts"
import * as Partial from "./Partial.ts"
import * as Skip from "./Skip.ts"
import { counted } from "@webagent/cli/Text"
import { isScored } from "./Trial.ts"

/** Fewer earlier nights do not say how often a scenario fails, or what a history has already seen. */
const leastNights = 5

const mostNamed = 3

const nameOf = ({ name, suite }: { readonly suite: string; readonly name: string }) => `${suite} › ${name}`

/** Since when a scenario is so, as far as the rule is concerned. */
const onsetOf = (rule: Reason["rule"], { onset }: ScenarioResult): Onset.Onset | undefined =>
  rule === "leak" || rule === "left running" || rule === "invariant" ? onset?.invariants : onset?.trials

/** Some names in words, the newest first, and how many more there are; what is as usual is not new. */
const named = (rule: Reason["rule"], results: ReadonlyArray<ScenarioResult>, isUsual: boolean): string => {
  const names = results
    .toSorted((one, other) => Onset.newestFirst(onsetOf(rule, one), onsetOf(rule, other)))
    .slice(0, mostNamed)
    .map((result) => {
      const onset = isUsual ? undefined : onsetOf(rule, result)
      return `${nameOf(result)}${onset === undefined ? "" : ` (${Onset.text(onset)})`}`
    })
  const more = results.length - names.length
  return `${names.join(", ")}${more === 0 ? "" : `, and ${more} more`}`
}

/** One reason for all results that a rule is about; none where there is no such result. */
const reason = (
  rule: Reason["rule"],
  results: ReadonlyArray<ScenarioResult>,
  what: (count: number) => string,
  isUsual = false
): ReadonlyArray<Reason> =>
  results.length === 0
    ? []
    : [
        {
          rule,
          sentence: `${counted(results.length, "scenario")} ${what(results.length)}: ${named(rule, results, isUsual)}`
        }
      ]

/** True if a scenario is in a quarantine that has not expired, so that its verdict doesn't fail the run. */
export const isCovered = ({ quarantine }: ScenarioResult) => quarantine !== undefined && !quarantine.expired

/** Scored trials of a scenario in one run, planned and confirm trials together. */
interface Passing {
  readonly verdict: Verdict
  readonly passed: number
}

/**
 * True if earlier nights explain that a scenario didn't always pass, so that it doesn't fail the run. A scenario
 * without a single passed trial tonight is never explained: only quarantine keeps it from failing the run. A flaky
 * scenario is explained if its pass rate hasn't fallen, or if it's new and too few nights have run it. If all planned
 * trials failed and some confirm trials passed, that must also be usual.
 */
export const isTolerated = ({ passed, verdict }: Passing, row: JudgedRow | undefined, nights: number): boolean =>
  row !== undefined &&
  passed > 0 &&
  (row.nights >= leastNights
    ? (row.verdict === "no evidence" || row.verdict === "improved") &&
      (verdict === "flaky" || (verdict === "failed" && row.tier === "fine"))
    : verdict === "flaky" && (nights >= leastNights || (row.nights > 0 && row.tier === "fine")))

/** True if no earlier night has run a scenario in its current version, so that its pass rate is from tonight alone. */
export const isNew = ({ figure, nights, scenario }: JudgedRow): boolean =>
  figure === "pass rate" && scenario !== null && nights === 0

const isOf = (result: ScenarioResult | undefined, { scenario }: JudgedRow): boolean =>
  result?.suite === scenario?.suite && result?.name === scenario?.name

/** The pass rate of a scenario compared with earlier nights. */
const passRateRowOf = (result: ScenarioResult, judgement: RunReport["judgement"]): JudgedRow | undefined =>
  judgement?.rows.find((row) => row.figure === "pass rate" && isOf(result, row))

const passedIn = (result: ScenarioResult): number =>
  allTrialsOf(result).filter(({ verdict }) => verdict === "passed").length

const isKnown = (result: ScenarioResult, judgement: RunReport["judgement"]): boolean =>
  // one that failed by its amount says nothing by its pass rate
  result.failure?.kind !== "budget" &&
  !isOverLimit(result) &&
  judgement !== undefined &&
  isTolerated({ verdict: result.verdict, passed: passedIn(result) }, passRateRowOf(result, judgement), judgement.nights)

/** Regressions as findings: scenarios that regressed in the same figure since the same night are one, as one cause made them. */
export const findings = (rows: ReadonlyArray<JudgedRow>): ReadonlyArray<string> => {
  // a leak has a rule of its own
  const red = rows.filter(({ figure, verdict }) => verdict === "regressed" && figure !== "leaked browsers")
  const groups = Map.groupBy(
    red.toSorted((one, other) => Onset.newestFirst(one.onset, other.onset)),
    ({ figure, scenario, since }) => JSON.stringify([figure, scenario === null ? null : since])
  )
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const onset = first.onset === undefined ? "" : ` (${Onset.text(first.onset)})`
    if (first.scenario === null) return [`${first.figure} of the whole night: ${first.evidence}${onset}`]
    const names = group.flatMap(({ scenario }) => (scenario === null ? [] : [nameOf(scenario)]))
    const more = names.length > mostNamed ? `, and ${names.length - mostNamed} more` : ""
    const whose =
      names.length === 1 ? names[0] : `${names.length} scenarios (${names.slice(0, mostNamed).join(", ")}${more})`
    return [`${first.figure} of ${whose}: ${first.evidence}${onset}`]
  })
}

/** The results whose trials are no reason, whatever they say: in quarantine, flaky as ever, or new and flaky. */
export const tolerated = ({ judgement, results }: RunReport): ReadonlySet<ScenarioResult> =>
  new Set(results.filter((result) => isCovered(result) || isKnown(result, judgement)))

/** Figures far outside of their earlier nights that do not make a run red: a person should look at them. */
export const unusual = (report: RunReport): ReadonlyArray<JudgedRow> => {
  const { judgement, results } = report
  const covered = new Set(results.filter(isCovered).map(nameOf))
  const known = tolerated(report)
  // that it failed says more than that it seldom does
  const failing = new Set(results.filter((result) => isBad(result) && !known.has(result)).map(nameOf))
  const rows = (judgement?.rows ?? []).filter(
    ({ figure, scenario, tier }) =>
      tier === "unusual" &&
      (scenario === null ||
        (!covered.has(nameOf(scenario)) && !(figure === "pass rate" && failing.has(nameOf(scenario)))))
  )
  // what single scenarios lost tonight is what the whole night lost; a new one is no part of its pass rate
  const isTold =
    failing.size > 0 || rows.some((row) => row.figure === "pass rate" && row.scenario !== null && !isNew(row))
  return rows.filter(({ figure, scenario }) => !(isTold && figure === "pass rate" && scenario === null))
}

const isUnrun = ({ trials }: ScenarioResult) => !trials.some(({ verdict }) => verdict !== "skipped")

/** True if a scenario was skipped or not completed for a reason other than a need that the target doesn't support. */
export const isCut = (report: RunReport) => (result: ScenarioResult) =>
  result.needs.every((need) => report.header.target.capabilities.includes(need)) &&
  (result.verdict === "skipped" || result.trials.some(({ verdict }) => verdict === "skipped"))

/** Above this share of trials that the infrastructure ended, too little is known of a run. */
const mostInfra = 0.2

/** Trials that infrastructure failures ended, of those that ran, if there are too many; undefined otherwise. */
export const awayTooOften = (
  results: ReadonlyArray<ScenarioResult>
): { readonly failed: number; readonly trials: number } | undefined => {
  const ran = results.flatMap(({ trials }) => trials).filter(({ verdict }) => verdict !== "skipped")
  const failed = ran.filter(({ verdict }) => verdict === "infra").length
  return failed > mostInfra * ran.length ? { failed, trials: ran.length } : undefined
}

/** True if some of its trials are not scored, and others are. */
const isPartlyScored = ({ trials, verdict }: ScenarioResult) =>
  verdict !== "infra" &&
  verdict !== "unscored" &&
  trials.some(({ verdict }) => verdict === "infra" || verdict === "unscored")

/**
 * True if no trial of a scenario finished within the scenario's time limit, so that a service that hangs fails the run.
 */
const isOverlong = ({ trials, verdict }: ScenarioResult): boolean =>
  verdict === "skipped" &&
  // those that were not begun have sent nothing
  trials.some(({ requests, skip }) => requests > 0 && skip?._tag === "ScenarioTimeLimit")

/** Describes the number of shards that are missing although --allow-missing was not set. */
const missingShards = ({ shards = [] }: RunReport): ReadonlyArray<string> => {
  const of = shards[0]?.of ?? 0
  const missing = of - shards.length
  return missing <= 0 ? [] : [`${missing} of ${of} shards ${missing === 1 ? "is" : "are"} missing`]
}

/** The reason why a scenario was skipped or not completed. */
export const skipOf = ({ skip, trials }: ScenarioResult) =>
  skip ?? trials.find((trial) => trial.skip !== undefined)?.skip

const cuts = (report: RunReport): ReadonlyArray<Reason> =>
  Skip.grouped(report.results.filter(isCut(report)), skipOf).map(([why, results]) => {
    const whole = results.filter(isUnrun).length
    const part = results.length - whole
    const what = [
      ...(whole === 0 ? [] : [`${counted(whole, "scenario")} ${whole === 1 ? "was" : "were"} not run`]),
      ...(part === 0 ? [] : [`${counted(part, "scenario")} not with all trials`])
    ]
    return { rule: "not run", sentence: `${what.join(", ")}: ${why}` }
  })

/** Lists the reasons why a run is too incomplete for a verdict, one sentence each. */
const unfinished = (report: RunReport, open: ReadonlyArray<ScenarioResult>): ReadonlyArray<string> => {
  const { header, interrupted, results } = report
  const isShard = header.shard !== undefined
  const isCutWhole = results.some(isCut(report)) && !results.some(({ trials }) => trials.some(isScored))
  // that the service was away is a reason of its own
  const nothing =
    !interrupted &&
    !Outage.isWhole(report) &&
    (isCutWhole || (!isShard && results.every(({ verdict }) => verdict === "skipped")))
  const away = open.some(({ verdict }) => verdict === "infra") ? undefined : awayTooOften(open)
  return [
    ...reason("not run", open.filter(isOverlong), () => "exceeded --max-scenario-time").map(({ sentence }) => sentence),
    ...missingShards(report),
    ...(nothing ? ["no scenario ran to its end"] : []),
    ...(away === undefined ? [] : [`too few results: ${Partial.text({ _tag: "Infra", ...away })}`])
  ]
}

/** The invariant of a passed trial that left a run or session running. */
export const leftRunning = "runs-left-running"

/** The sentence about runs with an unknown cost, where a limit of cost is set. */
const unknownCosts = ({ results }: RunReport): ReadonlyArray<string> => {
  const ids = results.flatMap(costUnknownOf)
  if (ids.length === 0) return []
  const more = ids.length > mostNamed ? `, and ${ids.length - mostNamed} more` : ""
  return [
    `${counted(ids.length, "run")} (${ids.slice(0, mostNamed).join(", ")}${more}) reported no final cost in "cost" or "totalCostUsd", so the limits of cost could not be enforced. ` +
      "Limit the spending at the service, and run without --max-cost, --trial-budget and budgets"
  ]
}

/** One thing that makes a run red. The gate, titles and reports only group, count and word these. */
export interface Problem {
  readonly rule: Reason["rule"]
  /** Noun for counting the problems: `failure`, `browser leak`. */
  readonly noun: string
  readonly result?: ScenarioResult
  /** The figure that regressed; of a scenario that did not pass, its pass rate where that regressed or is unusual. */
  readonly row?: JudgedRow
  /** An invariant that no scenario can be blamed for. */
  readonly breach?: RunReport["breaches"][number]
  /** Sentence about the whole run. */
  readonly sentence?: string
  readonly onset?: Onset.Onset | undefined
}

/** Rules for verdicts of a scenario's trials that are problems. */
const byVerdict: Readonly<Partial<Record<Verdict, readonly [rule: Reason["rule"], noun: string]>>> = {
  failed: ["failed", "failure"],
  claimed: ["claimed", "failure"],
  flaky: ["flaky", "flaky scenario"],
  infra: ["infra", "unreachable scenario"],
  unscored: ["unscored", "unscored scenario"]
}

/** True if a scenario did not pass although its trials were scored. */
export const isFailing = ({ rule }: Problem): boolean => rule === "failed" || rule === "claimed" || rule === "flaky"

/** Lists the problems of one scenario, including those that don't fail the run. */
export const problemsOf = (result: ScenarioResult): ReadonlyArray<Problem> => {
  const { exceeded, onset, quarantine, verdict } = result
  const isLeaking = leakedBrowsersOf(result).length > 0
  const isLeavingRuns = breachesOf(result).some(({ invariant }) => invariant === leftRunning)
  // a leaked browser is also a breach of its own name
  const isBreaking = breachesOf(result).some(
    ({ invariant }) => invariant !== leftRunning && (!isLeaking || invariant !== "browsers-left-open")
  )
  // one that only leaked, broke an invariant or exceeded a limit is told by that
  const [rule, noun] = isUncleanOnly(result) || isOverLimit(result) ? [] : (byVerdict[verdict] ?? [])
  const [ofTrials, ofInvariants] = [
    { result, onset: onset?.trials },
    { result, onset: onset?.invariants }
  ]
  return [
    ...(rule === undefined || noun === undefined ? [] : [{ rule, noun, ...ofTrials }]),
    ...(exceeded === undefined ? [] : [{ rule: "scenario limit", noun: "exceeded limit", ...ofTrials } as const]),
    ...(isBreaking ? [{ rule: "invariant", noun: "broken invariant", ...ofInvariants } as const] : []),
    ...(isLeaking ? [{ rule: "leak", noun: "browser leak", ...ofInvariants } as const] : []),
    ...(isLeavingRuns ? [{ rule: "left running", noun: "abandoned run", ...ofInvariants } as const] : []),
    ...(quarantine?.expired === true ? [{ rule: "quarantine", noun: "expired quarantine", result } as const] : [])
  ]
}

// the worst first
const rules: ReadonlyArray<Reason["rule"]> = [
  "outage",
  "claimed",
  "failed",
  "scenario limit",
  "invariant",
  "leak",
  "left running",
  "regressed",
  "flaky",
  "infra",
  "unscored",
  "quarantine",
  "cost unknown",
  "limit",
  "not run",
  "stopped"
]

// one that is flaky, and passes less often than before, is as bad as one that failed
const severity = ({ row, rule }: Problem): number =>
  rules.indexOf(rule === "flaky" && row !== undefined ? "failed" : rule)

/** Everything that makes a run red, the worst first; empty exactly when it is green. No other place decides that. */
export const problems = (report: RunReport): ReadonlyArray<Problem> => {
  const { breaches, crossed = [], interrupted, judgement, outages = [], results } = report
  const open = results.filter((result) => !isCovered(result))
  const known = tolerated(report)
  // a leak has a rule of its own
  const regressed = (judgement?.rows ?? []).filter(
    (row) =>
      row.verdict === "regressed" &&
      row.figure !== "leaked browsers" &&
      !results.some((result) => isCovered(result) && isOf(result, row))
  )
  // a failure that is not news is red where it is rare, and has to say what is usual
  const rare = (judgement?.rows ?? []).filter(
    ({ tier, verdict }) => tier === "unusual" && verdict !== "not enough data"
  )
  const rates = [...regressed, ...rare].filter(({ figure }) => figure === "pass rate")
  const found = open
    .flatMap(problemsOf)
    .filter((problem) => !isFailing(problem) || problem.result === undefined || !known.has(problem.result))
    .map((problem) => {
      const row = isFailing(problem) ? rates.find((row) => isOf(problem.result, row)) : undefined
      return row === undefined ? problem : { ...problem, row }
    })
  // a scenario that failed tonight is not told again by its pass rate, nor is the whole night by all of them
  const isTold = (row: JudgedRow) =>
    row.figure === "pass rate" &&
    (row.scenario === null ? found.some(isFailing) : found.some((problem) => problem.row === row))
  const run = (rule: Reason["rule"], noun: string) => (sentence: string) => ({ rule, noun, sentence })
  const all: ReadonlyArray<Problem> = [
    ...found,
    ...breaches.map((breach) => ({ rule: "invariant", noun: "broken invariant", breach }) as const),
    ...regressed
      .filter((row) => !isTold(row))
      .map((row) => {
        const result = results.find((result) => isOf(result, row))
        return {
          rule: "regressed",
          noun: "regression",
          row,
          onset: row.onset,
          ...(result && { result })
        } as const
      }),
    ...outages
      .filter(Outage.isSerious)
      .map((outage) => Outage.text(outage, report))
      .map(run("outage", "outage")),
    ...crossed.map(ExceededRunLimit.text).map(run("limit", "crossed limit")),
    // quarantine excuses failures, and no spending
    ...unknownCosts(report).map(run("cost unknown", "unknown cost")),
    ...unfinished(report, open).map(run("not run", "incomplete run")),
    ...(interrupted ? ["the run was stopped before every scenario ran"] : []).map(run("stopped", "stopped run"))
  ]
  return all.toSorted((one, other) => severity(one) - severity(other) || Onset.newestFirst(one.onset, other.onset))
}

/** Sentences of the rules that apply to several scenarios. */
const said: Readonly<Partial<Record<Reason["rule"], (count: number) => string>>> = {
  failed: () => "failed",
  claimed: () => "failed although the agent reported success",
  "scenario limit": () => "exceeded maxDuration or maxCost",
  invariant: () => "broke an invariant",
  leak: () => "left browsers open",
  "left running": () => "left runs running",
  flaky: () => "passed in some trials only",
  infra: () => "could not run: the service was unreachable",
  unscored: () => "could not be scored: an oracle failed",
  quarantine: (count) => `${count === 1 ? "is" : "are"} in quarantine past the expiry date`
}

/** The reasons of one rule. */
const reasonsOf = (rule: Reason["rule"], group: ReadonlyArray<Problem>): ReadonlyArray<Reason> => {
  if (rule === "regressed") return []
  const results = group.flatMap(({ result }) => result ?? [])
  return [
    ...reason(rule, results, said[rule] ?? (() => rule)),
    ...group.flatMap(({ breach, sentence }) =>
      breach !== undefined
        ? { rule, sentence: `${breach.invariant}: ${Breach.text(breach)}` }
        : sentence === undefined
          ? []
          : { rule, sentence }
    )
  ]
}

/**
 * Decides whether a run is green. No other place does.
 *
 * - Always red: a broken invariant, a leak, and what is worse than in earlier nights.
 * - A scenario that failed all its trials is red. One that failed some is red, unless at least five earlier nights show
 *   that it is as frequent as usual. Where a history has five nights, a new scenario that passed some trials is unusual,
 *   and not red.
 * - A quarantined scenario is not red until its entry expires; an expired entry is.
 * - An outage of a minute or more is red, and so is one that was not over at the end. A shorter one is a note.
 * - What a limit kept from running is reported and not red. But a scenario that began and finished no trial in time is red.
 * - A run without any result, or with too few, is red. A shard is judged with the other shards instead.
 */
export const decide = (report: RunReport): GateResult => {
  const { judgement, outages = [], results } = report
  const found = problems(report)
  const reasons: ReadonlyArray<Reason> = [
    ...[...Map.groupBy(found, ({ rule }) => rule)].flatMap(([rule, group]) => reasonsOf(rule, group)),
    // by figure, also that of a scenario that failed
    ...findings(found.flatMap(({ row }) => row ?? [])).map((sentence) => ({ rule: "regressed", sentence }) as const)
  ]
  const rare = unusual(report).filter(({ figure }) => figure === "pass rate")
  const known = results.filter(
    (result) =>
      !isCovered(result) &&
      !isUncleanOnly(result) &&
      isKnown(result, judgement) &&
      !rare.some((row) => isOf(result, row))
  )
  const hasFailedBefore = (result: ScenarioResult) => (passRateRowOf(result, judgement)?.failedBefore ?? 0) > 0
  const notes: ReadonlyArray<Reason> = [
    ...outages
      .filter((outage) => !Outage.isSerious(outage))
      .map((outage) => ({ rule: "outage", sentence: Outage.text(outage) }) as const),
    ...reason("flaky", known.filter(hasFailedBefore), () => "did not pass in every trial, as usual", true),
    ...reason(
      "flaky",
      known.filter((result) => !hasFailedBefore(result)),
      () => "did not pass in every trial, unlike in the compared nights; one such night is no evidence of a regression"
    ),
    ...reason(
      "quarantine",
      results.filter((result) => isCovered(result) && (result.verdict === "skipped" || isBad(result))),
      () => "failed, and is in quarantine"
    ),
    ...reason("infra", results.filter(isPartlyScored), () => "could not be scored in every trial"),
    ...cuts(report)
  ]
  return { green: reasons.length === 0, reasons, notes }
}

/** The decision that a report carries, so that all its readers say the same; decided now where it carries none. */
export const of = (report: RunReport): GateResult => report.gate ?? decide(report)
