import { assert, describe, it } from "@effect/vitest"
import { PollSchedule } from "@webagent/polling"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Trace } from "@webagent/report/Trace"
import { apiKey, targetOf, trialOf } from "./watched.ts"

describe("the observation of a trial", () => {
  it.live("has each attempt with its retry's reason, polls and waits, and the calls that contain them", () =>
    Effect.gen(function* () {
      const target = yield* targetOf({
        faults: [{ fault: { kind: "status", status: 503 }, when: { operations: ["v4.getRun"], nth: [2] } }]
      })
      const { log, trace } = yield* trialOf(target, ({ v4 }) =>
        v4.runs.createAndWait({ task: "Buy a mug [simulate duration=40ms cost=0.02]" }).pipe(
          Effect.provideService(PollSchedule.Current, PollSchedule.every("10 millis")),
          // the wait has read the run once
          Effect.flatMap(({ id }) => v4.runs.get(id))
        )
      )
      const operations = trace.exchanges.map(({ attempt, kind, operation, retried, status }) => [
        operation,
        kind,
        attempt,
        retried,
        status
      ])
      assert.deepStrictEqual(operations[0], ["v4.createRun", "call", 1, null, 201])
      assert.deepStrictEqual(operations[1], ["v4.getRunStatus", "poll", 1, null, 200])
      assert.deepStrictEqual(operations.slice(-2), [
        ["v4.getRun", "call", 1, null, 503],
        ["v4.getRun", "call", 2, "503", 200]
      ])
      const polls = trace.exchanges.filter(({ kind }) => kind === "poll").length
      // before each poll, the first too, and before the retry
      assert.deepStrictEqual(
        trace.waits.map(({ kind, reason }) => [kind, reason]),
        [...Array.from({ length: polls }, () => ["poll", null]), ["retry", "503"]]
      )
      const [call] = trace.spans
      assert.deepStrictEqual([call?.name, call?.parentId, call?.ok], ["v4.Runs.createAndWait", null, true])
      assert.isTrue(trace.exchanges.every(({ spanId }) => spanId !== null))
      // only a server whose journal is read is told which trial asks
      for (const { request } of trace.exchanges)
        assert.match(request.headers["user-agent"] ?? "", /^webagent\/[\d.]+$/u)
      for (const { at_ms, duration_ms, headers_ms } of trace.exchanges) {
        assert.isTrue(at_ms >= 0 && at_ms + duration_ms <= trace.duration_ms && (headers_ms ?? -1) <= duration_ms)
      }
      assert.deepStrictEqual(Schema.decodeUnknownSync(Trace)(JSON.parse(JSON.stringify(trace))), trace)
      const [run] = log.made.keys()
      assert.deepStrictEqual([...log.results], [run])
      assert.deepStrictEqual([...log.costs], [[run, "0.02"]])
      assert.strictEqual(log.lastStatus, "completed")
    })
  )

  it.live("has no key, in any encoding, and only the beginning of a long body", () =>
    Effect.gen(function* () {
      const target = yield* targetOf()
      const { trace } = yield* trialOf(target, ({ request }) =>
        Effect.all([
          request("v4", { method: "POST", path: "/runs", body: { task: "x".repeat(40_000) + apiKey } }),
          request("v4", { method: "GET", path: `/runs/${encodeURIComponent(apiKey)}`, apiKey: "another" }),
          request("v4", { method: "POST", path: "/runs", body: { task: `${"x".repeat(16_370)}${apiKey}` } })
        ])
      )
      const text = JSON.stringify(trace)
      assert.notInclude(text, "canary")
      assert.notInclude(text, "another")
      const [long] = trace.exchanges
      assert.strictEqual(long?.request.body?.text.length, 16_384)
      assert.deepStrictEqual([long?.request.body?.cut, long?.request.body?.bytes], [true, 40_011 + apiKey.length])
      assert.strictEqual(long?.request.headers["x-service-api-key"], "<key>")
      assert.strictEqual(trace.exchanges[1]?.url, `${target.info.baseUrls.v4}/runs/<key>`)
    })
  )

  it.live("records why there was no response, and that its caller had left", () =>
    Effect.gen(function* () {
      const target = yield* targetOf({
        faults: [
          { fault: { kind: "reset", placement: "before-apply" }, when: { operations: ["v4.createBrowser"] } },
          { fault: { kind: "hang" }, when: { operations: ["v4.getRun"] } },
          { fault: { kind: "cut-body", end: "reset" }, when: { operations: ["v4.createRun"] } }
        ]
      })
      const { log, trace } = yield* trialOf(target, ({ request }) =>
        Effect.all([
          Effect.exit(request("v4", { method: "POST", path: "/browsers", body: {} })),
          Effect.timeoutOption(request("v4", { method: "GET", path: "/runs/1" }), "50 millis"),
          Effect.exit(request("v4", { method: "POST", path: "/runs", body: { task: "Say hello" } }))
        ])
      )
      const [reset, hung, cut] = trace.exchanges
      assert.match(reset?.failure ?? "", /^(?:ECONNRESET|UND_ERR_SOCKET)$/u)
      assert.deepStrictEqual([reset?.status, reset?.response], [null, null])
      assert.strictEqual(hung?.failure, "given up")
      assert.isAtLeast(hung?.duration_ms ?? 0, 45)
      assert.deepStrictEqual([cut?.status, cut?.response?.body], [201, null])
      assert.isString(cut?.failure)
      assert.strictEqual(log.made.size, 0)
    })
  )

  it.live("records the agent's and the judge's verdict, and that the whole session was read", () =>
    Effect.gen(function* () {
      const target = yield* targetOf()
      const { log, trace } = yield* trialOf(target, ({ simulate, v2, v3 }) =>
        Effect.gen(function* () {
          const task = simulate("Buy a mug", {
            outcome: "completed",
            duration: "40ms",
            success: true,
            judge: false,
            cost: "0.5"
          })
          const { id } = yield* v3.sessions.createAndWait({ task })
          yield* v3.sessions.get(id)
          return yield* v2.sessions.get(id)
        }).pipe(Effect.provideService(PollSchedule.Current, PollSchedule.every("5 millis")))
      )
      const [session] = log.made.keys()
      assert.deepStrictEqual([log.agent, log.judge], [true, false])
      assert.isTrue(log.results.has(session ?? ""))
      assert.deepStrictEqual([...log.costs.values()], ["0.5"])
      assert.deepStrictEqual(
        trace.exchanges.filter(({ operation }) => operation === "v3.getSession").map(({ kind }) => kind)[0],
        "poll"
      )
    })
  )

  it.live("records the agent's verdict in a v3 session", () =>
    Effect.gen(function* () {
      const target = yield* targetOf()
      const { log } = yield* trialOf(target, ({ simulate, v3 }) =>
        v3.sessions
          .createAndWait({ task: simulate("Buy a mug", { outcome: "completed", duration: "40ms", success: true }) })
          .pipe(Effect.provideService(PollSchedule.Current, PollSchedule.every("5 millis")))
      )
      assert.isTrue(log.agent)
    })
  )
})
