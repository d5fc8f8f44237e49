import type { Style } from "@webagent/cli/Style"
import { counted } from "@webagent/cli/Text"
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

/**
 * Formats a ratio as a signed change: `+30 %`, `-19 %`, `over +900 %`.
 *
 * @param ratio - B divided by A, such as 1.3.
 * @returns The change in percent with its sign.
 * @example
 * ```ts
 * import { changeText } from "@webagent/load/AbReport"
 *
 * console.log(changeText(1.3), changeText(0.81), changeText(25)) // +30 % -19 % over +900 %
 * ```
 */
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

/**
 * Formats a row for a table, with one text for each of `columns`.
 *
 * @param row - A row of the comparison.
 * @returns One text for each column of the table.
 * @example
 * ```ts
 * import type { Row } from "@webagent/load/AbComparison"
 * import { cellsOf, columns, verdictText } from "@webagent/load/AbReport"
 *
 * export const markdown = (rows: ReadonlyArray<Row>) =>
 *   [columns, columns.map(() => "---"), ...rows.map((row) => [...cellsOf(row), verdictText(row)])]
 *     .map((cells) => `| ${cells.join(" | ")} |`)
 *     .join("\n")
 * ```
 */
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

/** Returns whether a row compares times. */
const isTime = ({ better, kind }: Row): boolean => kind === "ratio" && better === "lower"

/**
 * Returns the verdict of a row in words. More errors aren't "slower", they're "higher".
 *
 * @param row - A row of the comparison.
 * @returns The verdict in words, such as `WORSE`.
 * @example
 * ```ts
 * import type { AbReport } from "@webagent/load/AbReport"
 * import { verdictText } from "@webagent/load/AbReport"
 *
 * export const print = ({ rows }: AbReport) => {
 *   for (const row of rows) console.log(row.name, verdictText(row))
 * }
 * ```
 */
export const verdictText = (row: Row): string => {
  const { better, verdict } = row
  if ((verdict !== "slower" && verdict !== "faster") || isTime(row)) return verdict === "worse" ? "WORSE" : verdict
  return (verdict === "slower") === (better === "lower") ? "higher" : "lower"
}

/** Severity of each conclusion, for its color. */
export const toneOf: Readonly<Record<Conclusion, "bad" | "doubtful" | "good" | "plain">> = {
  worse: "bad",
  slower: "doubtful",
  "cannot tell": "doubtful",
  better: "good",
  faster: "good",
  "within tolerance": "plain",
  "no difference seen": "plain"
}

const toned = (tone: "bad" | "doubtful" | "good" | "plain", text: string, style: Style) =>
  tone === "plain" ? text : tone === "doubtful" ? style.strong(text) : style[tone](text)

/**
 * Draws the rows of a comparison as a table for a terminal.
 *
 * @param rows - The rows of the comparison.
 * @param style - Colors for the terminal, or none.
 * @returns The lines of the table.
 * @example
 * ```ts
 * import { plain } from "@webagent/cli/Style"
 * import { type AbReport, table } from "@webagent/load/AbReport"
 *
 * export const print = ({ rows }: AbReport) => console.log(table(rows, plain).join("\n"))
 * ```
 */
export const table = (rows: ReadonlyArray<Row>, style: Style): ReadonlyArray<string> =>
  TextTable.render(
    columns,
    rows.map((row) => [...cellsOf(row), toned(toneOf[row.verdict], verdictText(row), style)]),
    style
  )

const changesOf = (rows: ReadonlyArray<Row>) =>
  rows
    .map((row) => {
      const text = textOf(row)
      return `${row.name} ${text(row.change)} (${text(row.low)} to ${text(row.high)})`
    })
    .join(", ")

/** Advice for rows that need more pairs. */
const advice = (rows: ReadonlyArray<Row>): string => {
  const needed = rows.map(({ pairs_needed }) => pairs_needed)
  return needed.some((pairs) => pairs === undefined)
    ? "over 1,000 pairs would be needed: use a quieter machine or a longer --duration"
    : `about ${counted(Math.max(...needed.map((pairs) => pairs ?? 0)), "pair")} would be needed (--pairs)`
}

const percentText = (share: number): string => `${Math.round(share * 100)} %`

const seen = (rows: ReadonlyArray<Row>): string => {
  const least = rows
    .filter(isTime)
    .reduce<Row | undefined>(
      (worst, row) => (worst === undefined || row.detectable > worst.detectable ? row : worst),
      undefined
    )
  return least === undefined ? "" : `smallest detectable change of a time: ${detectableText(least)} or less`
}

/**
 * Explains the verdict of a comparison.
 *
 * @param report - The report of a comparison.
 * @returns The verdict and the reason for it, as two parts of a sentence. The reason may be empty.
 * @example
 * ```ts
 * import { type AbReport, conclusion } from "@webagent/load/AbReport"
 *
 * export const subject = (report: AbReport) => `Load of ${report.b.name}: ${conclusion(report)[0]}`
 * ```
 */
export const conclusion = ({
  rows,
  tolerance,
  verdict
}: Pick<AbReport, "rows" | "tolerance" | "verdict">): readonly [verdict: string, reason: string] => {
  const decisive = rows.filter((row) => row.verdict === verdict)
  const changes = changesOf(decisive)
  const speed = decisive.every(isTime)
  switch (verdict) {
    case "worse":
      return ["B is worse", `by more than ${percentText(tolerance)}: ${changes}`]
    case "slower":
      return [
        `B is ${speed ? "slower" : "worse"}, maybe by no more than the tolerance of ${percentText(tolerance)}`,
        `${changes}; ${advice(decisive)}`
      ]
    case "cannot tell":
      return ["cannot tell", `${changes}; ${advice(decisive)}`]
    case "better":
      return ["B is better", changes]
    case "faster":
      return [`B is ${speed ? "faster" : "better"}, maybe by no more than ${percentText(tolerance)}`, changes]
    case "within tolerance":
      return [`B differs by no more than the tolerance of ${percentText(tolerance)}`, changes]
    case "no difference seen":
      return ["no difference seen", seen(rows)]
  }
}

/**
 * Returns the last line that a comparison prints: its verdict, and the reason for it.
 *
 * @param report - The report of a comparison.
 * @param style - Colors for the terminal, or none.
 * @returns One line.
 * @example
 * ```ts
 * import { coloured } from "@webagent/cli/Style"
 * import { AbReport, headline } from "@webagent/load/AbReport"
 * import * as Schema from "effect/Schema"
 * import { readFileSync } from "node:fs"
 *
 * const read = Schema.decodeUnknownSync(Schema.fromJsonString(AbReport))
 * export const print = (file: string) => console.log(headline(read(readFileSync(file, "utf8")), coloured))
 * ```
 */
export const headline = (report: AbReport, style: Style): string => {
  const [verdict, reason] = conclusion(report)
  const tone = toneOf[report.verdict]
  const mark = toned(tone === "plain" ? "good" : tone, verdict, style)
  return `${mark}${reason === "" ? "" : `: ${reason}`}`
}
