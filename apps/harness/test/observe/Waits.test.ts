import { assert, describe, it } from "@effect/vitest"
import { waitsOf } from "../../src/observe/Waits.ts"
import { exchangeOf } from "./fixture.ts"

const created = { body: { text: '{"id":"r-1"}', bytes: 12, cut: false }, headers: {} }

describe("waits", () => {
  it("are between a create and the first poll, between polls, and before retries", () => {
    const waits = waitsOf([
      exchangeOf({
        at_ms: 0,
        duration_ms: 10,
        kind: "call",
        operation: "v4.createRun",
        requestId: "c-0",
        response: created
      }),
      exchangeOf({ at_ms: 30, requestId: "c-1" }),
      // another run's poll is no pause of this run
      exchangeOf({ at_ms: 32, requestId: "c-9", resource: "r-9", url: "http://127.0.0.1/api/v4/runs/r-9/status" }),
      exchangeOf({ at_ms: 50, requestId: "c-2", status: 503 }),
      exchangeOf({ at_ms: 70, requestId: "c-2", attempt: 2, retried: "503" }),
      exchangeOf({ at_ms: 90, requestId: "c-3" })
    ])
    assert.deepStrictEqual(
      waits.map(({ at_ms, duration_ms, kind, reason, resource }) => [kind, resource, at_ms, duration_ms, reason]),
      [
        ["poll", "r-1", 10, 20, null],
        ["poll", "r-1", 35, 15, null],
        ["retry", "r-1", 55, 15, "503"],
        ["poll", "r-1", 75, 15, null]
      ]
    )
  })
})
