import type { Spend } from "@webagent/admin"
import { csv } from "../../ui/csv.ts"
import type { Grouping } from "./spend.state.ts"

const figures = ["usd", "runs", "inputTokens", "outputTokens"] as const

/** The cost as CSV with a header line. */
export const csvOf = (by: Grouping, { rows }: Spend): string => {
  const names = by === "run" ? ["run", "title", "key", "model"] : [by]
  return csv([
    [...names, ...figures],
    ...rows.map((row) => {
      const group =
        by === "run" ? [row.run?.id ?? "", row.run?.title ?? "", row.key ?? "", row.model ?? ""] : [row[by] ?? ""]
      return [...group, ...figures.map((name) => String(row[name]))]
    })
  ])
}
