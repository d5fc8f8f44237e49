import type { GateResult, Reason } from "./GateResult.ts"
import type { JudgedRow } from "./NightJudgement.ts"
import * as Onset from "./Onset.ts"
import {
  breachesOf,
  isBad,
  isOverLimit,
  isUncleanOnly,
  leakedBrowsersOf,
  type RunReport,
  type ScenarioResult,
  type Verdict
} from "./RunReport.ts"
import * as Skip from "./Skip.ts"
import { counted } from "./Text.ts"
import { isScored } from "./Trial.ts"

/** A failure that is as frequent as usual passes only when this many earlier nights are known. */
const leastNights = 5

const mostNamed = 3

const nameOf = ({ name, suite }: { readonly suite: string; readonly name: string }) => `${suite} › ${name}`

/** Since when a scenario is so, as far as the rule is concerned. */
const onsetOf = (rule: Reason["rule"], { onset }: ScenarioResult): Onset.Onset | undefined =>
  rule === "leak" || rule === "invariant" ? onset?.invariants : onset?.trials

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

/** Whether a scenario is in a quarantine that has not expired: its verdict does not make a run red. */
export const isCovered = ({ quarantine }: ScenarioResult) => quarantine !== undefined && !quarantine.expired

/**
 * Whether a scenario that does not always pass is as it usually is, by what the nights before say of its pass rate: a
 * flaky scenario whose rate has not fallen, or one that failed every trial and often does. Of a scenario with few nights
 * the tier says whether it fails as often as they and all scenarios let expect.
 */
export const isUsual = (verdict: Verdict, row: JudgedRow | undefined): boolean =>
  row !== undefined &&
  (row.nights >= leastNights
    ? (row.verdict === "no evidence" || row.verdict === "improved") &&
      (verdict === "flaky" || (verdict === "failed" && row.tier === "fine"))
    : row.nights > 0 && verdict === "flaky" && row.tier === "fine")

const isKnown = (result: ScenarioResult, rows: ReadonlyArray<JudgedRow>): boolean =>
  // one that failed by its amount says nothing by its pass rate
  result.failure?.kind !== "budget" &&
  !isOverLimit(result) &&
  isUsual(
    result.verdict,
    rows.find(
      ({ figure, scenario }) =>
        figure === "pass rate" && scenario?.suite === result.suite && scenario.name === result.name
    )
  )

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

/** The results whose trials are no reason, whatever they say: in quarantine, or flaky as ever. */
export const tolerated = ({ judgement, results }: RunReport): ReadonlySet<ScenarioResult> =>
  new Set(results.filter((result) => isCovered(result) || isKnown(result, judgement?.rows ?? [])))

/** Figures far outside of their earlier nights that do not make a run red: a person should look at them. */
export const unusual = (report: RunReport): ReadonlyArray<JudgedRow> => {
  const { judgement, results } = report
  const covered = new Set(results.filter(isCovered).map(nameOf))
  const known = tolerated(report)
  // that it failed says more than that it seldom does
  const failing = new Set(results.filter((result) => isBad(result) && !known.has(result)).map(nameOf))
  return (judgement?.rows ?? []).filter(
    ({ figure, scenario, tier }) =>
      tier === "unusual" &&
      (scenario === null
        ? // what single scenarios lost tonight is what the whole night lost
          !(figure === "pass rate" && failing.size > 0)
        : !covered.has(nameOf(scenario)) && !(figure === "pass rate" && failing.has(nameOf(scenario))))
  )
}

const isUnrun = ({ trials }: ScenarioResult) => !trials.some(({ verdict }) => verdict !== "skipped")

/** Whether a scenario was not run, or not whole, for another reason than that the target cannot serve it. */
const isCut = (report: RunReport) => (result: ScenarioResult) =>
  result.needs.every((need) => report.header.target.capabilities.includes(need)) &&
  (result.verdict === "skipped" || result.trials.some(({ verdict }) => verdict === "skipped"))

/** Above this share of trials that the infrastructure ended, too little is known of a run. */
const mostInfra = 0.2

/** That the infrastructure ended too many trials of some scenarios, in words; undefined where it did not. */
export const awayTooOften = (results: ReadonlyArray<ScenarioResult>): string | undefined => {
  const ran = results.flatMap(({ trials }) => trials).filter(({ verdict }) => verdict !== "skipped")
  const away = ran.filter(({ verdict }) => verdict === "infra").length
  return away > mostInfra * ran.length ? `the infrastructure ended ${away} of ${ran.length} trials` : undefined
}

/** Whether some of its trials say nothing, and others say that it is well or not. */
const isPartlyScored = ({ trials, verdict }: ScenarioResult) =>
  verdict !== "infra" &&
  verdict !== "unscored" &&
  trials.some(({ verdict }) => verdict === "infra" || verdict === "unscored")

/** Whether no trial of a scenario ended within the time that the scenario has, so that a service that hangs is red. */
const isOverlong = ({ trials, verdict }: ScenarioResult): boolean =>
  verdict === "skipped" &&
  // those that were not begun have sent nothing
  trials.some(({ requests, skip }) => requests > 0 && skip?._tag === "ScenarioTimeLimit")

