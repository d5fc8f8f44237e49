import * as Money from "@webagent/cli/Money"
import type { Style } from "@webagent/cli/Style"
import { counted, duration, percent } from "@webagent/cli/Text"
import type { EvalRow } from "@webagent/eval/EvalFigures"

const headings = ["site", "passed", "rate", "95 % CI", "time", "cost", "false success"] as const

const cells = (row: EvalRow): ReadonlyArray<string> => [
  row.suite?.replace(/^eval-/u, "") ?? "all",
  `${row.passed} of ${row.scored}`,
  row.rate === null ? "" : percent(row.rate, 0),
  row.interval === null ? "" : `${percent(row.interval.low, 0)} to ${percent(row.interval.high, 0)}`,
  row.duration_ms === null ? "" : duration(row.duration_ms),
  row.cost_usd === "0" ? "" : Money.shown(row.cost_usd),
  row.claimed === 0 ? "" : String(row.claimed)
]

/** The reason why an evaluation doesn't meet its required rate; undefined if it does. Only verdicts can meet it. */
export const unmet = (all: EvalRow | undefined, required: number): string | undefined => {
  const { leastRate = 0, scored = 0, unscored = 0 } = all ?? {}
  if (scored === 0) return `No trial has a verdict, so the required ${percent(required, 0)} can't be met.`
  if (leastRate >= required) return undefined
  const without = unscored === 0 ? "" : `, where ${counted(unscored, "trial")} without a verdict count as not passed,`
  return `The success rate ${percent(leastRate, 0)}${without} is below the required ${percent(required, 0)}.`
}

/** The table of an evaluation: a line for each site, and one for all. */
export const lines = (rows: ReadonlyArray<EvalRow>, style: Style): ReadonlyArray<string> => {
  const table = [headings, ...rows.map(cells)]
  const widths = headings.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  const unscored = rows.at(-1)?.unscored ?? 0
  return [
    "",
    ...table.map((row, at) => {
      const line = row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
      return at === 0 ? style.faint(line) : line
    }),
    ...(unscored === 0 ? [] : [`${counted(unscored, "trial")} without a verdict: not counted above`])
  ]
}
