import type { Run } from "@webagent/admin"

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

/**
 * A field of a CSV file. A spreadsheet would calculate a text that starts with one of these characters, and runs contain
 * texts of strangers, so it gets an apostrophe in front.
 */
const field = (value: Run[(typeof columns)[number]]): string => {
  const text = textOf(value)
  const safe = /^[=+\-@\t\r]/u.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
  return /[",\n\r]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Runs as CSV (RFC 4180) with a header line. */
export const csvOf = (runs: ReadonlyArray<Run>): string =>
  [columns.join(","), ...runs.map((run) => columns.map((column) => field(run[column])).join(","))].join("\r\n")

/** Runs as JSON, as the API returns them. */
export const jsonOf = (runs: ReadonlyArray<Run>): string => `${JSON.stringify(runs, null, 2)}\n`
