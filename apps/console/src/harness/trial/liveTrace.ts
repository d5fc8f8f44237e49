import type { LiveExchange } from "@webagent/harness-api"
import { inFlight } from "@webagent/report/Lanes"
import type { ScenarioName } from "@webagent/report/Comparison"
import type { Exchange, Trace } from "@webagent/report/Trace"

const nothing = { headers: {}, body: null }

/** A request of a running trial as its trace will have it, without headers and bodies. */
const exchangeOf = (
  { at_ms, duration_ms, failure, method, path, status }: LiveExchange,
  start_ms: number,
  now_ms: number
): Exchange => ({
  at_ms: at_ms - start_ms,
  duration_ms: duration_ms ?? Math.max(0, now_ms - at_ms),
  method,
  url: path,
  operation: null,
  resource: path,
  // reads of the same thing are one row
  kind: method === "GET" ? "poll" : "call",
  attempt: 1,
  retried: null,
  status,
  failure: duration_ms === null ? inFlight : failure,
  requestId: null,
  headers_ms: null,
  spanId: null,
  request: nothing,
  response: null
})

/** The trace of a running trial up to now, as far as its requests tell it. */
export const liveTraceOf = (
  { name, suite }: ScenarioName,
  {
    index,
    requests,
    startedAt
  }: { readonly index: number; readonly requests: ReadonlyArray<LiveExchange>; readonly startedAt: string },
  now_ms: number
): Trace => {
  const start_ms = Date.parse(startedAt)
  return {
    format: 1,
    suite,
    scenario: name,
    index,
    seed: 0,
    startedAt,
    duration_ms: Math.max(1, now_ms - start_ms),
    exchanges: requests.map((one) => exchangeOf(one, start_ms, now_ms)),
    spans: [],
    waits: [],
    journal: [],
    dropped: { exchanges: 0, spans: 0, journal: 0 }
  }
}
