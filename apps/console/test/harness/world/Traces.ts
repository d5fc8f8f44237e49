import type { Trace } from "@webagent/report/Trace"
import { hostile } from "../../server/World.ts"
import { nameOf, newest_ms } from "./Facts.ts"

/** A JPEG of one pixel. */
const pixel =
  "/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AKp//2Q=="

/** A trace with a create that is tried again, polls, spans and what the server saw. */
export const traceOf = (number: number): Trace => {
  const address = "https://agents.example.com/api/v4"
  const headers = { "content-type": "application/json" }
  const body = (value: unknown) => {
    const text = JSON.stringify(value)
    return { text, bytes: text.length, cut: false }
  }
  const exchange = (change: Partial<Trace["exchanges"][number]>): Trace["exchanges"][number] => ({
    at_ms: 0,
    duration_ms: 22,
    method: "GET",
    url: `${address}/runs/7f0c11aa-3f5e-4d0c-9a3b-0d53f36a9ee1/status`,
    operation: "v4.getRunStatus",
    resource: "7f0c11aa",
    kind: "poll",
    attempt: 1,
    retried: null,
    status: 200,
    failure: null,
    requestId: "0d1f",
    spanId: null,
    headers_ms: 9,
    request: { headers, body: null },
    response: { headers, body: body({ status: "running", title: hostile[0] }) },
    ...change
  })
  const create = {
    method: "POST",
    url: `${address}/runs`,
    operation: "v4.createRun",
    resource: null,
    kind: "call"
  } as const
  return {
    format: 1,
    suite: nameOf(2).suite,
    scenario: nameOf(2).name,
    index: number % 10,
    seed: 1000,
    startedAt: new Date(newest_ms).toISOString(),
    duration_ms: 1600,
    exchanges: [
      exchange({
        ...create,
        at_ms: 4,
        duration_ms: 60,
        status: 503,
        response: { headers, body: body({ detail: "busy" }) }
      }),
      exchange({ ...create, at_ms: 190, attempt: 2, retried: "503", status: 201 }),
      ...[400, 700, 1000, 1300].map((at_ms) => exchange({ at_ms })),
      exchange({
        at_ms: 1500,
        kind: "call",
        url: `${address}/runs/7f0c11aa`,
        operation: "v4.getRun",
        status: 500,
        failure: null
      })
    ],
    spans: [
      {
        at_ms: 2,
        duration_ms: 1560,
        name: "v4.Runs.createAndWait",
        id: 1,
        parentId: null,
        attributes: {},
        ok: false,
        ended: true
      },
      { at_ms: 4, duration_ms: 210, name: "v4.Runs.create", id: 2, parentId: 1, attributes: {}, ok: true, ended: true }
    ],
    waits: [{ at_ms: 64, duration_ms: 126, kind: "retry", operation: "v4.createRun", resource: null, reason: "503" }],
    journal: [],
    pictures: [{ runId: "7f0c11aa", number: 2, summary: hostile[2], jpeg: pixel }],
    dropped: { exchanges: 0, spans: 0, journal: 0 }
  }
}
