import { allTrialsOf, isBad, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import type { Trial } from "@webagent/report/Trial"
import * as Findings from "@webagent/findings/Findings"
import * as Effect from "effect/Effect"
import * as ExportFile from "./ExportFile.ts"

/** The most that all traces of a page may take, in characters. */
export const most = 8_000_000

const longestFirst = (trials: ReadonlyArray<Trial>) =>
  trials.toSorted((one, other) => other.duration_ms - one.duration_ms)

const filesOf = (trials: ReadonlyArray<Trial>) => trials.flatMap(({ trace }) => trace ?? [])

const unclean = ({ breaches, leakedBrowsers, reruns, verdict }: Trial) =>
  verdict !== "passed" || breaches.length + leakedBrowsers.length + reruns.length > 0

/**
 * The files of the traces that a page shows, the most wanted first: of what needs a person, of every other trial that did
 * not simply pass, then of each scenario the slowest trial and the first that passed.
 */
export const wanted = (report: RunReport): ReadonlyArray<string> => {
  const bad = [...Findings.errorsByResult(report).keys()]
  const first = (results: ReadonlyArray<ScenarioResult>) =>
    results.flatMap((result) => filesOf(allTrialsOf(result).filter(unclean).slice(0, 1)))
  const all = (results: ReadonlyArray<ScenarioResult>) =>
    results.flatMap((result) => filesOf(allTrialsOf(result).filter(unclean)))
  const others = report.results.flatMap(({ trials }) => [
    ...filesOf(trials.filter(({ verdict }) => verdict === "passed").slice(0, 1)),
    ...filesOf(longestFirst(trials).slice(0, 1))
  ])
  return [
    ...new Set([...first(bad), ...all(bad), ...all(report.results.filter(isBad)), ...all(report.results), ...others])
  ]
}

/** The traces of a run's trials, packed, as many as fit: gzip in base64. A trace that can't be read is left out. */
export const packed = Effect.fnUntraced(function* <E, R>(
  report: RunReport,
  read: (file: string) => Effect.Effect<string, E, R>,
  left = most
) {
  const traces: Array<readonly [file: string, packed: string]> = []
  let size = 0
  for (const file of wanted(report)) {
    const text = yield* Effect.orElseSucceed(read(file), () => undefined)
    if (text === undefined) continue
    const one = ExportFile.pack(text)
    if (size + one.length > left) break
    size += one.length
    traces.push([file, one])
  }
  return { packed: traces, size }
})
