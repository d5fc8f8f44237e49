import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { isTerminalSessionStatus, Session, SessionCreate } from "../../src/v3/Session.ts"

describe("Session", () => {
  it("requires only an id, and keeps other fields unchanged", () => {
    const decode = Schema.decodeUnknownExit(Session)
    assert.deepStrictEqual(decode({ id: "s-1" }), Exit.succeed({ id: "s-1" }))
    const odd = { id: "s-1", status: "brewing", result: { a: [null] }, extra: 1 }
    assert.deepStrictEqual<unknown>(decode(odd), Exit.succeed(odd))
    const other = { status: 3, task: null, thinkingLevel: 1, liveUrl: {}, createdAt: 0, updatedAt: null }
    assert.deepStrictEqual(decode({ id: "s-1", ...other, result: 1 }), Exit.succeed({ id: "s-1", result: 1 }))
    for (const wrong of [{}, { id: "" }, { id: 4 }, [], null]) assert.isTrue(Exit.isFailure(decode(wrong)))
  })

  it("is over when idle, stopped, timed out or in error, but not with an unknown status", () => {
    assert.deepStrictEqual(
      ["created", "running", "idle", "stopped", "timed_out", "error", "brewing"].filter(isTerminalSessionStatus),
      ["idle", "stopped", "timed_out", "error"]
    )
  })
})

describe("SessionCreate", () => {
  it("requires a task, accepts a thinkingLevel, and passes on fields that aren't described", () => {
    const decode = Schema.decodeUnknownExit(SessionCreate)
    for (const thinkingLevel of ["high", 3, { budget: 9 }, null]) {
      const body = { task: "t", thinkingLevel, keepAlive: false }
      assert.deepStrictEqual(decode(body), Exit.succeed(body))
    }
    for (const wrong of [{}, { task: 1 }, { task: null }]) {
      assert.isTrue(Exit.isFailure(decode(wrong)), JSON.stringify(wrong))
    }
  })
})
