import { number } from "@webagent/cli/Text"
import * as Schema from "effect/Schema"
import type { Points } from "./Points.ts"

/** Number of failed requests by status, the most frequent first; "0" means no response. */
export const FailedRequests = Schema.Array(Schema.Struct({ status: Schema.String, requests: Schema.Number }))
export type FailedRequests = typeof FailedRequests.Type

/**
 * Counts the failed requests by status.
 *
 * @param points - The measured points, as `LoadRun.run` returns them.
 * @returns The number of failed requests for each status.
 * @example
 * ```ts
 * import * as FailedRequests from "@webagent/load/FailedRequests"
 * import type { Outcome } from "@webagent/load/LoadRun"
 *
 * export const summary = ({ points }: Outcome) => FailedRequests.text(FailedRequests.of(points)) ?? "no request failed"
 * ```
 */
export const of = (points: Points): FailedRequests => {
  const counts = new Map<string, number>()
  for (const { length, tags, values } of points.select("http_req_failed")) {
    const failed = values.subarray(0, length).reduce((sum, value) => sum + value, 0)
    if (failed > 0) counts.set(tags.status, (counts.get(tags.status) ?? 0) + failed)
  }
  return [...counts]
    .map(([status, requests]) => ({ status, requests }))
    .toSorted((a, b) => b.requests - a.requests || a.status.localeCompare(b.status))
}

const shown = 3

/**
 * Formats the three most frequent statuses of failed requests: `503 (20), no response (2)`.
 *
 * @param failed - The numbers by status.
 * @returns The numbers in one line, or undefined if no request failed.
 * @example
 * ```ts
 * import { text } from "@webagent/load/FailedRequests"
 *
 * const failed = [
 *   { status: "503", requests: 20 },
 *   { status: "0", requests: 2 }
 * ]
 * console.log(text(failed)) // 503 (20), no response (2)
 * ```
 */
export const text = (failed: FailedRequests): string | undefined => {
  if (failed.length === 0) return undefined
  const parts = failed
    .slice(0, shown)
    .map(({ requests, status }) => `${["", "0"].includes(status) ? "no response" : status} (${number(requests)})`)
  return [...parts, ...(failed.length > shown ? ["others"] : [])].join(", ")
}
