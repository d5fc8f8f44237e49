import type { Comparison } from "@webagent/report/Comparison"
import type { AffectedScenario, Finding, RunStatus } from "@webagent/report/Finding"
import * as Onset from "@webagent/report/Onset"
import { counted, signedPercent } from "@webagent/cli/Text"
import type { Verdict } from "@webagent/report/Verdict"
import { ofSeverity, statusOf } from "@webagent/report/Finding"
import { worstFirst } from "../Order.ts"
import { kindOf } from "../ScenarioFindings.ts"
import { isNew } from "../Tolerance.ts"
import { figureName } from "./Figures.ts"
import * as OutageText from "./OutageText.ts"
import { now } from "./Statistics.ts"

/** The parts of a run that its title is made from. */
export interface Titled {
  readonly findings: ReadonlyArray<Finding>
  /** Scenarios that ran, and those that passed. */
  readonly ran: number
  readonly passed: number
  /** True if a limit kept scenarios from running: the passed scenarios are of those that ran. */
  readonly isCutShort?: boolean
  /** The part that a limit kept from running, in a few words, and with the limit. */
  readonly partial?: { readonly brief: string; readonly text: string } | undefined
}

/** One kind of problem, counted. */
interface Problem {
  readonly count: number
  /** Number of problems that are new; undefined if no earlier run can show it. */
  readonly fresh: number | undefined
  /** `failure`, `browser leak`: the noun of one of them. */
  readonly noun: string
  /** Text that replaces the count: `cost +97 %`. */
  readonly text?: string
}

const verdictNouns: Readonly<Record<Verdict, string>> = {
  failed: "failure",
  claimed: "failure",
  flaky: "flaky scenario",
  infra: "interrupted scenario",
  unscored: "unscored scenario",
  passed: "scenario",
  skipped: "scenario"
}

const figureNouns: Readonly<Partial<Record<Comparison["figure"], string>>> = {
  duration: "slower scenario",
  cost: "costlier scenario"
}

/** Noun of a figure that regressed or is unusual. */
const nounOfFigure = (row: Comparison, isUnusual: boolean): string => {
  const own = row.scenario === null ? undefined : figureNouns[row.figure]
  if (own !== undefined) return own
  if (!isUnusual) return `${row.figure} regression`
  return row.figure !== "pass rate" ? `unusual ${row.figure}` : isNew(row) ? "new flaky scenario" : "flakier scenario"
}

const nounOf = ({ kind }: Finding, scenario: AffectedScenario | undefined): string => {
  switch (kind._tag) {
    case "Failed":
    case "Flaky":
    case "Unreachable":
    case "Unscored":
      return verdictNouns[scenario?.verdict ?? "failed"]
    case "LimitExceeded":
      return "exceeded limit"
    case "BrokenInvariant":
      return "broken invariant"
    case "Leak":
      return "browser leak"
    case "AbandonedRun":
      return "abandoned run"
    case "QuarantineExpired":
      return "expired quarantine"
    case "RunLimitExceeded":
      return "crossed limit"
    case "CostUnknown":
      return "unknown cost"
    case "Incomplete":
      return kind.why._tag === "Stopped" ? "stopped run" : "incomplete run"
    case "Regressed":
    case "Unusual":
      return nounOfFigure(scenario?.comparison ?? kind.comparison, kind._tag === "Unusual")
    case "ServiceAway":
      // its trials passed during the outage
      return scenario?.comparison === undefined ? kind._tag : nounOfFigure(scenario.comparison, false)
    default:
      return kind._tag
  }
}

/** One problem of a title: a scenario of a finding, or a finding about the whole run. */
interface Counted {
  readonly finding: Finding
  readonly scenario: AffectedScenario | undefined
  readonly noun: string
  readonly key: string
}

const countedOf = (finding: Finding, index: number): ReadonlyArray<Counted> => {
  const { kind, scenarios } = finding
  // of the whole run there is one of a kind, for whatever reasons
  const isOnce = kind._tag === "Incomplete" || kind._tag === "RunLimitExceeded" || kind._tag === "CostUnknown"
  if (scenarios.length === 0 || isOnce)
    return [{ finding, scenario: undefined, noun: nounOf(finding, undefined), key: isOnce ? kind._tag : String(index) }]
  return scenarios.flatMap((scenario) => {
    // each has the rank of its own verdict
    const own = (scenario.verdict && kindOf(scenario.verdict, null)) ?? kind
    const single: Finding = { ...finding, scenarios: [scenario], kind: own }
    const key = JSON.stringify([scenario.suite, scenario.name])
    const problem = { finding: single, scenario, noun: nounOf(single, scenario), key }
    return scenario.isQuarantineExpired === true
      ? [problem, { ...problem, noun: "expired quarantine", finding: expiredOf(scenario), scenario: undefined }]
      : [problem]
  })
}

