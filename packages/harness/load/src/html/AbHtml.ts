import { counted, duration, moment, percent } from "@webagent/cli/Text"
import { escape } from "@webagent/cli/Xml"
import type { Row } from "../AbComparison.ts"
import * as AbReport from "../AbReport.ts"
import * as ComparedMetric from "../ComparedMetric.ts"
import * as HtmlPage from "./HtmlPage.ts"
import * as IntervalChart from "./IntervalChart.ts"
import * as LoadHtml from "./LoadHtml.ts"

type Report = AbReport.AbReport

const classes = { bad: "bad", doubtful: "", good: "good", plain: "" } as const

const marked = (row: Row): string => {
  const text = AbReport.verdictText(row)
  const tone = AbReport.toneOf[row.verdict]
  if (tone === "plain") return text
  return tone === "good" ? `<span class="good">${text}</span>` : `<b${tone === "bad" ? ' class="bad"' : ""}>${text}</b>`
}

const settings = (report: Report): ReadonlyArray<readonly [string, string]> => [
  ["A", LoadHtml.targetOf(report.a)],
  ["B", LoadHtml.targetOf(report.b)],
  ["load test", report.test],
  ...LoadHtml.workloadOf(report.rate, report.settings ?? {}),
  ["pairs", `${report.pairs.length}, each run ${duration(report.duration_ms)}`],
  ["tolerance", percent(report.tolerance)],
  ["started", moment(report.startedAt)],
  ["seed of the order", String(report.seed)],
  ["k6", report.tool.k6]
]

const metrics = ({ rows }: Report) =>
  HtmlPage.table(
    AbReport.columns,
    rows.map((row) => {
      const [name = "", ...cells] = AbReport.cellsOf(row)
      return [name, ...cells.map(escape), marked(row)]
    })
  )

/** The ratio of each pair, for the metrics that all pairs have. */
const pairs = ({ pairs, rows }: Report) => {
  const shown = ComparedMetric.times.filter(({ name }) => rows.some((row) => row.name === name))
  return HtmlPage.table(
    ["pair", "order", ...shown.flatMap(({ name }) => [`${name}, A`, "B", "ratio"])],
    pairs.map(({ a, b, order }, index) => [
      String(index + 1),
      order,
      ...shown.flatMap(({ format, of }) => {
        const [first, second] = [of(a), of(b)]
        if (first === undefined || second === undefined) return ["–", "–", "–"]
        return [format(first), format(second), (second / first).toFixed(2)]
      })
    ])
  )
}

const headline = (report: Report): string => {
  const [verdict, reason] = AbReport.conclusion(report)
  const tone = AbReport.toneOf[report.verdict]
  return `<b class="${tone === "plain" ? "good" : classes[tone]}">${escape(verdict)}</b>${reason === "" ? "" : escape(`: ${reason}`)}`
}

/**
 * Renders the page of a comparison: one file without scripts or external resources.
 *
 * @param report - The report of a comparison.
 * @returns The HTML of the page.
 * @example
 * ```ts
 * import type { AbReport } from "@webagent/load/AbReport"
 * import { render } from "@webagent/load/html/AbHtml"
 * import { writeFileSync } from "node:fs"
 *
 * export const write = (report: AbReport) => writeFileSync(`ab-${report.test}.html`, render(report))
 * ```
 */
export const render = (report: Report): string => {
  const { rows, test, tolerance } = report
  const ratios = rows.flatMap(({ change, detectable, high, kind, low, name, verdict }) =>
    kind === "ratio" ? [{ label: name, ratio: change, low, high, detectable, verdict }] : []
  )
  return HtmlPage.render({
    title: `${test}: ${AbReport.conclusion(report)[0]}`,
    header: `<h1>A/B comparison: ${escape(test)}</h1><p>${headline(report)}</p>
<p class="faint">${escape(counted(report.pairs.length, "pair"))} of runs, in random order.</p>`,
    main: `<div class="tables"><section><h2>B compared with A</h2>${IntervalChart.render("Change from A to B", ratios, tolerance)}
<p class="faint">Bar: 95 % confidence interval, for all metrics together. Dot: estimate. Tick: smallest detectable change (80 % power). Band: tolerance.</p></section>
<section class="settings"><h2>Settings</h2>${HtmlPage.table(
      ["setting", "value"],
      settings(report).map(([name, value]) => [name, escape(value)])
    )}</section></div>
<h2>Metrics</h2>${metrics(report)}
<h2>Pairs</h2>${pairs(report)}`,
    footer: escape(`${report.tool.name} ${report.tool.version}`)
  })
}
