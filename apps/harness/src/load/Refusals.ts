import * as Schema from "effect/Schema"
import type { Points } from "./Points.ts"

/** How many requests failed with each status, the commonest first; "0" is no answer. */
export const Refusals = Schema.Array(Schema.Struct({ status: Schema.String, requests: Schema.Number }))
export type Refusals = typeof Refusals.Type

/** With what the requests failed that did. */
export const of = (points: Points): Refusals => {
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

/** What was answered to requests that failed: `503 (20), no answer (2)`; undefined when none did. */
export const text = (refusals: Refusals): string | undefined => {
  if (refusals.length === 0) return undefined
  const parts = refusals
    .slice(0, shown)
    .map(
      ({ requests, status }) =>
        `${["", "0"].includes(status) ? "no answer" : status} (${requests.toLocaleString("en-US")})`
    )
  return [...parts, ...(refusals.length > shown ? ["others"] : [])].join(", ")
}
