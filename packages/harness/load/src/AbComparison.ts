import * as Interval from "@webagent/statistics/Interval"
import { mean } from "@webagent/statistics/Quantile"
import * as Schema from "effect/Schema"
import * as ComparedMetric from "./ComparedMetric.ts"
import type { Measurements } from "./Measurements.ts"

/** Measurements of two services, one right after the other. */
export interface Pair {
  readonly a: Measurements
  readonly b: Measurements
}

/**
 * The conclusion of a comparison, for one metric or for all. It follows from the interval of the change alone.
 *
 * - `worse`, `better`: the interval is beyond the tolerance.
 * - `slower`, `faster`: the interval excludes no change, and reaches beyond the tolerance.
 * - `within tolerance`: the interval excludes no change, and lies within the tolerance.
 * - `no difference seen`: the interval includes no change, and a relevant change would have shown.
 * - `cannot tell`: the interval includes no change, and a relevant change could have been missed.
 */
export const Conclusion = Schema.Literals([
  "worse",
  "slower",
  "cannot tell",
  "better",
  "faster",
  "within tolerance",
  "no difference seen"
])
export type Conclusion = typeof Conclusion.Type

/** A metric of both services, and how B compares with A. */
export const Row = Schema.Struct({
  name: Schema.String,
  /** As a person reads it. */
  a: Schema.String,
  b: Schema.String,
  /** `ratio`: B divided by A; `difference`: B minus A, of a share. */
  kind: Schema.Literals(["ratio", "difference"]),
  better: Schema.Literals(["lower", "higher"]),
  change: Schema.Number,
  /** The confidence interval of the change. */
  low: Schema.Number,
  high: Schema.Number,
  /** The smallest change for the worse, tolerance included, that four of five such comparisons would call worse. */
  detectable: Schema.Number,
  /**
   * Number of pairs that would most likely settle `cannot tell` (a relevant change would show) or `slower` (the interval
   * would be on one side of the tolerance); missing if it's over a thousand.
   */
  pairs_needed: Schema.optionalKey(Schema.Int),
  verdict: Conclusion
})
export type Row = typeof Row.Type

/** The tolerance of a comparison. */
interface Allowance {
  /** Tolerated change for the worse: 0.05 for 5 %. */
  readonly tolerance: number
}

// the probability of a false alarm, of all rows together at each end: all intervals together hold with 95 %
const alpha = 0.025
/** Tolerated increase of failed requests or unfinished work, as a share of all. */
const toleratedShare = 0.005

// A row that can miss a change of this size beyond the tolerance says nothing: half as much again, or five of a hundred.
const relevantRatio = 1.5
const relevantShare = 0.05
const mostPairs = 1000

/** The least number of pairs with which a change would be detectable, if they scatter as these do. */
const pairsFor = (differences: ReadonlyArray<number>, doubt: number, relevant: number): number | undefined => {
  const isEnough = (pairs: number) => Interval.detectableMean(differences, pairs, doubt) <= relevant
  if (!isEnough(mostPairs)) return undefined
  let [low, high] = [differences.length, mostPairs]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (isEnough(middle)) high = middle
    else low = middle
  }
  return high
}

const sidesOf = ({ of }: ComparedMetric.ComparedMetric, pairs: ReadonlyArray<Pair>) => {
  const sides = pairs.flatMap(({ a, b }) => {
    const [first, second] = [of(a), of(b)]
    return first === undefined || second === undefined ? [] : [[first, second] as const]
  })
  // a metric that some pairs lack says nothing of the others
  return sides.length < pairs.length ? undefined : sides
}

/** The verdict on an interval in which more is worse. */
const verdictOf = ({
  high,
  isBlind,
  low,
  tolerated
}: {
  readonly low: number
  readonly high: number
  readonly tolerated: number
  readonly isBlind: boolean
}): Conclusion => {
  if (low > 0) return low > tolerated ? "worse" : high < tolerated ? "within tolerance" : "slower"
  if (high < 0) return high < -tolerated ? "better" : low > -tolerated ? "within tolerance" : "faster"
  return isBlind ? "cannot tell" : "no difference seen"
}

