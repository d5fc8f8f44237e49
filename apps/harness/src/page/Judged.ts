import { counted } from "@webagent/cli/Text"
import { type Comparison, scenarioTitle } from "@webagent/report/Comparison"
import type { NightJudgement } from "@webagent/report/NightJudgement"
import { before, detectable, fullEvidence, now } from "@webagent/findings/words/Statistics"
import { escape } from "@webagent/cli/Xml"
import { table } from "./Html.ts"

const nameOf = ({ figure, scenario }: Comparison) =>
  scenario === null ? `all scenarios: ${figure}` : `${scenarioTitle(scenario)}: ${figure}`

const tableOf = (caption: string, rows: ReadonlyArray<Comparison>): string =>
  table({
    caption,
    heads: ["figure", "now", "before", "verdict", "evidence", "smallest detectable change"],
    rows: rows.map((row) => [
      escape(nameOf(row)),
      escape(now(row)),
      escape(before(row)),
      row.verdict === "regressed" ? "<b>regressed</b>" : row.isUnusual ? "unusual" : row.verdict,
      escape(fullEvidence(row)),
      escape(detectable(row) ?? "none")
    ])
  })

/**
 * Renders the comparison with earlier nights: the changes, the figures of the whole night, and the rest in a folded
 * section.
 */
export const render = (judgement: NightJudgement | undefined): string => {
  if (judgement === undefined) return ""
  const { differences, nights, passedOver, rows } = judgement
  const changed = rows.filter((row) => row.verdict === "regressed" || row.verdict === "improved" || row.isUnusual)
  const whole = rows.filter((row) => row.scenario === null && !changed.includes(row))
  const rest = rows.filter((row) => row.scenario !== null && !changed.includes(row))
  const notes = [
    ...passedOver.map(({ nights, why }) => `${counted(nights, "night")} not counted: ${why}`),
    ...differences.map((difference) => `differs from the night before: ${difference}`)
  ]
  return `<h3>Compared with earlier nights</h3><p>${
    nights === 0 ? "No earlier night to compare with yet." : `Compared with ${counted(nights, "night")} at most.`
  }${notes.length === 0 ? "" : ` <span class="faint">${escape(notes.join("; "))}.</span>`}</p>${
    changed.length + whole.length === 0 ? "" : tableOf("Changes, and the whole night", [...changed, ...whole])
  }${
    rest.length === 0
      ? ""
      : `<details class="fold"><summary>No evidence of a change, or too little data: ${counted(rest.length, "figure")}</summary>${tableOf("Figures without evidence of a change", rest)}</details>`
  }`
}
