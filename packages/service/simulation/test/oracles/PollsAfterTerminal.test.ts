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
  it("a status read after a terminal status was told, counted each time", () => {
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

  it("one poll that tells the end, and the read of the result, are what is asked for", () => {
    const rows = over()
    rows.request(status)
    rows.request({ operation: "v4.getRun", resource: "a" })
    rows.request({ operation: "v4.getRun", resource: "a" })
    assert.isTrue(rows.verdict().holds)
  })

  it("the run itself tells the end too", () => {
    const rows = over()
    rows.request({ operation: "v4.getRun", resource: "a" })
    rows.request(status)
    assert.strictEqual(rows.verdict().count, 1)
  })

  it("a v2 task's status polled after its end is one, and the task read for its result is none", () => {
    const rows = over()
    const poll = { operation: "v2.getTaskStatus", resource: "a" } as const
    rows.request(poll)
    rows.request({ operation: "v2.getTask", resource: "a" })
    assert.isTrue(rows.verdict().holds)
    rows.request(poll)
    assert.strictEqual(rows.verdict().count, 1)
  })

  it("who did not get the answer, or asked before the end, does not know", () => {
    const rows = over()
    rows.request(status, false)
    rows.request({ ...status, status: 503 })
    rows.request({ ...status, after: 3 })
    rows.request(status)
    assert.isTrue(rows.verdict().holds)
  })

  it("a poll that was on its way when the end was told, and another caller's, are fine", () => {
    const rows = over()
    const told = rows.request(status)
    rows.request({ ...status, after: told - 1 })
    rows.request({ ...status, apiKey: "bbbbbbbb" })
    assert.isTrue(rows.verdict().holds)
  })

  it("a v3 session is over when its turns are, until there is a new one", () => {
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

  it("a v2 session is over when it is stopped", () => {
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
