import type { Spend } from "@webagent/admin"
import { csv } from "../../ui/csv.ts"
import type { Grouping } from "./spend.state.ts"

/** The cost as CSV with a header line. */
export const csvOf = (by: Grouping, { rows }: Spend): string =>
  csv([
    [by, "usd", "runs", "inputTokens", "outputTokens"],
    ...rows.map((row) => [row[by] ?? "", row.usd, String(row.runs), String(row.inputTokens), String(row.outputTokens)])
  ])