const expiredOf = ({ name, suite }: AffectedScenario): Finding => ({
  kind: { _tag: "QuarantineExpired", expires: "" },
  severity: "error",
  scenarios: [{ suite, name }]
})

const onsetIn = ({ finding, scenario }: Counted) => scenario?.onset ?? finding.onset

const freshIn = (all: ReadonlyArray<Counted>): number | undefined => {
  const onsets = all.map(onsetIn)
  return onsets.every((onset) => onset === undefined)
    ? undefined
    : onsets.filter((onset) => Onset.ageOf(onset) === "new").length
}

/** Text for a problem of the whole run instead of its count. */
const textOfWhole = ({ finding: { kind, scenarios } }: Counted): string | undefined => {
  if (kind._tag === "Incomplete" && kind.why._tag === "LostShards")
    return `${kind.why.missing} of ${kind.why.of} shards missing`
  if (!("comparison" in kind) || scenarios.length > 0) return undefined
  const { comparison } = kind
  if (comparison.figure === "pass rate") return `pass rate fell to ${now(comparison)}`
  return comparison.change === undefined ? undefined : `${figureName(comparison)} ${signedPercent(comparison.change)}`
}

/** Counts problems by kind, the worst first. */
const problemsOf = (findings: ReadonlyArray<Finding>, isUnusual: boolean): ReadonlyArray<Problem> => {
  const counts = findings.flatMap(countedOf)
  const all = isUnusual ? counts : counts.toSorted((one, other) => worstFirst(one.finding, other.finding))
  const isFigure = ({ finding: { kind } }: Counted) => "comparison" in kind
  const groups = [...Map.groupBy(all, (one) => (isFigure(one) ? "figures" : one.noun)).values()]
  return groups.flatMap((group): ReadonlyArray<Problem> => {
    const wholes = group.filter((one) => textOfWhole(one) !== undefined)
    const nouns = Map.groupBy(
      group.filter((one) => !wholes.includes(one)),
      ({ noun }) => noun
    )
    return [
      ...wholes.map((one) => {
        const text = textOfWhole(one)
        return { noun: one.noun, count: 1, fresh: freshIn([one]), ...(text === undefined ? {} : { text }) }
      }),
      ...[...nouns].map(([noun, some]) => {
        const each = [...new Map(some.map((one) => [one.key, one])).values()]
        return { noun, count: each.length, fresh: freshIn(each) }
      })
    ].map((problem) => (isUnusual ? { ...problem, fresh: undefined } : problem))
  })
}

const textOf = ({ count, fresh, noun, text }: Problem): string =>
  text !== undefined
    ? text
    : fresh === undefined || fresh === 0
      ? counted(count, noun)
      : fresh === count
        ? counted(count, `new ${noun}`)
        : `${counted(count, noun)} (${fresh} new)`

/** `75 of 76 scenarios passed`: of those that ran. */
export const passedText = ({ isCutShort = false, passed, ran }: Titled): string => {
  if (ran === 0) return "no scenario was run"
  const which = isCutShort ? " that ran" : ""
  return passed === ran && passed > 1
    ? `all ${passed} scenarios${which} passed`
    : `${passed} of ${counted(ran, "scenario")}${which} passed`
}

const mostWords = 8
// a longer error is below the title
const longestCause = 60
const oneCause = "1 cause"

/** The one cause of all failures, if the run failed for nothing else. */
const onlyCauseOf = (findings: ReadonlyArray<Finding>) => {
  const causes = ofSeverity(findings, "error").map(({ kind, scenarios }) =>
    (kind._tag === "Failed" || kind._tag === "Flaky") &&
    !scenarios.some(({ isQuarantineExpired }) => isQuarantineExpired === true)
      ? (kind.cause ?? undefined)
      : undefined
  )
  const [first] = causes
  return causes.every((cause) => cause !== undefined && cause.key === first?.key) ? first : undefined
}

/** Resources that may still be running and cost money: `4 browsers still open`. */
const openOf = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> =>
  findings.flatMap(({ kind }) =>
    kind._tag === "StillOpen"
      ? [`${counted(kind.count, kind.resource)} still ${kind.resource === "run" ? "running" : "open"}`]
      : []
  )

const outageTitle = (findings: ReadonlyArray<Finding>): string | undefined => {
  const away = findings.flatMap(({ kind }) => (kind._tag === "ServiceAway" ? [kind] : []))
  return OutageText.title(
    away.map(({ outage }) => outage),
    away.some(({ isWholeRun }) => isWholeRun)
  )
}

const countOf = (problems: ReadonlyArray<Problem>): number => problems.reduce((sum, { count }) => sum + count, 0)

const wordsIn = (text: string): number => text.split(" ").length

