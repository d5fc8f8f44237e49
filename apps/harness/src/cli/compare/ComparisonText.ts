import type { Night } from "@webagent/nights/Night"
import type { NightComparison } from "@webagent/nights/NightComparison"
import type { Style } from "@webagent/report/Style"
import type { JudgedRow } from "@webagent/report/NightJudgement"

const mostShown = 20

const nameOf = ({ figure, scenario }: JudgedRow) =>
  scenario === null ? figure : `${scenario.suite} › ${scenario.name}`

const marked = (row: JudgedRow, style: Style) =>
  row.verdict === "regressed"
    ? style.bad(row.verdict)
    : row.verdict === "improved"
      ? style.good(row.verdict)
      : row.verdict

const nightOf = ({ fingerprint, id, startedAt }: Night) =>
  `${id}  ${startedAt.slice(0, 16).replace("T", " ")} UTC  ${fingerprint.target}, tool ${fingerprint.tool}`

/** What a person reads of a comparison: the whole first, then the scenarios that changed, then what happened. */
export const lines = (given: {
  readonly a: Night
  readonly b: Night
  readonly comparison: NightComparison
  readonly style: Style
}): ReadonlyArray<string> => {
  const { a, b, comparison, style } = given
  const { differences, pairs, rows, scenarios } = comparison
  const whole = rows.filter(({ scenario }) => scenario === null)
  const changed = rows.filter(({ scenario, verdict }) => scenario !== null && verdict !== "no evidence")
  const width = Math.max(...[...whole, ...changed.slice(0, mostShown)].map((row) => nameOf(row).length))
  const line = (row: JudgedRow) => `  ${nameOf(row).padEnd(width)}  ${marked(row, style)}: ${row.evidence}`
  const worse = rows.filter(({ verdict }) => verdict === "regressed").length
  const better = rows.filter(({ verdict }) => verdict === "improved").length
  const quiet = rows.filter(({ scenario, verdict }) => scenario !== null && verdict === "no evidence")
  const detectable = quiet.find((row) => row.detectable !== null)?.detectable
  const by = pairs > 0 ? `, ${pairs} trials paired by their seed` : ", by counts"
  return [
    style.strong(`before  ${nightOf(a)}`),
    style.strong(`after   ${nightOf(b)}`),
    `${scenarios} scenario${scenarios === 1 ? "" : "s"} in both${by}`,
    ...(a.partial === undefined ? [] : [`the first is partial: ${a.partial}`]),
    ...(b.partial === undefined ? [] : [`the second is partial: ${b.partial}`]),
    ...differences.map((difference) => `differs: ${difference}`),
    "",
    ...whole.map(line),
    ...(changed.length === 0 ? [] : [""]),
    ...changed.slice(0, mostShown).map(line),
    ...(changed.length > mostShown ? [`  and ${changed.length - mostShown} more`] : []),
    ...(quiet.length === 0
      ? []
      : [
          style.faint(
            `  ${quiet.length} scenario${quiet.length === 1 ? "" : "s"} without evidence of a change${detectable === undefined || detectable === null ? "" : `; ${detectable} would be detected in the first`}`
          )
        ]),
    "",
    worse > 0
      ? style.bad(`regressed: ${worse} of ${rows.length} figures`)
      : better > 0
        ? style.good(`improved: ${better} of ${rows.length} figures, none is worse`)
        : comparison.verdict === "not enough data"
          ? "not enough data"
          : "no evidence that it is worse"
  ]
}
