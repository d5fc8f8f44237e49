import type { Exchange, Trace } from "@webagent/report/Trace"

export const exchangeOf = (part: Partial<Exchange>): Exchange => ({
  at_ms: 0,
  duration_ms: 5,
  method: "GET",
  url: "http://127.0.0.1:8080/api/v4/runs/r-1/status?a=1&b=%C3%A9",
  operation: "v4.getRunStatus",
  resource: "r-1",
  kind: "poll",
  attempt: 1,
  retried: null,
  status: 200,
  failure: null,
  requestId: "c-1",
  headers_ms: 3,
  spanId: null,
  request: { headers: { accept: "application/json", "x-service-api-key": "<key>" }, body: null },
  response: {
    headers: { "content-type": "application/json" },
    body: { text: '{"status":"running"}', bytes: 20, cut: false }
  },
  ...part
})

export const traceOf = (exchanges: ReadonlyArray<Exchange>): Trace => ({
  format: 1,
  suite: "checkout",
  scenario: "buys the red mug",
  index: 0,
  seed: 7,
  startedAt: "2026-11-21T09:12:44.250Z",
  duration_ms: 100,
  exchanges,
  spans: [],
  waits: [],
  journal: [],
  dropped: { exchanges: 0, spans: 0, journal: 0 }
})