/**
 * Compares B with A by pairs of runs, because a machine that was slow for a while was slow for both of a pair. Each row
 * has Student's interval over the pairs; the probability that any row raises a false alarm is at most 2.5 %.
 *
 * @param pairs - The pairs of runs, each with one run of A and one of B.
 * @param allowance - `tolerance` is the share, such as 0.05, by which B may be worse.
 * @returns One row for each metric.
 * @example
 * ```ts
 * import * as AbComparison from "@webagent/load/AbComparison"
 *
 * export const worse = (pairs: ReadonlyArray<AbComparison.Pair>) =>
 *   AbComparison.of(pairs, { tolerance: 0.05 }).filter(({ verdict }) => verdict === "worse")
 * ```
 */
export const of = (pairs: ReadonlyArray<Pair>, { tolerance }: Allowance): ReadonlyArray<Row> => {
  const measured = (metrics: ReadonlyArray<ComparedMetric.ComparedMetric>) =>
    metrics.flatMap((metric) => {
      const sides = sidesOf(metric, pairs)
      return sides === undefined ? [] : [{ metric, sides }]
    })
  const ratios = measured([...ComparedMetric.times, ComparedMetric.throughput])
  const differences = measured(ComparedMetric.shares)
  const each = alpha / (ratios.length + differences.length)

  const rowOf = (
    kind: Row["kind"],
    { better, format, name }: ComparedMetric.ComparedMetric,
    sides: ReadonlyArray<readonly [number, number]>
  ): Row => {
    const isRatio = kind === "ratio"
    const scale = (value: number) => (isRatio ? Math.log(value) : value)
    const unscale = (value: number) => (isRatio ? Math.exp(value) : value)
    // more is worse on this scale
    const sign = better === "lower" ? 1 : -1
    const tolerated = isRatio ? Math.log(1 + tolerance) : toleratedShare
    const relevant = isRatio ? Math.log(relevantRatio) : relevantShare
    const changes = sides.map(([a, b]) => sign * (scale(b) - scale(a)))
    const { detectable, high, low, middle } = Interval.ofMean(changes, each)
    const verdict = verdictOf({ low, high, tolerated, isBlind: detectable > relevant })
    const needed =
      verdict === "cannot tell"
        ? pairsFor(changes, each, relevant)
        : verdict === "slower"
          ? pairsFor(changes, each, Math.abs(middle - tolerated))
          : undefined
    const ends = [unscale(sign * low), unscale(sign * high)]
    const side = (index: 0 | 1) => format(unscale(mean(sides.map((pair) => scale(pair[index])))))
    return {
      name,
      a: side(0),
      b: side(1),
      kind,
      better,
      change: unscale(sign * middle),
      low: Math.min(...ends),
      high: Math.max(...ends),
      detectable: unscale(sign * (detectable + tolerated)),
      ...(needed === undefined ? {} : { pairs_needed: needed }),
      verdict
    }
  }
  return [
    ...ratios.map(({ metric, sides }) => rowOf("ratio", metric, sides)),
    ...differences.map(({ metric, sides }) => rowOf("difference", metric, sides))
  ]
}

/**
 * Returns the conclusion about all rows together: the first one of `Conclusion` that any row has, so the worst comes
 * first.
 *
 * @param rows - The rows of the comparison.
 * @returns The conclusion about all rows together.
 * @example
 * ```ts
 * import * as AbComparison from "@webagent/load/AbComparison"
 *
 * export const mayShip = (pairs: ReadonlyArray<AbComparison.Pair>) =>
 *   AbComparison.conclusionOf(AbComparison.of(pairs, { tolerance: 0.05 })) !== "worse"
 * ```
 */
export const conclusionOf = (rows: ReadonlyArray<Row>): Conclusion =>
  Conclusion.literals.find((verdict) => rows.some((row) => row.verdict === verdict)) ?? "no difference seen"
