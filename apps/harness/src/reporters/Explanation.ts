import * as SkipText from "@webagent/findings/words/SkipText"
import { isBad, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import type { FailureCause } from "@webagent/report/FailureCause"
import type { Finding } from "@webagent/report/Finding"
import * as Findings from "@webagent/findings/Findings"
import { isCovered } from "@webagent/findings/Tolerance"
import { age } from "@webagent/findings/words/Ages"
import * as CauseText from "@webagent/findings/words/CauseText"
import * as ContributionText from "@webagent/findings/words/ContributionText"
import * as FindingText from "@webagent/findings/words/FindingText"
import * as Names from "@webagent/findings/words/Names"
import * as NextText from "@webagent/findings/words/NextText"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import * as FailureFacts from "./FailureFacts.ts"
import * as FailureDiff from "./FailureDiff.ts"
import type { Replay, ReporterContext } from "./Reporter.ts"
import { type Style } from "@webagent/cli/Style"
import { counted, cut, duration, percent } from "@webagent/cli/Text"

/** Width and style of an explanation, and the command that replays a scenario. */
interface ExplanationOptions {
  readonly columns: number
  readonly replay: Replay
  /** The program as its user calls it. */
  readonly program?: string
  /** Says whether a finding may be ignored. */
  readonly ignoring?: ReporterContext["ignoring"]
  readonly style: Style
}

/** Number of trials that passed, which ones failed, and the confidence interval of the pass rate. */
const trials = ({ passRate, trials }: ScenarioResult): string | undefined => {
  if (trials.length < 2) return undefined
  const passed = trials.filter((trial) => trial.verdict === "passed").length
  const failed = trials.filter(({ verdict }) => verdict === "failed" || verdict === "claimed")
  const names = Names.listed(failed.map(({ index }) => String(index + 1)))
  const which =
    passed === 0 || failed.length === 0 ? "" : `; ${failed.length === 1 ? "trial" : "trials"} ${names} failed`
  const within =
    passRate === undefined ? "" : ` · pass rate ${percent(passRate.low)} to ${percent(passRate.high)} (95 % CI)`
  return `${passed} of ${trials.length} passed${which}${within}`
}

/** True if its own failure is less informative than the cause it shares with others. */
const isAway = ({ verdict }: ScenarioResult): boolean => verdict === "infra" || verdict === "unscored"

const indented = (text: string): string => `      ${text.replaceAll("\n", "\n      ")}`

/** A fact in a line: a word and its text. */
const fact = (style: Style, word: string, text: string | undefined): ReadonlyArray<string> =>
  text === undefined || text === ""
    ? []
    : [`      ${style.faint(word.padEnd(9))} ${text.replaceAll("\n", `\n${" ".repeat(16)}`)}`]

/** The next step about a finding, and its commands in lines of their own. */
const stepOf = (
  finding: Finding,
  example: ScenarioResult | undefined,
  { program = "webagent-harness", replay, style }: ExplanationOptions
): ReadonlyArray<string> => {
  const { commands, label, text } = NextText.of(finding, { program, replay: example && replay(example) })
  return [...fact(style, "next", text), ...commands.flatMap((command) => fact(style, label, command))]
}

/** Which code changed when a finding began, who sees to it, and who is working on it. */
const contextOf = (text: FindingText.FindingText | undefined, style: Style): ReadonlyArray<string> => [
  ...fact(style, "cause", text?.unexplained),
  ...fact(style, "cost", text?.cost),
  ...fact(style, "sure", text?.certainty),
  ...fact(style, "began", text?.change?.began),
  ...fact(style, "changed", text?.change?.changed),
  ...fact(style, "compare", text?.change?.url),
  ...fact(style, "owner", text?.owner),
  ...fact(style, "affected", text?.affected),
  ...fact(style, "known", text?.acknowledged)
]

/** Explains the failure of a scenario in several lines, the service's message first. */
const factsOf = (result: ScenarioResult, options: ExplanationOptions, finding?: Finding): ReadonlyArray<string> => {
  const { columns, replay, style } = options
  const { failure } = result
  const text = finding && FindingText.describe(finding)
  const context = [
    ...contextOf(text, style),
    ...(finding === undefined ? fact(style, "replay", replay(result)) : stepOf(finding, result, options))
  ]
  if (failure === undefined) return context
  return [
    indented(CauseText.headline(failure)),
    ...fact(style, "service", failure.service),
    ...(failure.diff === undefined
      ? [...fact(style, "expected", failure.expected), ...fact(style, "got", failure.actual)]
      : FailureDiff.lines(failure.diff, style).map((line) => `      ${line}`)),
    ...fact(style, "request", failure.request && FailureFacts.requestLine(failure.request)),
    ...fact(style, "trials", trials(result)),
    ...fact(style, "age", result.onset?.trials && age(result.onset.trials)),
    ...fact(style, "baseline", text?.baseline),
    ...fact(style, "why", SkipText.reasonOf(result)),
    ...fact(style, "where", failure.where),
    ...(failure.source === undefined ? [] : [`                ${style.faint(cut(failure.source, columns - 16))}`]),
    ...context
  ]
}

/** Explains why a scenario failed, in several lines with an empty one last; empty if it didn't fail. */
export const of = (result: ScenarioResult, options: ExplanationOptions, finding?: Finding): ReadonlyArray<string> => {
  const { columns, style } = options
  const { failure, quarantine, trials } = result
  if (failure === undefined) return []
  const title = scenarioTitle(result)
  const isKnown = isCovered(result)
  // the sum of its trials
  const time = `${duration(result.duration_ms)}${trials.length < 2 ? "" : ` in ${counted(trials.length, "trial")}`}`
  const room = Math.max(2, Math.min(columns, 100) - title.length - time.length - 4)
  return [
    `  ${isKnown ? style.faint("-") : style.bad("✗")} ${style.strong(title)}${" ".repeat(room)}${style.faint(time)}`,
    ...(isKnown
      ? [`      in quarantine until ${quarantine?.expires}, owner ${quarantine?.owner}: ${quarantine?.reason}`]
      : []),
    ...factsOf(result, options, finding),
    ""
  ]
}

const mostNamed = 8

/** True if a cause is nothing but a failure's own message. */
const isOnly = ({ facts }: FailureCause, message: string | undefined): boolean =>
  facts._tag === "Check"
    ? facts.message === message && facts.expected === undefined && facts.actual === undefined && !facts.lastRequest
    : facts._tag === "Other" && facts.text === message

/** Several scenarios of one cause: their common evidence, their names, and the first one in full. */
const together = (
  finding: Finding,
  example: ScenarioResult | undefined,
  options: ExplanationOptions
): ReadonlyArray<string> => {
  const { columns, style } = options
  const text = FindingText.describe(finding)
  const { age, detail, evidence, place, scenarios, what } = text
  const names = scenarios.slice(0, mostNamed).map(({ title }) => title)
  const more = scenarios.length - names.length
  // the example begins with its own message
  const cause = "cause" in finding.kind ? finding.kind.cause : null
  const summary = cause !== null && isOnly(cause, example?.failure?.message) ? detail : evidence
  return [
    `  ${style.bad("✗")} ${style.strong(place)}  ${what}${age === undefined ? "" : ` (${age})`}`,
    ...(summary === undefined ? [] : [`      ${cut(summary, columns * 3)}`]),
    ...names.map((name) => `      ${name}`),
    ...(more === 0 ? [] : [style.faint(`      and ${more} more, in report.json`)]),
    ...(example === undefined || isAway(example)
      ? [...contextOf(text, style), ...stepOf(finding, example, options)]
      : factsOf(example, options, finding)),
    ""
  ]
}

/** One finding: a scenario in full, or a line if no check failed. */
const alone = (
  finding: Finding,
  example: ScenarioResult | undefined,
  options: ExplanationOptions
): ReadonlyArray<string> => {
  const { style } = options
  const text = FindingText.describe(finding)
  if (example?.failure !== undefined && Findings.isVerdict(finding)) return of(example, options, finding)
  const { age, evidence, place, what } = text
  return [
    `  ${style.bad("✗")} ${style.strong(place)}  ${what}${age === undefined ? "" : ` (${age})`}`,
    `      ${evidence}`,
    ...ContributionText.line(text.contribution).flatMap((where) => fact(style, "where", where)),
    ...contextOf(text, style),
    ...stepOf(finding, example, options),
    ""
  ]
}

/** A figure far outside of its earlier nights: it does not fail the run. */
const unusual = (finding: Finding, { style }: ExplanationOptions) => {
  const text = FindingText.describe(finding)
  const { evidence, place, scenarios, what } = text
  return [
    `  ${style.warning("!")} ${style.strong(place)}  ${what}`,
    ...(scenarios.length < 2
      ? [`      ${evidence}`]
      : scenarios.slice(0, mostNamed).map((one) => `      ${one.title}: ${one.evidence}`)),
    ...ContributionText.line(text.contribution).flatMap((where) => fact(style, "where", where)),
    ...contextOf(text, style),
    ""
  ]
}

/** Explains the problems that need attention, by cause and worst first, then the quarantined scenarios that failed. */
export const all = (report: RunReport, options: ExplanationOptions): ReadonlyArray<string> => {
  const resultOf = Findings.resultsByName(report)
  // before the empty line
  const withIgnoring = (finding: Finding, lines: ReadonlyArray<string>) => [
    ...lines.slice(0, -1),
    ...fact(options.style, "ignore", options.ignoring?.(finding, report)),
    ...lines.slice(-1)
  ]
  return [
    ...Findings.errorsOf(report).flatMap((finding) => {
      const isRun = finding.kind._tag === "Incomplete"
      const example = isRun ? undefined : resultOf(FindingText.exampleOf(finding))
      return withIgnoring(
        finding,
        !isRun && FindingText.describe(finding).shared !== undefined
          ? together(finding, example, options)
          : alone(finding, example, options)
      )
    }),
    ...Findings.warningsOf(report).flatMap((finding) => withIgnoring(finding, unusual(finding, options))),
    ...report.results.filter((result) => isCovered(result) && isBad(result)).flatMap((result) => of(result, options))
  ]
}
