import { SessionView } from "@webagent/contract/v2"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Conversion from "../../../src/api/v2/Conversion.ts"
import { Turn } from "@webagent/engine"
import { links, seenLinks, session, turn } from "../records.ts"

const completed = {
  ...turn,
  status: "completed",
  output: "found",
  isSuccess: true,
  cost: "0.0132",
  startedAt_ms: 1,
  finishedAt_ms: 2
} as const

describe("v2 Conversion", () => {
  it("shows a session with exactly the described fields", () => {
    assert.deepStrictEqual(Conversion.fromDomain({ session, turns: [completed] }, links()), {
      id: session.id,
      status: "active",
      liveUrl: null,
      recordingUrl: null,
      startedAt: "1970-01-01T00:00:00.000Z",
      finishedAt: null,
      publicShareUrl: null,
      persistMemory: true,
      keepAlive: true,
      proxyUsedMb: "0",
      proxyCost: "0",
      tasks: [
        {
          id: turn.id,
          sessionId: session.id,
          llm: "simulated",
          task: "Find a red mug",
          status: "finished",
          createdAt: "1970-01-01T00:00:00.000000",
          startedAt: "1970-01-01T00:00:00.001000",
          finishedAt: "1970-01-01T00:00:00.002000",
          metadata: {},
          output: "found",
          serviceVersion: "simulated-1",
          isSuccess: true,
          judgement: null,
          judgeVerdict: null,
          cost: "0.0132",
          suggestions: null
        }
      ]
    })
  })

  it("has a status for every status of a turn", () => {
    assert.deepStrictEqual(
      Turn.turnStatuses.map((status) => Conversion.taskFromDomain({ ...turn, status }).status),
      ["created", "created", "started", "finished", "failed", "stopped"]
    )
  })

  it("shows a recording only if it was requested and the session is over", () => {
    const recordingOf = (recording: boolean, status: "active" | "stopped") =>
      Conversion.fromDomain({ session: { ...session, recording, status }, turns: [] }, links()).recordingUrl
    assert.strictEqual(recordingOf(true, "stopped"), links().to(`/recordings/${session.id}`))
    assert.deepStrictEqual([recordingOf(true, "active"), recordingOf(false, "stopped")], [null, null])
  })

  it("shows the agent's browser, its recording once it's over, and no link to take it over", () => {
    const of = (status: "active" | "stopped", browserId: string | null = "b") =>
      Conversion.fromDomain({ session: { ...session, status, browserId, recording: true }, turns: [] }, seenLinks)
    assert.include(of("active"), { liveUrl: "see b", recordingUrl: null })
    assert.include(of("stopped"), { liveUrl: null, recordingUrl: "watch b" })
    assert.include(of("active", null), { liveUrl: null })
    assert.include(of("stopped", null), { recordingUrl: links().to(`/recordings/${session.id}`) })
    assert.notProperty(of("active"), "controlUrl")
  })

  it("encodes non-text output and judgment as text, and puts an error in place of a missing output", () => {
    const judgement = { verdict: false, reasoning: "no mug", failureReason: "sold out", reachedCaptcha: true }
    const task = Conversion.taskFromDomain({ ...completed, output: { price: 9.5 }, judgement })
    assert.strictEqual(task.output, '{"price":9.5}')
    assert.strictEqual(task.judgeVerdict, false)
    assert.deepStrictEqual(JSON.parse(task.judgement ?? ""), {
      verdict: false,
      reasoning: "no mug",
      failure_reason: "sold out",
      reached_captcha: true
    })
    assert.strictEqual(Conversion.taskFromDomain({ ...turn, status: "failed", error: "no way" }).output, "no way")
  })

  it("survives a round trip through the wire format", () => {
    const view = Conversion.fromDomain({ session, turns: [turn, completed] }, links())
    const text = JSON.stringify(Schema.encodeSync(SessionView)(view))
    assert.deepStrictEqual(Schema.decodeUnknownSync(SessionView)(JSON.parse(text)), view)
  })
})
