import {
  countsOf,
  leakedBrowsersOf,
  type RunHeader,
  type RunReport,
  type ScenarioResult
} from "@webagent/report/RunReport"
import * as VerdictText from "@webagent/findings/words/VerdictText"
import { type Style } from "@webagent/cli/Style"
import { counted, cut, duration } from "@webagent/cli/Text"

const barWidth = 10

/** Progress of one suite. */
export interface SuiteProgress {
  readonly name: string
  readonly total: number
  readonly results: Array<ScenarioResult>
  /** Scenarios that run now, oldest first. */
  readonly running: Array<string>
}

/** The progress of every suite of a run that has just begun. */
export const start = (header: RunHeader): ReadonlyArray<SuiteProgress> =>
  header.suites.map((suite) => ({ name: suite.name, total: suite.scenarios, results: [], running: [] }))

/** True if all scenarios of the suite have run. */
export const isDone = (suite: SuiteProgress): boolean => suite.results.length >= suite.total

const elapsed = (suite: SuiteProgress): number => {
  const ran = suite.results.filter((result) => result.verdict !== "skipped")
  if (ran.length === 0) return 0
  const from = Math.min(...ran.map((result) => result.started_ms))
  return Math.max(...ran.map((result) => result.started_ms + result.duration_ms)) - from
}

const isBad = (result: ScenarioResult) => result.verdict !== "passed" && result.verdict !== "skipped"

/** Numbers of scenarios that didn't pass, by verdict: `2 failed, 1 flaky`. */
const wrong = (results: ReadonlyArray<ScenarioResult>): string => {
  const counts = countsOf(results)
  return (["failed", "claimed", "flaky", "infra", "unscored"] as const)
    .flatMap((verdict) => (counts[verdict] === 0 ? [] : [`${counts[verdict]} ${VerdictText.word(verdict)}`]))
    .join(", ")
}

/** The suite's line: its name, a bar where lines are redrawn, how many passed of those that run, and its time. */
export const line = (
  suite: SuiteProgress,
  options: { readonly nameWidth: number; readonly bar: boolean; readonly columns: number; readonly style: Style }
): string => {
  const { style } = options
  const skipped = suite.results.filter((result) => result.verdict === "skipped").length
  const bad = suite.results.filter(isBad).length
  const passed = suite.results.length - skipped - bad
  const filled = suite.total === 0 ? barWidth : Math.floor((barWidth * suite.results.length) / suite.total)
  const bar = `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}  `
  const count = `${passed}/${suite.total - skipped}`.padEnd(7)
  const time = duration(elapsed(suite)).padEnd(bad + skipped > 0 ? 7 : 0)
  const notes: ReadonlyArray<readonly [string, (text: string) => string]> = [
    ...(isDone(suite) && passed + bad > 0 ? [[time, style.strong] as const] : []),
    ...(bad > 0 ? [[`✗ ${wrong(suite.results)}`, style.bad] as const] : []),
    ...(skipped > 0 ? [[`${skipped} skipped`, style.faint] as const] : []),
    ...(isDone(suite) || suite.running[0] === undefined ? [] : [[`running: ${suite.running[0]}`, style.faint] as const])
  ]
  const mark = bad > 0 ? style.bad : isDone(suite) ? style.good : style.faint
  const head = `  ${suite.name.padEnd(options.nameWidth)}  `
  // a line that the terminal wraps would be two when it is drawn again
  let room = options.columns - head.length - (options.bar ? bar.length : 0) - count.length - 1
  let text = ""
  for (const [note, styled] of notes) {
    const shown = cut(note, room - 1)
    room -= shown.length + 1
    text += ` ${styled(shown)}`
  }
  return `${head}${options.bar ? mark(bar) : ""}${count}${text}`.trimEnd()
}

const fate = (all: number, open: number): string =>
  all === 0 ? "" : open === 0 ? ", stopped by the harness" : `, ${open} could not be stopped`

/** The browsers and runs that a run's scenarios left behind, counted; findings and notes name them. */
export const leaks = ({ leftovers = [], results }: Pick<RunReport, "leftovers" | "results">): string => {
  const browsers = results.flatMap(leakedBrowsersOf)
  const runs = leftovers.filter(({ kind, state }) => kind !== "browser" && (state === "stopped" || state === "open"))
  const openBrowsers = browsers.filter(({ stopped }) => !stopped).length
  const openRuns = runs.filter(({ state }) => state === "open").length
  return [
    `${counted(browsers.length, "leaked browser")}${fate(browsers.length, openBrowsers)}`,
    ...(runs.length === 0 ? [] : [`${counted(runs.length, "run")} left running${fate(runs.length, openRuns)}`])
  ].join(" · ")
}
