import { assert, describe, it } from "@effect/vitest"
import * as PollsAfterTerminal from "../../src/oracles/PollsAfterTerminal.ts"
import { play } from "./rows.ts"

const status = { operation: "v4.getRunStatus", resource: "a" } as const
const turn = { of: "turn", id: "a", sessionId: "s" } as const

/** A run that is over. */
const over = () => {
  const rows = play(PollsAfterTerminal.make())
  rows.move({ of: "session", id: "s", to: "active" })
  rows.move({ ...turn, to: "queued" })
  rows.request(status)
  rows.move({ ...turn, from: "running", to: "completed" })
  return rows
}

describe("PollsAfterTerminal", () => {
  it("reports each status read after a terminal status was returned", () => {
    const rows = over()
    const told = rows.request(status)
    const again = rows.request(status)
    const oncemore = rows.request(status)
    assert.deepStrictEqual(rows.verdict().findings, [
      {
        resource: "a",
        sentence: "v4.getRunStatus polled a after its caller had read a terminal status, 2 times.",
        seqs: [told, again, oncemore]
      }
    ])
    assert.strictEqual(rows.verdict().count, 2)
  })

  it("accepts one poll that returns the terminal status, and the read of the result", () => {
    const rows = over()
    rows.request(status)
    rows.request({ operation: "v4.getRun", resource: "a" })
    rows.request({ operation: "v4.getRun", resource: "a" })
    assert.isTrue(rows.verdict().holds)
  })

  it("counts a read of the run itself as well", () => {
    const rows = over()
    rows.request({ operation: "v4.getRun", resource: "a" })
    rows.request(status)
    assert.strictEqual(rows.verdict().count, 1)
  })

  it("reports a poll of a v2 task's status after its end, but not the read of the result", () => {
    const rows = over()
    const poll = { operation: "v2.getTaskStatus", resource: "a" } as const
    rows.request(poll)
    rows.request({ operation: "v2.getTask", resource: "a" })
    assert.isTrue(rows.verdict().holds)
    rows.request(poll)
    assert.strictEqual(rows.verdict().count, 1)
  })

  it("ignores callers that got no response, or asked before the end", () => {
    const rows = over()
    rows.request(status, false)
    rows.request({ ...status, status: 503 })
    rows.request({ ...status, after: 3 })
    rows.request(status)
    assert.isTrue(rows.verdict().holds)
  })

  it("accepts a poll that was in progress when the end was returned, and another caller's polls", () => {
    const rows = over()
    const told = rows.request(status)
    rows.request({ ...status, after: told - 1 })
    rows.request({ ...status, apiKey: "bbbbbbbb" })
    assert.isTrue(rows.verdict().holds)
  })

  it("considers a v3 session finished when its turns are, until there is a new one", () => {
    const read = { operation: "v3.getSession", resource: "s" } as const
    const rows = over()
    rows.request(read)
    rows.move({ ...turn, id: "b", to: "queued" })
    rows.request(read)
    rows.request(read)
    rows.move({ ...turn, id: "b", from: "running", to: "completed" })
    rows.request(read)
    assert.isTrue(rows.verdict().holds)
    rows.request(read)
    assert.strictEqual(rows.verdict().count, 1)
  })

  it("considers a v2 session finished when it is stopped", () => {
    const read = { operation: "v2.getSession", resource: "s" } as const
    const rows = over()
    rows.request(read)
    rows.request(read)
    rows.move({ of: "session", id: "s", from: "active", to: "stopped" })
    rows.request(read)
    assert.isTrue(rows.verdict().holds)
    rows.request(read)
    assert.strictEqual(rows.verdict().count, 1)
  })
})
