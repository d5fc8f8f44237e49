import * as Interval from "@webagent/statistics/Interval"
import { counted } from "@webagent/cli/Text"
import { changeText } from "./AbReport.ts"
import type { Conclusion } from "./AbComparison.ts"
import { differences, type Entry } from "./BaselineFile.ts"
import * as ComparedMetric from "./ComparedMetric.ts"

/** A metric beside those of earlier runs. */
interface Row {
  readonly name: string
  readonly now: string
  /** The interval in which one more of the earlier runs would lie. */
  readonly low: string
  readonly high: string
  /** The smallest change for the worse that would most likely have been seen, as a ratio. */
  readonly detectable: number
  readonly verdict: Extract<Conclusion, "worse" | "better" | "no difference seen">
}

/** A run compared with earlier ones. */
export interface BaselineComparison {
  /** Number of earlier runs in the comparison. */
  readonly runs: number
  /** Empty where there are too few. */
  readonly rows: ReadonlyArray<Row>
  /** Reasons why runs of the same test were left out, each with the number of runs. */
  readonly leftOut: ReadonlyArray<readonly [why: string, runs: number]>
}

/** A run to judge, or to find earlier ones for. */
type Subject = Pick<Entry, "test" | "machine" | "settings" | "measurements">

/** Fewer runs do not show how much runs differ when nothing has changed. */
const least = 5
// older ones were another service
const most = 30
// the probability of a false alarm, of all rows together
const alpha = 0.025

const ineligible = (entry: Entry, { machine, settings }: Subject): string | undefined => {
  if (entry.verdict !== "passed") return "failed"
  const other = differences(entry.machine, machine)
  if (other.length > 0) return `another ${other.join(", ")}`
  return entry.settings === settings ? undefined : "other settings"
}

/**
 * Judges a run by the last thirty that passed on the same machine with the same settings: each metric by the interval in
 * which one more of them would lie, and by how much worse is tolerated.
 *
 * @param history - The entries of the baseline file.
 * @param subject - The run to be judged.
 * @param tolerance - The share, such as 0.05, by which a metric may be worse than the median.
 * @returns The comparison. It has no rows if fewer than 5 runs can be compared; `tooFew` says why.
 * @example
 * ```ts
 * import * as Baseline from "@webagent/load/Baseline"
 * import type { Entry } from "@webagent/load/BaselineFile"
 *
 * export const isWorse = (history: ReadonlyArray<Entry>, run: Entry) =>
 *   Baseline.compare(history, run, 0.05).rows.some(({ verdict }) => verdict === "worse")
 * ```
 */
export const compare = (history: ReadonlyArray<Entry>, subject: Subject, tolerance: number): BaselineComparison => {
  const same = history.filter(({ test }) => test === subject.test)
  const reasons = same.map((entry) => ineligible(entry, subject))
  const eligible = same.filter((_, index) => reasons[index] === undefined).slice(-most)
  const leftOut = [...Map.groupBy(reasons, (why) => why ?? "")].flatMap(([why, all]) =>
    why === "" ? [] : [[why, all.length] as const]
  )
  if (eligible.length < least) return { runs: eligible.length, rows: [], leftOut }
  const measured = [...ComparedMetric.times, ComparedMetric.throughput].flatMap((metric) => {
    const now = metric.of(subject.measurements)
    const before = eligible.flatMap(({ measurements }) => metric.of(measurements) ?? [])
    return now === undefined || before.length < eligible.length ? [] : [{ metric, now, before }]
  })
  const rows = measured.map(({ before, metric: { better, format, name }, now }): Row => {
    const { detectable, high, low, middle } = Interval.ofNextFigure(before, alpha / measured.length)
    const isAbove = now > high && now > middle * (1 + tolerance)
    const isBelow = now < low && now < middle / (1 + tolerance)
    const [isWorse, isBetter] = better === "lower" ? [isAbove, isBelow] : [isBelow, isAbove]
    const smallest = Math.max(detectable, 1 + tolerance)
    return {
      name,
      now: format(now),
      low: format(low),
      high: format(high),
      detectable: better === "lower" ? smallest : 1 / smallest,
      verdict: isWorse ? "worse" : isBetter ? "better" : "no difference seen"
    }
  })
  return { runs: eligible.length, rows, leftOut }
}

/**
 * Returns the reason why a run wasn't compared, in a few words.
 *
 * @param comparison - A comparison with too few runs.
 * @returns The reason in a few words.
 * @example
 * ```ts
 * import { tooFew } from "@webagent/load/Baseline"
 *
 * console.log(tooFew({ runs: 2, rows: [], leftOut: [["failed", 1]] })) // 2 of 5 runs needed (1 left out: failed)
 * ```
 */
export const tooFew = ({ leftOut, runs }: BaselineComparison): string => {
  const others = leftOut.map(([why, count]) => `${count} left out: ${why}`)
  return `${runs} of ${least} runs needed${others.length === 0 ? "" : ` (${others.join("; ")})`}`
}

/**
 * Returns the lines for a person: one, or one for each metric that got worse.
 *
 * @param judgement - The comparison of a run with its baseline.
 * @returns The lines to print.
 * @example
 * ```ts
 * import * as Baseline from "@webagent/load/Baseline"
 * import type { Entry } from "@webagent/load/BaselineFile"
 *
 * export const print = (history: ReadonlyArray<Entry>, run: Entry) => {
 *   for (const line of Baseline.lines(Baseline.compare(history, run, 0.05))) console.log(line)
 * }
 * ```
 */
export const lines = (judgement: BaselineComparison): ReadonlyArray<string> => {
  const { rows, runs } = judgement
  if (rows.length === 0) return [`baseline: cannot tell, ${tooFew(judgement)}`]
  const lineOf = ({ detectable, high, low, name, now, verdict }: Row) =>
    `baseline (${counted(runs, "run")}): ${name} ${now}, usually ${low} to ${high}: ${verdict === "worse" ? "WORSE" : verdict} (smallest detectable change ${changeText(detectable)})`
  const worse = rows.filter(({ verdict }) => verdict === "worse")
  // the metric that most people ask for, else the first
  const shown = rows.find(({ name }) => name === "time to terminal p95") ?? rows[0]
  return (worse.length > 0 ? worse : shown === undefined ? [] : [shown]).map(lineOf)
}
