import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import * as Onset from "@webagent/report/Onset"
import type { Exchange } from "@webagent/report/Trial"
import * as Attention from "./Attention.ts"
import * as FailureDiff from "./FailureDiff.ts"
import type { Replay } from "./Reporter.ts"
import { type Style } from "@webagent/report/Style"
import { cut, duration, percent } from "@webagent/report/Text"

/** How wide an explanation may be, how it is marked, and the command that replays a scenario. */
export interface ExplanationOptions {
  readonly columns: number
  readonly replay: Replay
  readonly style: Style
}

const request = ({ method, path, status, duration_ms }: Exchange): string =>
  `${method} ${path}   ${status ?? "no answer"}   ${duration(duration_ms)}`

/** How many trials passed, and within what their true rate lies. */
const trials = ({ passRate, trials }: ScenarioResult): string | undefined => {
  if (trials.length < 2) return undefined
  const passed = trials.filter((trial) => trial.verdict === "passed").length
  const within = passRate === undefined ? "" : ` · pass rate ${percent(passRate.low)} .. ${percent(passRate.high)}`
  return `${passed} of ${trials.length} passed${within}`
}

/** Why a scenario is bad, in lines that end with an empty one; none where nothing failed. */
export const of = (result: ScenarioResult, { columns, replay, style }: ExplanationOptions): ReadonlyArray<string> => {
  const { failure, quarantine } = result
  if (failure === undefined) return []
  const title = `${result.suite} › ${result.name}`
  const isKnown = Attention.isQuarantined(result)
  const time = duration(result.duration_ms)
  const room = Math.max(2, Math.min(columns, 100) - title.length - time.length - 4)
  const fact = (word: string, text: string | undefined) =>
    text === undefined || text === ""
      ? []
      : [`      ${style.faint(word.padEnd(9))} ${text.replaceAll("\n", `\n${" ".repeat(16)}`)}`]
  return [
    `  ${isKnown ? style.faint("-") : style.bad("✗")} ${style.strong(title)}${" ".repeat(room)}${style.faint(time)}`,
    ...(isKnown ? [`      in quarantine until ${quarantine?.expires}: ${quarantine?.reason}`] : []),
    `      ${failure.message.replaceAll("\n", "\n      ")}`,
    ...(failure.diff === undefined
      ? [...fact("expected", failure.expected), ...fact("got", failure.actual)]
      : FailureDiff.lines(failure.diff, style).map((line) => `      ${line}`)),
    ...fact("request", failure.request && request(failure.request)),
    ...fact("trials", trials(result)),
    ...fact("age", result.onset?.trials && Onset.text(result.onset.trials)),
    ...fact("why", result.reason),
    ...fact("where", failure.where),
    ...(failure.source === undefined ? [] : [`                ${style.faint(cut(failure.source, columns - 16))}`]),
    ...fact("replay", replay(result)),
    ""
  ]
}

const mostNamed = 8

/** What one cause kept from being scored, in lines that end with an empty one. */
const together = (finding: Attention.Finding, { replay, style }: ExplanationOptions): ReadonlyArray<string> => {
  const { evidence, items, title, what } = finding
  const age = Attention.age(finding)
  const names = items.slice(0, mostNamed).map((item) => item.title)
  const more = items.length - names.length
  const result = items[0]?.result
  return [
    `  ${style.bad("✗")} ${style.strong(title)} ${what}${age === undefined ? "" : ` (${age})`}: ${evidence}`,
    ...names.map((name) => `      ${name}`),
    ...(more === 0 ? [] : [style.faint(`      and ${more} more, in report.json`)]),
    ...(result === undefined ? [] : [`      ${style.faint("replay   ")} ${replay(result)}`]),
    ""
  ]
}

/** Why scenarios are bad, as `worstFirst` has them: what one cause ended is said once. */
export const all = (report: RunReport, options: ExplanationOptions): ReadonlyArray<string> => {
  const groups = Attention.findings(report).filter(({ items }) => items.length > 1)
  const groupOf = new Map(groups.flatMap((group) => group.items.map(({ result }) => [result, group] as const)))
  return report.results.toSorted(Attention.worstFirst).flatMap((result) => {
    const group = groupOf.get(result)
    if (group === undefined) return of(result, options)
    return group.items[0]?.result === result ? together(group, options) : []
  })
}
