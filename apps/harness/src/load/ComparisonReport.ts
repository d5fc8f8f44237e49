import * as Schema from "effect/Schema"
import type { Style } from "@webagent/report/Style"
import { Row } from "./Comparison.ts"
import { Figures } from "./Figures.ts"
import { Shape } from "./LoadReport.ts"
import { throughput } from "./Measure.ts"

const Side = Schema.Struct({ name: Schema.String, address: Schema.String, simulated: Schema.Boolean })

/** Two services under the same load in turns; `ab-<test>.json` holds it. */
export const ComparisonReport = Schema.Struct({
  tool: Schema.Struct({ name: Schema.String, version: Schema.String, k6: Schema.String }),
  test: Schema.String,
  a: Side,
  b: Side,
  startedAt: Schema.String,
  rate: Schema.Number,
  duration_ms: Schema.Number,
  settings: Schema.optionalKey(Shape),
  /** The order within the pairs is drawn from it. */
  seed: Schema.Number,
  tolerance: Schema.Number,
  pairs: Schema.Array(Schema.Struct({ order: Schema.Literals(["AB", "BA"]), a: Figures, b: Figures })),
  rows: Schema.Array(Row),
  verdict: Schema.Literals(["regressed", "no evidence"])
})
export type ComparisonReport = typeof ComparisonReport.Type

const signed = (share: number, digits: number) => {
  if (!Number.isFinite(share)) return share > 0 ? "+∞" : "-∞"
  return `${share < 0 ? "-" : "+"}${Math.abs(share * 100).toFixed(digits)}`
}

// beyond it a figure says no more than that nothing would have been seen
const tenfold = 10

const ratioOf = (ratio: number) => (ratio > tenfold ? "> 10" : ratio < 1 / tenfold ? "< 0.1" : ratio.toFixed(2))

const seenFrom = (ratio: number) => (ratio > tenfold ? "> +900 %" : `${signed(ratio - 1, 0)} %`)

/** A row as a person reads it: figure, A, B, how B stands to A, within what, and the least change that would have shown. */
export const cellsOf = ({ a, b, change, detectable, high, kind, low, name }: Row): ReadonlyArray<string> => {
  if (kind === "difference") {
    const [middle, from, to] = [change, low, high].map((share) => signed(share, 2))
    return [name, a, b, `${middle} pp`, `${from} .. ${to} pp`, `${signed(detectable, 2)} pp`]
  }
  return [name, a, b, `x ${change.toFixed(2)}`, `${ratioOf(low)} .. ${ratioOf(high)}`, seenFrom(detectable)]
}

/** What its columns are called. */
export const heads = ["figure", "A", "B", "B to A", "within", "sees from", ""]

/** The table that a person reads; of throughput the time for a good answer is compared, so that more is worse everywhere. */
export const table = (rows: ReadonlyArray<Row>, style: Style): ReadonlyArray<string> => {
  const cells = rows.map(cellsOf)
  const widths = heads.map((head, column) => Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0)) + 3)
  const line = (texts: ReadonlyArray<string>) => texts.map((text, column) => text.padEnd(widths[column] ?? 0)).join("")
  const words = { worse: style.bad("WORSE"), better: style.good("better"), "no evidence": "no evidence of change" }
  return [
    style.faint(line(heads).trimEnd()),
    ...rows.map(({ verdict }, index) => `${line(cells[index] ?? [])}${words[verdict]}`)
  ]
}

/** The line that says what happened. */
export const verdict = ({ rows, tolerance }: ComparisonReport, style: Style): string => {
  const worse = rows.filter(({ verdict }) => verdict === "worse")
  if (worse.length === 0) {
    // an open model fixes the throughput: that it is steady says nothing
    const times = rows.filter(({ kind, name }) => kind === "ratio" && name !== throughput.name)
    const seen = times.map(({ detectable }) => detectable)
    const [least, most] = [Math.min(...seen), Math.max(...seen)]
    return `${style.good("no evidence that B is worse")} · would have seen ${seenFrom(least)} in the steadiest time, ${seenFrom(most)} in the least steady`
  }
  const parts = worse.map(({ change, high, kind, low, name }) =>
    kind === "ratio"
      ? `${name} ${signed(change - 1, 0)} % (${signed(low - 1, 0)} .. ${signed(high - 1, 0)})`
      : `${name} ${signed(change, 2)} pp (${signed(low, 2)} .. ${signed(high, 2)})`
  )
  return `${style.bad("regressed")} by more than ${Math.round(tolerance * 100)} %: ${parts.join(", ")}`
}