/** A reason for each set of shards that is missing although --allow-missing was not given. */
const missingShards = ({ shards = [] }: RunReport): ReadonlyArray<Reason> => {
  const of = shards[0]?.of ?? 0
  const missing = of - shards.length
  if (missing <= 0) return []
  return [{ rule: "not run", sentence: `${missing} of ${of} shards ${missing === 1 ? "is" : "are"} missing` }]
}

/** Why a scenario was not run, or not whole. */
const skipOf = ({ skip, trials }: ScenarioResult) => skip ?? trials.find((trial) => trial.skip !== undefined)?.skip

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

/**
 * Decides whether a run is green. No other place does.
 *
 * - Always red: a broken invariant, a leak, and what is worse than in earlier nights.
 * - A failure is red, unless at least five earlier nights show that it is as frequent as usual.
 * - A quarantined scenario is not red until its entry expires; an expired entry is.
 * - What a limit kept from running is reported and not red. But a scenario that began and finished no trial in time is red.
 * - A run without any result, or with too few, is red. A shard is judged with the other shards instead.
 */
export const decide = (report: RunReport): GateResult => {
  const { breaches, crossed = [], interrupted, judgement, results } = report
  const rows = judgement?.rows ?? []
  const open = results.filter((result) => !isCovered(result))
  const of = (verdict: ScenarioResult["verdict"]) => open.filter((result) => result.verdict === verdict)
  const known = [...of("flaky"), ...of("failed")].filter((result) => !isUncleanOnly(result) && isKnown(result, rows))
  const covered = new Set(results.filter(isCovered).map(nameOf))
  const unrun = cuts(report)
  const isShard = report.header.shard !== undefined
  const isCutWhole = unrun.length > 0 && !results.some(({ trials }) => trials.some(isScored))
  const nothing = !interrupted && (isCutWhole || (!isShard && results.every(({ verdict }) => verdict === "skipped")))
  const away = of("infra").length > 0 ? undefined : awayTooOften(open)
  const reasons: ReadonlyArray<Reason> = [
    ...(interrupted ? [{ rule: "stopped", sentence: "the run was stopped before every scenario ran" } as const] : []),
    ...breaches.map(
      ({ invariant, sentence }) => ({ rule: "invariant", sentence: `${invariant}: ${sentence}` }) as const
    ),
    ...reason(
      "invariant",
      open.filter((result) => breachesOf(result).length > 0),
      () => "broke an invariant"
    ),
    ...reason(
      "leak",
      open.filter((result) => leakedBrowsersOf(result).length > 0),
      () => "left browsers open"
    ),
    // one that only leaked or broke an invariant has a reason of its own
    ...reason(
      "failed",
      of("failed").filter((result) => !isUncleanOnly(result) && !isOverLimit(result) && !known.includes(result)),
      () => "failed"
    ),
    ...reason(
      "scenario limit",
      open.filter(({ exceeded }) => exceeded !== undefined),
      () => "exceeded maxDuration or maxCost"
    ),
    ...reason("claimed", of("claimed"), () => "failed although the agent reported success"),
    ...reason(
      "flaky",
      of("flaky").filter((result) => !known.includes(result)),
      () => "passed in some trials only"
    ),
    ...reason("infra", of("infra"), () => "could not run: the service was unreachable"),
    ...reason("unscored", of("unscored"), () => "could not be scored: an oracle failed"),
    ...findings(rows.filter(({ scenario }) => scenario === null || !covered.has(nameOf(scenario)))).map(
      (sentence) => ({ rule: "regressed", sentence }) as const
    ),
    ...reason(
      "quarantine",
      results.filter(({ quarantine }) => quarantine?.expired === true),
      (count) => `${count === 1 ? "is" : "are"} in quarantine past the expiry date`
    ),
    ...reason("not run", open.filter(isOverlong), () => "exceeded --max-scenario-time"),
    ...crossed.map((sentence) => ({ rule: "limit", sentence }) as const),
    ...missingShards(report),
    ...(nothing ? [{ rule: "not run", sentence: "no scenario ran to its end" } as const] : []),
    ...(away === undefined ? [] : [{ rule: "not run", sentence: `too few results: ${away}` } as const])
  ]
  const notes: ReadonlyArray<Reason> = [
    ...reason("flaky", known, () => "did not pass in every trial, as usual", true),
    ...reason(
      "quarantine",
      results.filter((result) => isCovered(result) && (result.verdict === "skipped" || isBad(result))),
      () => "failed, and is in quarantine"
    ),
    ...reason("infra", results.filter(isPartlyScored), () => "could not be scored in every trial"),
    ...unrun
  ]
  return { green: reasons.length === 0, reasons, notes }
}

/** The decision that a report carries, so that all its readers say the same; decided now where it carries none. */
export const of = (report: RunReport): GateResult => report.gate ?? decide(report)
