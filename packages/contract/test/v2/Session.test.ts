import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { SessionView } from "../../src/v2/Session.ts"
import { isTerminalTaskStatus, TaskItemView } from "../../src/v2/Task.ts"

const id = "0198a1f0-0000-7000-8000-000000000000"
const session = { id, status: "active", startedAt: "2026-05-01T12:00:00Z", tasks: [] }
const task = { id, sessionId: id, llm: "m", task: "t", status: "created", createdAt: "2026-05-01T12:00:00" }

const decodeSession = Schema.decodeUnknownExit(SessionView)
const decodeTask = Schema.decodeUnknownExit(TaskItemView)

const without = (record: object, key: string) => Object.fromEntries(Object.entries(record).filter(([k]) => k !== key))

describe("SessionView", () => {
  it("fills optional fields with the described default, or null", () => {
    assert.deepStrictEqual<unknown>(
      decodeSession(session),
      Exit.succeed({
        ...session,
        tasks: [],
        liveUrl: null,
        recordingUrl: null,
        finishedAt: null,
        publicShareUrl: null,
        persistMemory: true,
        keepAlive: true,
        proxyUsedMb: "0",
        proxyCost: "0"
      })
    )
  })

  for (const field of Object.keys(session)) {
    it(`requires ${field}`, () => assert.isTrue(Exit.isFailure(decodeSession(without(session, field)))))
  }

  it("keeps unknown fields and statuses", () => {
    const decoded = decodeSession({ ...session, status: "paused", surprise: [1] })
    assert.isTrue(Exit.isSuccess(decoded))
    if (Exit.isSuccess(decoded)) assert.deepInclude<object>(decoded.value, { status: "paused", surprise: [1] })
  })

  it("decodes a nullable field of another type as null, so that it doesn't hide the rest", () => {
    const decoded = decodeSession({ ...session, liveUrl: 5, finishedAt: "noon" })
    assert.isTrue(Exit.isSuccess(decoded))
    if (Exit.isSuccess(decoded)) assert.deepInclude(decoded.value, { liveUrl: null, finishedAt: null })
  })

  it("refuses wrong types, ids that aren't UUIDs and decimals that are numbers", () => {
    for (const wrong of [
      { id: "7" },
      { status: 1 },
      { startedAt: "noon" },
      { tasks: {} },
      { keepAlive: "yes" },
      { proxyCost: 0 },
      { proxyUsedMb: "1e3" },
      { persistMemory: null }
    ])
      assert.isTrue(Exit.isFailure(decodeSession({ ...session, ...wrong })), JSON.stringify(wrong))
  })

  it.effect.prop(
    "survives a round trip through the wire format",
    [SessionView],
    ([view]) =>
      Effect.gen(function* () {
        const wire = Schema.fromJsonString(Schema.toCodecJson(SessionView))
        const back = yield* Schema.decodeUnknownEffect(wire)(yield* Schema.encodeEffect(wire)(view))
        assert.deepStrictEqual(JSON.parse(JSON.stringify(back)), JSON.parse(JSON.stringify(view)))
      }),
    { arbitrary: { seed: 1 } }
  )
})

describe("TaskItemView", () => {
  it("fills optional fields with the described default, or null", () => {
    assert.deepStrictEqual<unknown>(
      decodeTask(task),
      Exit.succeed({
        ...task,
        startedAt: null,
        finishedAt: null,
        metadata: {},
        output: null,
        serviceVersion: null,
        isSuccess: null,
        judgement: null,
        judgeVerdict: null,
        cost: null,
        suggestions: null
      })
    )
  })

  for (const field of Object.keys(task)) {
    it(`requires ${field}`, () => assert.isTrue(Exit.isFailure(decodeTask(without(task, field)))))
  }

  it("refuses wrong types", () => {
    for (const wrong of [{ metadata: [] }, { metadata: null }, { sessionId: "s" }])
      assert.isTrue(Exit.isFailure(decodeTask({ ...task, ...wrong })), JSON.stringify(wrong))
  })

  it("decodes a nullable field of another type as null", () => {
    for (const other of [{ cost: 1 }, { suggestions: [1] }, { isSuccess: "true" }, { judgement: { verdict: true } }]) {
      const [name = ""] = Object.keys(other)
      const decoded = decodeTask({ ...task, ...other })
      assert.isTrue(Exit.isSuccess(decoded), name)
      if (Exit.isSuccess(decoded)) assert.deepInclude(decoded.value, { [name]: null })
    }
  })

  it("is terminal if finished, failed or stopped, but not with an unknown status", () => {
    assert.deepStrictEqual(
      ["created", "started", "finished", "failed", "stopped", "paused"].filter(isTerminalTaskStatus),
      ["finished", "failed", "stopped"]
    )
  })
})
