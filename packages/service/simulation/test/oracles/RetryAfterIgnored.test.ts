import { assert, describe, it } from "@effect/vitest"
import * as RetryAfterIgnored from "../../src/oracles/RetryAfterIgnored.ts"
import { play } from "./rows.ts"

const status = { operation: "v4.getRunStatus", resource: "a" } as const
const busy = { status: 429, retryAfter_ms: 2000 } as const
const began = () => play(RetryAfterIgnored.make())

describe("RetryAfterIgnored", () => {
  it("reports a request before the requested time has passed, counted from the end of the response", () => {
    const rows = began()
    const first = rows.request({ ...status, ...busy, duration_ms: 500 })
    rows.wait(1500)
    const second = rows.request(status)
    assert.deepStrictEqual(rows.verdict().findings, [
      {
        resource: "a",
        sentence: "v4.getRunStatus came 1 s before the Retry-After of a 429 ended.",
        seqs: [first, second]
      }
    ])
  })

  it("accepts one that waited, even if it must wait again", () => {
    const rows = began()
    rows.request({ ...status, ...busy })
    rows.wait(2000)
    rows.request({ ...status, ...busy })
    rows.wait(2000)
    rows.request(status)
    rows.request(status)
    assert.isTrue(rows.verdict().holds)
  })

  it("ignores other creates, operations, resources and callers", () => {
    const rows = began()
    rows.request({ operation: "v4.createRun", create: "one", ...busy })
    rows.request(status)
    rows.request({ operation: "v4.createRun", create: "one", apiKey: "bbbbbbbb" })
    rows.request({ operation: "v4.createRun", create: "two" })
    assert.isTrue(rows.verdict().holds)
    rows.request({ operation: "v4.createRun", create: "one" })
    assert.strictEqual(rows.verdict().count, 1)
  })

  it("ignores callers that got no response, or asked before it came", () => {
    const rows = began()
    rows.request({ ...status, ...busy, answered: "none" })
    const told = rows.request({ ...status, ...busy })
    rows.request({ ...status, after: told - 1 })
    assert.isTrue(rows.verdict().holds)
  })
})
