import { gzipSync } from "node:zlib"
import { allTrialsOf, isBad, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import type { Trial } from "@webagent/report/Trial"
import * as Findings from "@webagent/findings/Findings"

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

/** A trace as a page holds it: compressed, in base64. */
export type Packed = string

/** Packs the text of a trace's file. */
export const pack = (text: string): Packed => gzipSync(text).toString("base64")

/** Packed traces as they stand in the page, and by which id each is found. */
export const embed = (
  traces: ReadonlyArray<readonly [file: string, packed: Packed]>
): { readonly html: string; readonly idOf: (file: string) => string | undefined } => {
  const ids = new Map(traces.map(([file], index) => [file, `trace-${index}`]))
  const elements = traces.map(([, packed], index) => `<script type="text/plain" id="trace-${index}">${packed}</script>`)
  return { html: elements.join("\n"), idOf: (file) => ids.get(file) }
}
