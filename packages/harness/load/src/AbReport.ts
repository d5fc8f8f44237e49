import type { Style } from "@webagent/report/Style"
import { counted } from "@webagent/report/Text"
import * as Schema from "effect/Schema"
import { Conclusion, Row } from "./AbComparison.ts"
import { WorkloadSettings } from "./LoadReport.ts"
import { Measurements } from "./Measurements.ts"
import * as TextTable from "./TextTable.ts"

const Side = Schema.Struct({ name: Schema.String, address: Schema.String, simulated: Schema.Boolean })

/** Two services under the same load in turns; `ab-<test>.json` holds it. */
export const AbReport = Schema.Struct({
  tool: Schema.Struct({ name: Schema.String, version: Schema.String, k6: Schema.String }),
  test: Schema.String,
  a: Side,
  b: Side,
  startedAt: Schema.String,
  rate: Schema.Number,
  duration_ms: Schema.Number,
  settings: Schema.optionalKey(WorkloadSettings),
  /** The order within the pairs is drawn from it. */
  seed: Schema.Number,
  tolerance: Schema.Number,
  pairs: Schema.Array(Schema.Struct({ order: Schema.Literals(["AB", "BA"]), a: Measurements, b: Measurements })),
  rows: Schema.Array(Row),
  verdict: Conclusion
})
export type AbReport = typeof AbReport.Type

// beyond it a ratio says only that it is large
const largest = 10

const signed = (value: number, digits: number) => `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(digits)}`

/** A ratio as a signed change: `+30 %`, `-19 %`, `over +900 %`. */
export const changeText = (ratio: number): string => {
  if (ratio > largest) return `over ${signed((largest - 1) * 100, 0)} %`
  if (ratio < 1 / largest) return `under ${signed((1 / largest - 1) * 100, 0)} %`
  const percent = Math.round((ratio - 1) * 100)
  return percent === 0 ? "0 %" : `${signed(percent, 0)} %`
}

/** A difference of two shares in percentage points: `+0.50 pp`. */
const pointsText = (difference: number): string =>
  Number.isFinite(difference) ? `${signed(difference * 100, 2)} pp` : `${difference > 0 ? "over +" : "under -"}100 pp`

/** A change of a row, in its own direction. */
const textOf = ({ kind }: Row) => (kind === "ratio" ? changeText : pointsText)

/** The smallest detectable change for the worse. */
const detectableText = (row: Row): string => textOf(row)(row.detectable)

/** A row as a person reads it, a text for each of the columns. */
export const cellsOf = (row: Row): ReadonlyArray<string> => {
  const { a, b, change, high, kind, low, name } = row
  const text = textOf(row)
  const ratio = kind === "ratio" && change <= largest && change >= 1 / largest ? `${change.toFixed(2)} ` : ""
  return [
    name,
    a,
    b,
    ratio === "" ? text(change) : `${ratio}(${text(change)})`,
    `${text(low)} to ${text(high)}`,
    detectableText(row)
  ]
}

/** The columns of the table. */
export const columns = ["metric", "A", "B", "ratio", "95 % interval", "smallest detectable change", "verdict"]

const marked = (verdict: Conclusion, style: Style) =>
  verdict === "worse" ? style.bad("WORSE") : verdict === "better" ? style.good("better") : verdict

/** The table that a person reads. */
export const table = (rows: ReadonlyArray<Row>, style: Style): ReadonlyArray<string> =>
  TextTable.render(
    columns,
    rows.map((row) => [...cellsOf(row), marked(row.verdict, style)]),
    style
  )

const changesOf = (rows: ReadonlyArray<Row>) =>
  rows
    .map((row) => {
      const text = textOf(row)
      return `${row.name} ${text(row.change)} (${text(row.low)} to ${text(row.high)})`
    })
    .join(", ")

/** What to do about rows that cannot tell. */
const advice = (rows: ReadonlyArray<Row>): string => {
  const needed = rows.map(({ pairs_needed }) => pairs_needed)
  return needed.some((pairs) => pairs === undefined)
    ? "over 1,000 pairs would be needed: use a quieter machine or a longer --duration"
    : `about ${counted(Math.max(...needed.map((pairs) => pairs ?? 0)), "pair")} would be needed (--pairs)`
}

/** The verdict and, after it, what it rests on. */
export const conclusion = ({ rows, tolerance, verdict }: AbReport): readonly [verdict: string, reason: string] => {
  const of = (wanted: Conclusion) => rows.filter((row) => row.verdict === wanted)
  if (verdict === "worse") {
    return ["B is worse", `by more than ${Math.round(tolerance * 100)} %: ${changesOf(of("worse"))}`]
  }
  if (verdict === "cannot tell") {
    const blind = of("cannot tell")
    return ["cannot tell", `${changesOf(blind)}; ${advice(blind)}`]
  }
  if (verdict === "better") return ["B is better", changesOf(of("better"))]
  const times = rows.filter(({ better, kind }) => kind === "ratio" && better === "lower")
  const least = times.reduce<Row | undefined>(
    (worst, row) => (worst === undefined || row.detectable > worst.detectable ? row : worst),
    undefined
  )
  return [
    "no difference seen",
    least === undefined ? "" : `smallest detectable change of a time: ${detectableText(least)} or less`
  ]
}

/** The line that says what happened. */
export const headline = (report: AbReport, style: Style): string => {
  const [verdict, reason] = conclusion(report)
  const mark = { worse: style.bad, "cannot tell": style.strong, better: style.good, "no difference seen": style.good }
  return `${mark[report.verdict](verdict)}${reason === "" ? "" : `: ${reason}`}`
}
