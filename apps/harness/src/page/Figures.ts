import type { NightScenario } from "@webagent/nights/Night"
import { duration, percent } from "@webagent/cli/Text"
import * as PassRate from "@webagent/report/PassRate"
import type { Verdict } from "@webagent/report/Verdict"
import type { Trial } from "@webagent/report/Trial"
import { escape } from "@webagent/cli/Xml"

const width = 400
const at = (value: number) => String(Number(value.toFixed(1)))

const figure = (caption: string, words: string, shapes: string): string =>
  `<figure><figcaption>${caption}</figcaption><svg viewBox="0 0 ${width} 34" preserveAspectRatio="none" role="img" aria-label="${escape(words)}">${shapes}</svg></figure>`

const passRate = (trials: ReadonlyArray<Trial>): string => {
  const of = PassRate.of(trials)
  if (of === undefined) return ""
  const { high, low, passed, scored } = of
  const x = (share: number) => 4 + share * (width - 8)
  const words = `${percent(passed / scored)} of ${scored} trials passed; with 95 % confidence between ${percent(low)} and ${percent(high)}`
  return figure(
    escape(words),
    words,
    `<line class="axis" x1="${x(0)}" x2="${x(1)}" y1="17" y2="17"/>${[0, 0.5, 1].map((share) => `<line class="axis" x1="${x(share)}" x2="${x(share)}" y1="11" y2="23"/>`).join("")}<line class="interval" x1="${at(x(low))}" x2="${at(x(high))}" y1="17" y2="17"/><line class="interval" x1="${at(x(passed / scored))}" x2="${at(x(passed / scored))}" y1="8" y2="26"/>`
  )
}

const durations = (trials: ReadonlyArray<Trial>, before: ReadonlyArray<NightScenario>): string => {
  const shown = trials.filter(({ verdict }) => verdict !== "skipped")
  const medians = before.flatMap(({ durations }) => (durations === undefined ? [] : [durations.median_ms]))
  // one time beside nothing is a number, and that is in the table
  if (shown.length === 0 || (shown.length === 1 && medians.length === 0)) return ""
  const band = medians.length === 0 ? undefined : ([Math.min(...medians), Math.max(...medians)] as const)
  const times = shown.map(({ duration_ms }) => duration_ms)
  const end = Math.max(...times, band?.[1] ?? 0, 1) * 1.05
  const x = (value: number) => 4 + (value / end) * (width - 8)
  const range =
    shown.length === 1 ? duration(times[0] ?? 0) : `${duration(Math.min(...times))} to ${duration(Math.max(...times))}`
  const words = `Took ${range}${band === undefined ? "" : `; the medians of ${medians.length} nights before: ${duration(band[0])} to ${duration(band[1])}`}`
  const area =
    band === undefined
      ? ""
      : `<rect class="band" x="${at(x(band[0]))}" width="${at(Math.max(2, x(band[1]) - x(band[0])))}" y="5" height="24"/>`
  const ticks = shown.map(
    ({ duration_ms, verdict }) =>
      `<rect class="tick ${verdict}" x="${at(x(duration_ms) - 1.5)}" width="3" y="9" height="16"/>`
  )
  return figure(
    escape(words),
    words,
    `${area}<line class="axis" x1="4" x2="${width - 4}" y1="17" y2="17"/>${ticks.join("")}`
  )
}

/** A scenario's pass rate with its interval, and its times against those of the nights before. */
export const ofTrials = (trials: ReadonlyArray<Trial>, before: ReadonlyArray<NightScenario>): string => {
  const figures = `${passRate(trials)}${durations(trials, before)}`
  return figures === "" ? "" : `<div class="figures">${figures}</div>`
}

/** Renders the results of a scenario in some nights, oldest first. */
export const nights = (
  rows: ReadonlyArray<{
    readonly day: string
    readonly passed: number
    readonly scored: number
    readonly verdict: Verdict
  }>
): string => {
  const step = 14
  const shapes = rows.map(({ passed, scored, verdict }, index) => {
    const share = scored === 0 ? 0 : passed / scored
    const height = Math.max(2, share * 22)
    return `<rect class="${verdict}" fill="currentColor" x="${index * step}" width="10" y="${at(24 - height)}" height="${at(height)}"/>`
  })
  const wide = rows.length * step
  const words = rows.map(({ day, passed, scored }) => `${day} ${passed} of ${scored}`).join(", ")
  const [first] = rows
  const last = rows.at(-1)
  return `<div class="nights"><svg width="${wide}" height="24" viewBox="0 0 ${wide} 24" role="img" aria-label="${escape(`passed: ${words}`)}">${shapes.join("")}</svg><div class="small faint">${escape(first?.day ?? "")} to ${escape(last?.day ?? "")}: the higher, the more of its trials passed</div></div>`
}