const parts = (...all: ReadonlyArray<string | undefined>) => all.filter((part) => part !== undefined).join(" · ")

/** The problems of a run, or its unusual figures if it has no problem. Outages have words of their own, and their scenarios count. */
const shownOf = (findings: ReadonlyArray<Finding>): ReadonlyArray<Problem> => {
  const isFailed = statusOf(findings) === "failed"
  const shown = ofSeverity(findings, isFailed ? "error" : "warning").filter(
    ({ kind, scenarios }) => kind._tag !== "ServiceAway" || scenarios.length > 0
  )
  return problemsOf(shown, !isFailed)
}

/** Titles with the cause, the fullest first: `4 new failures: login refused: account locked`, `4 failures, 1 cause`. */
const withCause = (
  findings: ReadonlyArray<Finding>,
  [one, ...others]: ReadonlyArray<Problem>
): ReadonlyArray<string> => {
  const cause = one === undefined || others.length > 0 ? undefined : onlyCauseOf(findings)
  if (one === undefined || cause === undefined) return []
  const { facts } = cause
  const service = facts._tag === "Service" ? facts.error : facts._tag === "Other" ? facts.service : undefined
  const texts = [textOf(one), textOf({ ...one, fresh: undefined })]
  return [
    ...(service === undefined || service.length > longestCause ? [] : texts.map((text) => `${text}: ${service}`)),
    ...(one.count === 1 ? [] : [`${textOf(one)}, ${oneCause}`])
  ]
}

/**
 * A run without its status, in at most seven words after its outages: `2 new failures, 1 browser leak`,
 * `1 failure: The cart was empty.`, `service unreachable 02:10 to 02:31 UTC · 19 interrupted scenarios`.
 */
export const titleOf = (run: Titled): string => {
  const { findings, partial } = run
  const status = statusOf(findings)
  const outage = outageTitle(findings)
  if (status === "passed") return parts(outage, passedText(run))
  const problems = shownOf(findings)
  if (problems.length === 0) return outage ?? ""
  // the age says less than the other problems
  const ageless = problems.map((one) => ({ ...one, fresh: undefined }))
  // resources that may still cost, and a run that is partial, need the room
  const hasRoom = status === "failed" && openOf(findings).length === 0 && partial === undefined
  const titles = [
    ...(hasRoom ? withCause(findings, problems) : []),
    problems.map(textOf).join(", "),
    ...ageless.map((_, index) => {
      const rest = ageless.slice(ageless.length - index)
      const others = rest.length === 0 ? [] : [counted(countOf(rest), "other problem")]
      return [...ageless.slice(0, ageless.length - index).map(textOf), ...others].join(", ")
    })
  ]
  return parts(outage, titles.find((title) => wordsIn(title) < mostWords) ?? counted(countOf(problems), "problem"))
}

/** The title with resources that are still open. */
export const nightTitleOf = (run: Titled): string => parts(titleOf(run), ...openOf(run.findings))

/** The whole title, with open resources and whether the run is partial. */
export const fullTitleOf = (run: Titled): string => {
  if (run.partial === undefined) return nightTitleOf(run)
  // that the rest passed is no title of a partial run
  return statusOf(run.findings) === "passed"
    ? parts(run.partial.brief, ...openOf(run.findings))
    : parts(nightTitleOf(run), "partial")
}

/** A status at the beginning of a line. */
export const statusWords: Readonly<Record<RunStatus, string>> = {
  failed: "Failed",
  warning: "Warning",
  passed: "Passed"
}

/** The passed scenarios of a run that didn't pass, in brackets behind its problems. */
const asideOf = (run: Titled, status: RunStatus): string => {
  const { isCutShort = false, passed, ran } = run
  const text = passedText(run)
  return status !== "failed" || passed < ran || ran < 2 || isCutShort ? text : `although ${text}`
}

/** A run in a line, for the end of its output: `FAILED: 1 new failure, 1 browser leak (75 of 76 scenarios passed)`. */
export const lastLineOf = (run: Titled): string => {
  const { findings } = run
  const status = statusOf(findings)
  const passed = passedText(run)
  const problems = shownOf(findings)
  const [one] = problems
  const outage = outageTitle(findings)
  // one failure has one cause
  const isShared =
    status === "failed" &&
    problems.length === 1 &&
    one !== undefined &&
    one.count > 1 &&
    onlyCauseOf(findings) !== undefined
  const what = [
    ...(outage === undefined ? [] : [outage]),
    ...problems.map(textOf),
    ...(isShared ? [oneCause] : [])
  ].join(", ")
  const word = statusWords[status].toUpperCase()
  const line = status === "passed" ? `${word}: ${parts(outage, passed)}` : `${word}: ${what} (${asideOf(run, status)})`
  return parts(line, ...openOf(findings), run.partial?.text)
}
