import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Session from "../../src/domain/Session.ts"
import { session } from "./records.ts"

describe("Session", () => {
  it("starts active with the described defaults", () => {
    assert.deepStrictEqual(session, {
      id: session.id,
      owner: null,
      revision: 1,
      lease: null,
      turnCount: 0,
      idleSince_ms: null,
      browserId: null,
      status: "active",
      thinkingLevel: null,
      modelParams: null,
      keepAlive: true,
      persistMemory: true,
      recording: false,
      profileId: null,
      shared: false,
      proxyUsedMb: "0",
      proxyCost: "0",
      createdAt_ms: 0,
      finishedAt_ms: null
    })
  })

  it("active + Adjusted keeps omitted fields, and adds up proxy traffic and its price", () => {
    const once = Session.move(session, { _tag: "Adjusted", settings: { keepAlive: false }, proxyUsedMb: "12.5" }, 1)
    const twice = Result.flatMap(once, (moved) => Session.move(moved, { _tag: "Adjusted", proxyUsedMb: "0.25" }, 2))
    assert.deepStrictEqual(Result.getOrThrow(twice), {
      ...session,
      keepAlive: false,
      proxyUsedMb: "12.75",
      proxyCost: "0.102"
    })
  })

  it("a session's stop time is never before its creation, whatever the node's clock says", () => {
    const stopped = Result.getOrThrow(Session.move({ ...session, createdAt_ms: 5 }, { _tag: "Stopped" }, 3))
    assert.strictEqual(stopped.finishedAt_ms, 5)
  })

  it("active + Stopped -> stopped, with its time", () => {
    const stopped = Result.getOrThrow(Session.move(session, { _tag: "Stopped" }, 9))
    assert.deepStrictEqual(stopped, { ...session, status: "stopped", finishedAt_ms: 9 })
  })

  for (const event of ["Adjusted", "Stopped"] as const) {
    it(`stopped + ${event} is refused`, () => {
      const moved = Session.move({ ...session, status: "stopped", finishedAt_ms: 1 }, { _tag: event }, 2)
      assert.deepStrictEqual(moved, Result.fail({ _tag: "InvalidTransition", from: "stopped", event }))
    })
  }
})
