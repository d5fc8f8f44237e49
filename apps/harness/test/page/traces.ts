import * as Traces from "../../src/page/Traces.ts"
import { gzipSync } from "node:zlib"
import type { RunReport } from "@webagent/report/RunReport"
import type { Exchange, JournalRow, Span, Trace, Wait } from "@webagent/report/Trace"

const body = (value: unknown) => {
  const text = JSON.stringify(value)
  return { text, bytes: text.length, cut: false }
}

export const run = "7f0c11aa-3f5e-4d0c-9a3b-0d53f36a9ee1"
const address = "http://127.0.0.1:41873/api/v4"

/** A red JPEG of 16 by 8 pixels. */
const red =
  "/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgUFBcUFxsbGxsbGyAeICEhISAgICAhISEkJCQqKiokJCQhISQkKCgqKi4vLisrKisvLzIyMjw8OTlGRkhWVmf/xABMAAEBAAAAAAAAAAAAAAAAAAAABgEBAQAAAAAAAAAAAAAAAAAABgcQAQAAAAAAAAAAAAAAAAAAAAARAQAAAAAAAAAAAAAAAAAAAAD/wAARCAAIABADASIAAhEAAxEA/9oADAMBAAIRAxEAPwCLAFF/f//Z"

/** A trial with a create that is tried again, polls, a fetch, spans, and what the server wrote of it. */
export const traceOf = (of: { readonly suite: string; readonly scenario: string; readonly index: number }): Trace => {
  const json = { "content-type": "application/json" }
  const sent = { ...json, "x-service-api-key": "[redacted]", "user-agent": "webagent/0.1.0" }
  const exchange = (change: Partial<Exchange>): Exchange => ({
    at_ms: 0,
    duration_ms: 6,
    method: "GET",
    url: `${address}/runs/${run}/status`,
    operation: "v4.getRunStatus",
    resource: run,
    kind: "poll",
    attempt: 1,
    retried: null,
    status: 200,
    failure: null,
    requestId: "0d1f",
    spanId: null,
    headers_ms: 4,
    request: { headers: sent, body: null },
    response: { headers: json, body: body({ status: "running" }) },
    ...change
  })
  const create = {
    method: "POST",
    url: `${address}/runs`,
    operation: "v4.createRun",
    resource: null,
    kind: "call",
    request: { headers: sent, body: body({ task: "Buy the red mug on http://localhost:3000" }) }
  } as const
  const polls = [520, 780, 1110, 1500, 1960]
  const exchanges = [
    exchange({
      ...create,
      at_ms: 4,
      duration_ms: 60,
      status: 503,
      response: { headers: { ...json, "retry-after": "0" }, body: body({ detail: "The service is busy." }) }
    }),
    exchange({
      ...create,
      at_ms: 190,
      duration_ms: 22,
      attempt: 2,
      retried: "503",
      status: 201,
      response: { headers: json, body: body({ id: run, status: "queued", sessionId: "s-1", task: "Buy the red mug" }) }
    }),
    ...polls.map((at_ms) => exchange({ at_ms })),
    exchange({
      at_ms: 2040,
      duration_ms: 14,
      kind: "call",
      url: `${address}/runs/${run}`,
      operation: "v4.getRun",
      response: { headers: json, body: body({ id: run, status: "completed", result: "done", cost: "0.0132" }) }
    })
  ]
  const pictures = [1, 2].map((number) => ({
    runId: run,
    number,
    summary: number === 1 ? 'navigate "http://localhost:3000"' : 'click button "Add the red mug to the basket"',
    jpeg: red
  }))
  const wait = (at_ms: number, duration_ms: number, change: Partial<Wait> = {}): Wait => ({
    at_ms,
    duration_ms,
    kind: "poll",
    operation: "v4.getRunStatus",
    resource: run,
    reason: null,
    ...change
  })
  const span = (
    id: number,
    name: string,
    at_ms: number,
    duration_ms: number,
    parentId: number | null,
    ok = true
  ): Span => ({
    id,
    name,
    at_ms,
    duration_ms,
    parentId,
    attributes: { "run.id": run },
    ok,
    ended: true
  })
  const stamp = (seq: number, at_ms: number) => ({
    seq,
    at_ms: 1_763_690_407_123 + at_ms,
    realAt_ms: 1_763_690_407_123 + at_ms
  })
  const move = (seq: number, at_ms: number, from: string | null, to: string): JournalRow => ({
    at_ms,
    row: { type: "move", ...stamp(seq, at_ms), of: "turn", id: run, sessionId: "s-1", from, to }
  })
  const seen = (seq: number, at_ms: number, duration_ms: number, status: number): JournalRow => ({
    at_ms,
    row: {
      type: "request",
      ...stamp(seq, at_ms),
      operation: "v4.getRunStatus",
      resource: run,
      create: null,
      attempt: 1,
      after: seq - 1,
      method: "GET",
      path: `/api/v4/runs/${run}/status`,
      apiKey: "5f2e00aa",
      idempotencyKey: null,
      userAgent: "webagent/0.1.0",
      status,
      retryAfter_ms: null,
      answered: "whole",
      made: null,
      fault: status === 503 ? "busy" : null,
      duration_ms
    }
  })
  return {
    format: 1,
    ...of,
    seed: 881_200 + of.index,
    startedAt: "2026-11-21T02:00:09.000Z",
    duration_ms: 2_070,
    exchanges,
    spans: [
      span(1, "v4.Runs.createAndWait", 2, 2_056, null),
      span(2, "v4.Runs.create", 3, 210, 1),
      span(3, "v4.RunWaiter.untilTerminal", 215, 1_755, 1)
    ],
    waits: [
      wait(66, 122, { kind: "retry", operation: "v4.createRun", resource: null, reason: "503" }),
      wait(214, 304),
      ...polls.slice(1).map((at_ms, index) => wait((polls[index] ?? 0) + 7, at_ms - (polls[index] ?? 0) - 8))
    ],
    journal: [
      {
        at_ms: 5,
        row: {
          type: "fault",
          ...stamp(1, 5),
          operation: "v4.createRun",
          resource: null,
          create: "c",
          attempt: 1,
          rule: "busy",
          kind: "status",
          placement: "before-apply"
        }
      },
      seen(2, 6, 52, 503),
      seen(3, 192, 16, 201),
      move(4, 200, null, "queued"),
      move(5, 330, "queued", "dispatching"),
      move(6, 420, "dispatching", "running"),
      ...polls.map((at_ms, index) => seen(7 + index, at_ms + 1, 3, 200)),
      move(20, 1_940, "running", "completed")
    ],
    pictures,
    dropped: { exchanges: 0, spans: 0, journal: 0 }
  }
}

/** The traces that the page of a report wants. */
export const tracesOf = (report: RunReport): ReadonlyArray<readonly [file: string, packed: string]> => {
  const trials = new Map(
    report.results.flatMap((result) =>
      result.trials.flatMap(({ index, trace }) =>
        trace === undefined ? [] : [[trace, { suite: result.suite, scenario: result.name, index }] as const]
      )
    )
  )
  return Traces.wanted(report).flatMap((file) => {
    const trial = trials.get(file)
    return trial === undefined ? [] : [[file, gzipSync(JSON.stringify(traceOf(trial))).toString("base64")] as const]
  })
}
