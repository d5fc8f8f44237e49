import type { Figures } from "./Figures.ts"
import * as Measure from "./Measure.ts"
import * as Interval from "@webagent/statistics/Interval"
import { differences, type Fingerprint } from "./Fingerprint.ts"
import type { Entry } from "./History.ts"

/** A figure beside those of earlier runs. */
export interface Row {
  readonly name: string
  readonly now: string
  /** Within what one more of the earlier runs would lie. */
  readonly low: string
  readonly high: string
  /** The least change that would most likely have been seen, as a ratio. */
  readonly detectable: number
  readonly verdict: "worse" | "better" | "no evidence"
}

/** What a history says about a run. */
export interface Judgement {
  /** How many earlier runs it was compared with. */
  readonly runs: number
  /** Empty where there are too few. */
  readonly rows: ReadonlyArray<Row>
  /** Why runs of the same test were not compared with, each with how many. */
  readonly passedOver: ReadonlyArray<readonly [why: string, runs: number]>
}

/** A run to judge, or to find earlier ones for. */
export interface Subject {
  readonly test: string
  readonly fingerprint: Fingerprint
  readonly settings: string
  readonly figures: Figures
}

/** Fewer say nothing about how much runs differ by themselves. */
export const least = 5
// older ones were another service
const most = 30
// of a false alarm, of all rows together
const doubt = 0.025

const ineligible = (entry: Entry, { fingerprint, settings }: Subject): string | undefined => {
  if (entry.verdict !== "passed") return "they failed"
  const other = differences(entry.fingerprint, fingerprint)
  if (other.length > 0) return `another ${other.join(", ")}`
  return entry.settings === settings ? undefined : "other settings"
}

/**
 * Judges a run by the last thirty that passed on the same machine with the same settings: each figure by the interval in
 * which one more of them would lie, and by how much worse is tolerated.
 */
export const judge = (history: ReadonlyArray<Entry>, subject: Subject, tolerance: number): Judgement => {
  const same = history.filter(({ test }) => test === subject.test)
  const reasons = same.map((entry) => ineligible(entry, subject))
  const eligible = same.filter((_, index) => reasons[index] === undefined).slice(-most)
  const passedOver = [...Map.groupBy(reasons, (why) => why ?? "")].flatMap(([why, all]) =>
    why === "" ? [] : [[why, all.length] as const]
  )
  if (eligible.length < least) return { runs: eligible.length, rows: [], passedOver }
  const measures = [...Measure.times, Measure.throughput].flatMap(({ format, name, of }) => {
    const now = of(subject.figures)
    const before = eligible.flatMap(({ figures }) => of(figures) ?? [])
    return now === undefined || before.length < eligible.length ? [] : [{ name, now, before, format }]
  })
  const rows = measures.map(({ before, format, name, now }): Row => {
    const { detectable, high, low, middle } = Interval.ofNextFigure(before, doubt / measures.length)
    const isWorse = now > high && now > middle * (1 + tolerance)
    const isBetter = now < low && now < middle / (1 + tolerance)
    return {
      name,
      now: format(now),
      low: format(low),
      high: format(high),
      detectable: Math.max(detectable, 1 + tolerance),
      verdict: isWorse ? "worse" : isBetter ? "better" : "no evidence"
    }
  })
  return { runs: eligible.length, rows, passedOver }
}

const percent = (ratio: number) => `${Math.round((ratio - 1) * 100)} %`

/** What a person reads of it: a line, or one for each figure that got worse. */
export const lines = ({ passedOver, rows, runs }: Judgement): ReadonlyArray<string> => {
  if (rows.length === 0) {
    const others = passedOver.map(([why, count]) => `${count} not counted: ${why}`)
    const reason = others.length === 0 ? "" : ` (${others.join("; ")})`
    return [`against baseline: not enough data, ${runs} of ${least} runs${reason}`]
  }
  const head = `against baseline (${runs} runs)`
  const worse = rows.filter(({ verdict }) => verdict === "worse")
  if (worse.length > 0) {
    return worse.map(
      ({ detectable, high, low, name, now }) =>
        `${head}: ${name} ${now}, was ${low} .. ${high}: WORSE (could see ${percent(detectable)} or more)`
    )
  }
  // the figure that most people ask for, else the first
  const shown = rows.find(({ name }) => name === "time to terminal p95") ?? rows[0]
  return shown === undefined
    ? []
    : [
        `${head}: ${shown.name} ${shown.now}, was ${shown.low} .. ${shown.high}: no evidence of change (could see ${percent(shown.detectable)} or more)`
      ]
}
