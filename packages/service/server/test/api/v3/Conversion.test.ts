import { Session } from "@webagent/contract/v3"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Conversion from "../../../src/api/v3/Conversion.ts"
import { Session as DomainSession, type Turn } from "@webagent/engine"
import { links, seenLinks, session, turn } from "../records.ts"

const ended = (status: "completed" | "failed" | "cancelled", finishedAt_ms: number): Turn.Turn => ({
  ...turn,
  status,
  startedAt_ms: 1,
  finishedAt_ms,
  output: status === "completed" ? `result at ${finishedAt_ms}` : null
})

const shown = (turns: ReadonlyArray<Turn.Turn>, status: "active" | "stopped" = "active") => {
  const view = Conversion.fromDomain({ session: { ...session, status }, turns }, links())
  return [view.status, view.result]
}

/** A session that this server makes. The description does not name the type of a thinkingLevel. */
const AcceptedSession = Schema.Struct({ task: Schema.String, thinkingLevel: Schema.optionalKey(Schema.String) })

describe("v3 Conversion", () => {
  it("refuses a create with a thinkingLevel that isn't a string", () => {
    const error = Effect.runSync(Effect.flip(Conversion.toDomain({ task: "t", thinkingLevel: 3 })))
    assert.strictEqual(error.message, "body.thinkingLevel: Expected a string")
  })

  it("keeps every option of a task for a follow-up", () => {
    const options = { model: "m", maxCostUsd: "0.5", queueTimeout: 60, handOff: { timeout: 30 } }
    const {
      modelParams: _,
      task,
      thinkingLevel: __,
      ...first
    } = Effect.runSync(Conversion.toDomain({ task: "t", ...options }))
    assert.includeMembers(Object.keys(first), ["budget", "handOff", "model", "queueTimeout_ms"])
    assert.deepStrictEqual<unknown>(Effect.runSync(Conversion.followUpToDomain("s", { task: "t", ...options })), {
      sessionId: "s",
      text: task,
      interrupt: false,
      ...first
    })
  })

  it.prop(
    "returns each option of a create in the session",
    [AcceptedSession],
    ([body]) => {
      const request = Effect.runSync(Conversion.toDomain(body))
      const view = Conversion.fromDomain(
        {
          session: DomainSession.make({ id: session.id, thinkingLevel: request.thinkingLevel, createdAt_ms: 0 }),
          turns: [{ ...turn, task: request.task }]
        },
        links()
      )
      assert.strictEqual(view.task, body.task)
      assert.strictEqual(view.thinkingLevel, body.thinkingLevel ?? null)
      assert.deepStrictEqual(Schema.decodeUnknownSync(Session)(Schema.encodeSync(Session)(view)), view)
    },
    { arbitrary: { seed: 1 } }
  )

  it("has a status for every state of a session", () => {
    assert.deepStrictEqual(shown([turn]), ["created", null])
    assert.deepStrictEqual(shown([{ ...turn, status: "dispatching" }]), ["created", null])
    assert.deepStrictEqual(shown([{ ...turn, status: "running" }]), ["running", null])
    assert.deepStrictEqual(shown([ended("completed", 2)]), ["idle", "result at 2"])
    assert.deepStrictEqual(shown([ended("cancelled", 2)]), ["idle", null])
    assert.deepStrictEqual(shown([ended("failed", 2)]), ["error", null])
    assert.deepStrictEqual(shown([ended("completed", 2)], "stopped"), ["stopped", "result at 2"])
    assert.deepStrictEqual(shown([ended("failed", 2)], "stopped"), ["error", null])
  })

  it("has no result while a follow-up is waiting or running, and then the result of the last turn", () => {
    assert.deepStrictEqual(shown([ended("completed", 2), { ...turn, status: "running" }]), ["running", null])
    assert.deepStrictEqual(shown([ended("completed", 2), turn]), ["running", null])
    assert.deepStrictEqual(shown([ended("completed", 9), ended("completed", 5)]), ["idle", "result at 9"])
    assert.deepStrictEqual(shown([ended("completed", 2), ended("failed", 3)]), ["error", null])
    assert.deepStrictEqual(shown([ended("failed", 2), ended("completed", 3)]), ["idle", "result at 3"])
  })

  it("shows the total cost of all turns, or null while none is known", () => {
    const costOf = (...costs: ReadonlyArray<string | null>) =>
      Conversion.fromDomain({ session, turns: costs.map((cost) => ({ ...turn, cost })) }, links()).cost
    assert.deepStrictEqual([costOf(null), costOf("0.1", null, "0.2")], [null, "0.3"])
  })

  it("shows the agent's browser, and the link to take it over", () => {
    const of = (browserId: string | null) =>
      Conversion.fromDomain({ session: { ...session, browserId }, turns: [turn] }, seenLinks)
    assert.strictEqual(of("b").liveUrl, "see b")
    assert.propertyVal(of("b"), "controlUrl", "take over b")
    assert.include(of(null), { liveUrl: null })
    assert.notProperty(of(null), "controlUrl")
  })

  it("sets updatedAt to the latest change", () => {
    const view = Conversion.fromDomain(
      { session, turns: [ended("completed", 2000), { ...turn, createdAt_ms: 1500 }] },
      links()
    )
    assert.strictEqual(view.createdAt, "1970-01-01T00:00:00.000Z")
    assert.strictEqual(view.updatedAt, "1970-01-01T00:00:02.000Z")
  })
})
