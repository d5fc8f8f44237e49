import { isBad, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import * as Gate from "@webagent/report/Gate"
import * as Onset from "@webagent/report/Onset"
import * as Attention from "./Attention.ts"
import * as FailureFacts from "./FailureFacts.ts"
import * as FailureDiff from "./FailureDiff.ts"
import type { Replay } from "./Reporter.ts"
import { type Style } from "@webagent/cli/Style"
import { cut, duration, percent } from "@webagent/cli/Text"

/** Width and style of an explanation, and the command that replays a scenario. */
interface ExplanationOptions {
  readonly columns: number
  readonly replay: Replay
  readonly style: Style
}

/** Number of trials that passed, and the confidence interval of the pass rate. */
const trials = ({ passRate, trials }: ScenarioResult): string | undefined => {
  if (trials.length < 2) return undefined
  const passed = trials.filter((trial) => trial.verdict === "passed").length
  const within =
    passRate === undefined ? "" : ` · pass rate ${percent(passRate.low)} to ${percent(passRate.high)} (95 % CI)`
  return `${passed} of ${trials.length} passed${within}`
}

const replayLine = (result: ScenarioResult, { replay, style }: ExplanationOptions): string =>
  `      ${style.faint("replay   ")} ${replay(result)}`

/** True if its own failure is less informative than the cause it shares with others. */
const isAway = ({ verdict }: ScenarioResult): boolean => verdict === "infra" || verdict === "unscored"

/** Explains the failure of a scenario in several lines, the service's message first. */
const factsOf = (result: ScenarioResult, options: ExplanationOptions, worse?: string): ReadonlyArray<string> => {
  const { columns, style } = options
  const { failure } = result
  if (failure === undefined) return [replayLine(result, options)]
  const fact = (word: string, text: string | undefined) =>
    text === undefined || text === ""
      ? []
      : [`      ${style.faint(word.padEnd(9))} ${text.replaceAll("\n", `\n${" ".repeat(16)}`)}`]
  return [
    `      ${failure.message.replaceAll("\n", "\n      ")}`,
    ...fact("service", failure.service),
    ...(failure.diff === undefined
      ? [...fact("expected", failure.expected), ...fact("got", failure.actual)]
      : FailureDiff.lines(failure.diff, style).map((line) => `      ${line}`)),
    ...fact("request", failure.request && FailureFacts.requestLine(failure.request)),
    ...fact("trials", trials(result)),
    ...fact("age", result.onset?.trials && Onset.text(result.onset.trials)),
    ...fact("baseline", worse),
    ...fact("why", result.reason),
    ...fact("where", failure.where),
    ...(failure.source === undefined ? [] : [`                ${style.faint(cut(failure.source, columns - 16))}`]),
    replayLine(result, options)
  ]
}

/** Explains why a scenario failed, in several lines with an empty one last; empty if it didn't fail. */
export const of = (result: ScenarioResult, options: ExplanationOptions, worse?: string): ReadonlyArray<string> => {
  const { columns, style } = options
  const { failure, quarantine } = result
  if (failure === undefined) return []
  const title = `${result.suite} › ${result.name}`
  const isKnown = Gate.isCovered(result)
  const time = duration(result.duration_ms)
  const room = Math.max(2, Math.min(columns, 100) - title.length - time.length - 4)
  return [
    `  ${isKnown ? style.faint("-") : style.bad("✗")} ${style.strong(title)}${" ".repeat(room)}${style.faint(time)}`,
    ...(isKnown ? [`      in quarantine until ${quarantine?.expires}: ${quarantine?.reason}`] : []),
    ...factsOf(result, options, worse),
    ""
  ]
}

const mostNamed = 8

/** Several scenarios of one cause: what they have in common, their names, and the first one in full. */
const together = (finding: Attention.Finding, options: ExplanationOptions): ReadonlyArray<string> => {
  const { columns, style } = options
  const { evidence, items, title, what } = finding
  const age = Attention.age(finding)
  const names = items.slice(0, mostNamed).map((item) => item.title)
  const more = items.length - names.length
  const example = items[0]?.result
  // what the example says first is said once
  const isSaid = finding.cause !== undefined && finding.cause === example?.failure?.message
  const said = isSaid ? finding.detail : evidence
  return [
    `  ${style.bad("✗")} ${style.strong(title)}  ${what}${age === undefined ? "" : ` (${age})`}`,
    ...(said === undefined ? [] : [`      ${cut(said, columns * 3)}`]),
    ...names.map((name) => `      ${name}`),
    ...(more === 0 ? [] : [style.faint(`      and ${more} more, in report.json`)]),
    ...(example === undefined ? [] : isAway(example) ? [replayLine(example, options)] : factsOf(example, options)),
    ""
  ]
}

/** One finding: a scenario in full, or what is no failed check, in a line. */
const alone = (finding: Attention.Finding, options: ExplanationOptions): ReadonlyArray<string> => {
  const { style } = options
  const { evidence, items, result, title, what } = finding
  const example = Attention.exampleOf(finding)
  if (result?.failure !== undefined && items.every(Attention.isVerdict)) return of(result, options, finding.worse)
  const age = Attention.age(finding)
  return [
    `  ${style.bad("✗")} ${style.strong(title)}  ${what}${age === undefined ? "" : ` (${age})`}`,
    `      ${evidence}`,
    ...Attention.whyLine(finding).map((why) => `      ${style.faint("why      ")} ${why}`),
    ...(example === undefined ? [] : [replayLine(example, options)]),
    ""
  ]
}

/** A figure far outside of its earlier nights: it does not make the run red. */
const unusual = (finding: Attention.Finding, { style }: ExplanationOptions) => [
  `  ${style.warning("!")} ${style.strong(finding.title)}  ${finding.what}`,
  ...finding.items
    .slice(0, mostNamed)
    .map(({ evidence, title }, _, { length }) => `      ${length === 1 ? evidence : `${title}: ${evidence}`}`),
  ...Attention.whyLine(finding).map((why) => `      ${style.faint("why      ")} ${why}`),
  ""
]

/** Explains the problems that need attention, by cause and worst first, then the quarantined scenarios that failed. */
export const all = (report: RunReport, options: ExplanationOptions): ReadonlyArray<string> => [
  ...Attention.findings(report).flatMap((finding) =>
    finding.items.length > 1 ? together(finding, options) : alone(finding, options)
  ),
  ...Attention.unusual(report).flatMap((finding) => unusual(finding, options)),
  ...report.results.filter((result) => Gate.isCovered(result) && isBad(result)).flatMap((result) => of(result, options))
]
