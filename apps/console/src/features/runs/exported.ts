import type { Run } from "@webagent/admin"
import { csv } from "../../ui/csv.ts"

const columns = [
  "id",
  "status",
  "task",
  "title",
  "owner",
  "model",
  "node",
  "tags",
  "steps",
  "failure",
  "totalCostUsd",
  "totalInputTokens",
  "totalOutputTokens",
  "createdAt",
  "startedAt",
  "finishedAt",
  "sessionId",
  "result",
  "error"
] as const satisfies ReadonlyArray<keyof Run>

const textOf = (value: Run[(typeof columns)[number]]): string => {
  if (value === null || value === undefined) return ""
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

/** A file of runs, written page by page: its start, the rows of each page, and its end. */
interface Format {
  readonly type: string
  readonly start: string
  readonly rows: (runs: ReadonlyArray<Run>, isFirst: boolean) => string
  readonly end: string
}

/** The formats of an export: CSV with a header line, and JSON as the API returns it, with a run on each line. */
export const formats = {
  csv: {
    type: "text/csv",
    start: csv([columns]),
    rows: (runs) => runs.map((run) => `\r\n${csv([columns.map((column) => textOf(run[column]))])}`).join(""),
    end: ""
  },
  json: {
    type: "application/json",
    start: "[",
    rows: (runs, isFirst) =>
      runs.map((run, index) => `${isFirst && index === 0 ? "" : ","}\n${JSON.stringify(run)}`).join(""),
    end: "\n]\n"
  }
} as const satisfies Readonly<Record<string, Format>>
