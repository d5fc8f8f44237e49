import * as Schema from "effect/Schema"
import * as Interval from "@webagent/statistics/Interval"
import { mean } from "@webagent/statistics/Quantile"
import type { Figures } from "./Figures.ts"
import * as Measure from "./Measure.ts"

/** The figures of two services, measured one right after the other. */
export interface Pair {
  readonly a: Figures
  readonly b: Figures
}

/** A figure of both, and how the second stands to the first. */
export const Row = Schema.Struct({
  name: Schema.String,
  /** As a person reads it. */
  a: Schema.String,
  b: Schema.String,
  /** `ratio`: so many times as much; `difference`: so much more, as a share. */
  kind: Schema.Literals(["ratio", "difference"]),
  change: Schema.Number,
  /** Within what the true change lies. */
  low: Schema.Number,
  high: Schema.Number,
  /** The least change, beyond what is tolerated, that four of five such comparisons would have called one. */
  detectable: Schema.Number,
  verdict: Schema.Literals(["worse", "better", "no evidence"])
})
export type Row = typeof Row.Type

/** What a comparison allows. */
export interface Allowance {
  /** How much worse is tolerated: 0.05 for 5 %. */
  readonly tolerance: number
}

// The chance of a false alarm of all rows together; each has its part of it.
const doubt = 0.025
/** So many more requests that failed, or work that did not end as wished, are tolerated, as a share of all. */
export const toleratedShare = 0.005

const sidesOf = ({ format, of }: Measure.Measure, pairs: ReadonlyArray<Pair>) => {
  const sides = pairs.flatMap(({ a, b }) => {
    const [first, second] = [of(a), of(b)]
    return first === undefined || second === undefined ? [] : [[first, second] as const]
  })
  // a figure that some pairs lack says nothing of the others
  if (sides.length < pairs.length) return undefined
  const geometric = (side: 0 | 1) => Math.exp(mean(sides.map((pair) => Math.log(pair[side]))))
  const plain = (side: 0 | 1) => mean(sides.map((pair) => pair[side]))
  return { sides, format, geometric, plain }
}

/**
 * How the second service stands to the first, by pairs of runs: a machine that was slow for a while was so for both of a
 * pair. Each row has Student's interval over the pairs, so narrow a chance of error that all together raise a false alarm
 * in one of forty comparisons at most.
 */
export const of = (pairs: ReadonlyArray<Pair>, { tolerance }: Allowance): ReadonlyArray<Row> => {
  const found = (measures: ReadonlyArray<Measure.Measure>) =>
    measures.flatMap((measure) => {
      const sides = sidesOf(measure, pairs)
      return sides === undefined ? [] : [{ name: measure.name, ...sides }]
    })
  const ratios = found([...Measure.times, Measure.throughput])
  const differences = found(Measure.shares)
  const each = doubt / (ratios.length + differences.length)
  const rows = ratios.map(({ format, geometric, name, sides }): Row => {
    const { detectable, high, low, middle } = Interval.ofRatios(
      sides.map(([a, b]) => b / a),
      each
    )
    const isWorse = low > 1 + tolerance
    return {
      name,
      a: format(geometric(0)),
      b: format(geometric(1)),
      kind: "ratio",
      change: middle,
      low,
      high,
      detectable: detectable * (1 + tolerance),
      verdict: isWorse ? "worse" : high < 1 / (1 + tolerance) ? "better" : "no evidence"
    }
  })
  const further = differences.map(({ format, name, plain, sides }): Row => {
    const { detectable, high, low, middle } = Interval.ofMean(
      sides.map(([a, b]) => b - a),
      each
    )
    return {
      name,
      a: format(plain(0)),
      b: format(plain(1)),
      kind: "difference",
      change: middle,
      low,
      high,
      detectable: detectable + toleratedShare,
      verdict: low > toleratedShare ? "worse" : high < -toleratedShare ? "better" : "no evidence"
    }
  })
  return [...rows, ...further]
}
