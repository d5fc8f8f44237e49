import { plain } from "@webagent/report/Style"
import { counted, duration } from "@webagent/report/Text"
import * as Chart from "./Chart.ts"
import type { Row } from "./Comparison.ts"
import * as ComparisonReport from "./ComparisonReport.ts"
import * as IntervalChart from "./IntervalChart.ts"
import * as LoadPage from "./LoadPage.ts"
import * as Measure from "./Measure.ts"
import * as Page from "./Page.ts"

const { escape } = Chart

type Report = ComparisonReport.ComparisonReport

const marks: Readonly<Record<Row["verdict"], string>> = {
  worse: `<b class="bad">WORSE</b>`,
  better: `<span class="good">better</span>`,
  "no evidence": "no evidence of change"
}

const sideOf = ({ address, name, simulated }: Report["a"]) =>
  `${name === address ? "" : `${name}, `}${address}${simulated ? "" : " (not simulated)"}`

const settings = (report: Report): ReadonlyArray<readonly [string, string]> => [
  ["A", sideOf(report.a)],
  ["B, which is judged", sideOf(report.b)],
  ["load test", report.test],
  ...LoadPage.shapeOf(report.rate, report.settings ?? {}),
  ["pairs", `${report.pairs.length}, each run ${duration(report.duration_ms)}`],
  ["tolerated", Page.percent(report.tolerance)],
  ["began", `${report.startedAt.slice(0, 19).replace("T", " ")} UTC`],
  ["seed of the order", String(report.seed)],
  ["k6", report.tool.k6]
]

const figures = (rows: ReadonlyArray<Row>) =>
  Page.table(
    ComparisonReport.heads.map((head) => (head === "" ? "verdict" : head)),
    rows.map((row) => {
      const [name = "", ...cells] = ComparisonReport.cellsOf(row)
      return [name, ...cells.map(escape), marks[row.verdict]]
    })
  )

/** The ratio of each pair, for the figures that all pairs have. */
const pairs = ({ pairs, rows }: Report) => {
  const shown = Measure.times.filter(({ name }) => rows.some((row) => row.name === name))
  return Page.table(
    ["pair", "order", ...shown.flatMap(({ name }) => [`${name}, A`, "B", "B to A"])],
    pairs.map(({ a, b, order }, index) => [
      String(index + 1),
      order,
      ...shown.flatMap(({ format, of }) => {
        const [first, second] = [of(a), of(b)]
        if (first === undefined || second === undefined) return ["–", "–", "–"]
        return [format(first), format(second), `x ${(second / first).toFixed(2)}`]
      })
    ])
  )
}

const sentence = (report: Report): string => {
  const text = ComparisonReport.verdict(report, plain)
  const end = report.verdict === "regressed" ? "regressed".length : "no evidence that B is worse".length
  const mark = report.verdict === "regressed" ? "bad" : "good"
  return `<b class="${mark}">${escape(text.slice(0, end))}</b>${escape(text.slice(end))}`
}

/** The page of a comparison: one file, no script, nothing from elsewhere. */
export const render = (report: Report): string => {
  const { rows, test, tolerance } = report
  const ratios = rows.flatMap(({ change, detectable, high, kind, low, name, verdict }) =>
    kind === "ratio" ? [{ label: name, ratio: change, low, high, detectable, kind: verdict }] : []
  )
  return Page.render({
    title: `A and B under ${test}: ${report.verdict}`,
    header: `<h1>A and B under ${escape(test)}</h1><p>${sentence(report)}</p>
<p class="faint">${escape(counted(report.pairs.length, "pair"))} of runs, in turns. More than A is worse in every figure; of throughput it is the time for a good answer.</p>`,
    main: `<div class="tables"><section><h2>How B stands to A</h2>${IntervalChart.render("Change from A to B, as a share of A", ratios, tolerance)}
<p class="faint">A line is within what the true change lies, a dot its middle, a tick the least change that four of five such comparisons would have called worse; the band is what is tolerated.</p></section>
<section class="settings"><h2>Settings</h2>${Page.table(
      ["setting", "value"],
      settings(report).map(([name, value]) => [name, escape(value)])
    )}</section></div>
<h2>Figures</h2>${figures(rows)}
<h2>Pairs</h2>${pairs(report)}`,
    footer: escape(`${report.tool.name} ${report.tool.version}`)
  })
}
