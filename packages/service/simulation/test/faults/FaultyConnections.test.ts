import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { createServer } from "node:net"
import { Server } from "@webagent/server"
import { ask, dial, dialTo, parse, request } from "../wire.ts"
import { create, withFaults, rows, evidence, upgraded, bodyOf, sent, onCreate, again } from "./faulty.ts"

describe("faults that delay, drop or refuse connections", () => {
  onCreate("reset: resets the connection before any effect or response", { kind: "reset" }, function* () {
    const { received, wire } = yield* create
    assert.strictEqual(received, "")
    assert.strictEqual(yield* wire.ended, "ECONNRESET")
    const { row, runs } = yield* evidence
    assert.strictEqual(runs, 0)
    assert.deepInclude(row, { status: null, answered: "none", made: null })
    const [fault] = yield* rows("fault")
    assert.deepInclude(fault, { rule: "f", kind: "reset", placement: "before-apply", attempt: 1 })
    assert.isBelow(fault?.seq ?? Number.NaN, row?.seq ?? Number.NaN)
  })

  onCreate(
    "reset after apply: creates the run, loses the response, and records the id in the journal",
    { kind: "reset", placement: "after-apply" },
    function* () {
      const { received, wire } = yield* create
      assert.strictEqual(received, "")
      assert.strictEqual(yield* wire.ended, "ECONNRESET")
      const { row, runs } = yield* evidence
      assert.strictEqual(runs, 1)
      assert.deepInclude(row, { status: null, answered: "none" })
      const { answer } = yield* ask("GET", `/api/v4/runs/${row?.made}/status`)
      assert.strictEqual(answer?.status, 200)
    }
  )

  onCreate(
    "reset in mid-body: announces the whole length, sends half, then resets",
    { kind: "reset", placement: "mid-body" },
    function* () {
      const { answer, wire } = yield* create
      assert.strictEqual(yield* wire.ended, "ECONNRESET")
      assert.strictEqual(answer?.status, 201)
      assert.strictEqual(answer?.body.length, Math.floor(Number(answer?.headers["content-length"]) / 2))
      const { row, runs } = yield* evidence
      assert.strictEqual(runs, 1)
      assert.deepInclude(row, { status: 201, answered: "part" })
    }
  )

  onCreate("hang: sends nothing until the caller leaves, and keeps no state", { kind: "hang" }, function* () {
    const wire = yield* sent
    while ((yield* rows("fault")).length === 0) yield* Effect.yieldNow
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(wire.received(), "")
    wire.leave()
    while ((yield* rows("request")).length === 0) yield* Effect.yieldNow
    const { row, runs } = yield* evidence
    assert.strictEqual(runs, 0)
    assert.deepInclude(row, { status: null, answered: "left", duration_ms: 3_600_000 })
  })

  onCreate(
    "hang: closes the connection after the given time",
    { kind: "hang", for: Duration.seconds(30), placement: "after-apply" },
    function* () {
      const wire = yield* sent
      while ((yield* rows("move")).length === 0) yield* Effect.yieldNow
      const ended = yield* Effect.forkChild(wire.ended)
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(ended.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(ended), "FIN")
      assert.strictEqual(wire.received(), "")
      const { row, runs } = yield* evidence
      assert.strictEqual(runs, 1)
      assert.deepInclude(row, { status: null, answered: "none", duration_ms: 30_000 })
    }
  )

  onCreate(
    "hang in mid-body: sends half the body, waits, then closes",
    { kind: "hang", for: Duration.seconds(30), placement: "mid-body" },
    function* () {
      const wire = yield* sent
      const received = yield* wire.until((text) => {
        const answer = parse(text)
        return answer !== undefined && answer.body.length >= Math.floor(Number(answer.headers["content-length"]) / 2)
      })
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* wire.ended, "FIN")
      assert.strictEqual(wire.received(), received)
      assert.deepInclude((yield* evidence).row, { status: 201, answered: "part" })
    }
  )

  onCreate(
    "slow headers: sends everything after the given time",
    { kind: "slow-headers", for: Duration.seconds(5) },
    function* () {
      const wire = yield* sent
      while ((yield* rows("move")).length === 0) yield* Effect.yieldNow
      yield* TestClock.adjust("4999 millis")
      assert.strictEqual(wire.received(), "")
      yield* TestClock.adjust("1 millis")
      const answer = parse(yield* wire.until((text) => parse(text)?.isWhole === true))
      assert.strictEqual(answer?.status, 201)
      assert.deepInclude((yield* evidence).row, { status: 201, answered: "whole", duration_ms: 5000 })
    }
  )

  onCreate(
    "slow headers before apply: has no effect until the given time",
    { kind: "slow-headers", for: Duration.seconds(5), placement: "before-apply" },
    function* () {
      const wire = yield* sent
      while ((yield* rows("fault")).length === 0) yield* Effect.yieldNow
      yield* TestClock.adjust("4999 millis")
      assert.strictEqual((yield* evidence).runs, 0)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(parse(yield* wire.until((text) => parse(text)?.isWhole === true))?.status, 201)
    }
  )

  onCreate(
    "slow body: sends the headers immediately and the body in 20 pieces, and keeps the connection",
    { kind: "slow-body", for: Duration.seconds(20) },
    function* () {
      const wire = yield* sent
      const head = parse(yield* wire.until((text) => parse(text) !== undefined))
      assert.strictEqual(head?.body, "")
      const length = Number(head?.headers["content-length"])
      for (const second of Array.from({ length: 20 }, (_, index) => index + 1)) {
        yield* TestClock.adjust("1 second")
        const expected = Math.round((second * length) / 20)
        const answer = parse(yield* wire.until((text) => (parse(text)?.body.length ?? 0) >= expected))
        assert.strictEqual(answer?.body.length, expected)
      }
      const answer = parse(wire.received())
      assert.isTrue(answer?.isWhole)
      const { id } = bodyOf(answer) as { readonly id: string }
      assert.deepInclude((yield* evidence).row, { status: 201, answered: "whole", made: id, duration_ms: 20_000 })
      const before = wire.received().length
      wire.send(request("GET", `/api/v4/runs/${id}/status`))
      const next = yield* wire.until((text) => parse(text.slice(before))?.isWhole === true)
      assert.strictEqual(parse(next.slice(before))?.status, 200)
    }
  )

  onCreate("cut body: announces the whole length, sends half, then closes", { kind: "cut-body" }, function* () {
    const { answer, wire } = yield* create
    assert.strictEqual(yield* wire.ended, "FIN")
    assert.strictEqual(answer?.body.length, Math.floor(Number(answer?.headers["content-length"]) / 2))
    assert.deepInclude((yield* evidence).row, { status: 201, answered: "part" })
  })

  onCreate(
    "cut body: sends any share, and resets on request",
    { kind: "cut-body", share: 0.9, end: "reset" },
    function* () {
      const { answer, wire } = yield* create
      assert.strictEqual(yield* wire.ended, "ECONNRESET")
      assert.strictEqual(answer?.body.length, Math.floor(Number(answer?.headers["content-length"]) * 0.9))
    }
  )

  onCreate(
    "refused connections: drops and refuses them for the given time, then accepts them on the same port",
    { kind: "refuse-connections", for: Duration.seconds(30) },
    function* () {
      const idle = yield* ask("GET", "/health")
      const { received, wire } = yield* create
      assert.strictEqual(received, "")
      assert.strictEqual(yield* wire.ended, "ECONNRESET")
      assert.strictEqual(yield* idle.wire.ended, "ECONNRESET")
      assert.strictEqual(yield* (yield* dial).ended, "ECONNREFUSED")
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(yield* (yield* dial).ended, "ECONNREFUSED")
      yield* TestClock.adjust("1 second")
      const { answer } = yield* again
      assert.strictEqual(answer?.status, 201)
      const { row, runs } = yield* evidence
      assert.deepInclude(row, { status: null, answered: "none" })
      assert.strictEqual(runs, 1)
    }
  )

  onCreate(
    "refused connections after apply: creates the run",
    { kind: "refuse-connections", for: Duration.seconds(30), placement: "after-apply" },
    function* () {
      const { wire } = yield* create
      assert.strictEqual(yield* wire.ended, "ECONNRESET")
      assert.strictEqual((yield* evidence).runs, 1)
    }
  )

  onCreate(
    "refused connections: retakes a port from another process when it is free",
    { kind: "refuse-connections", for: Duration.seconds(30) },
    function* () {
      const { wire } = yield* create
      yield* wire.ended
      const port = Number(new URL((yield* Server).address).port)
      const squatter = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer((socket) => socket.end("not the service"))
          server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      yield* TestClock.adjust("30 seconds")
      const taken = yield* dialTo("127.0.0.1", port)
      assert.strictEqual(yield* taken.until((text) => text !== ""), "not the service")
      squatter.close()
      const { answer } = yield* again
      assert.strictEqual(answer?.status, 201)
    }
  )

  it.effect("count a connection that becomes a WebSocket as one request, which ends with it", () =>
    withFaults(
      [],
      Effect.gen(function* () {
        const { answer } = yield* ask("POST", "/api/v4/browsers", {})
        const wire = yield* upgraded((bodyOf(answer) as { readonly cdpUrl: string }).cdpUrl)
        yield* TestClock.adjust("3 seconds")
        wire.leave()
        while ((yield* rows("request")).length < 2) yield* Effect.yieldNow
        const [, row] = yield* rows("request")
        assert.deepInclude(row, { operation: "unrouted", status: 101, answered: "whole", duration_ms: 3000 })
      })
    )
  )

  for (const fault of [
    { kind: "cut-body" },
    { kind: "reset", placement: "after-apply" },
    { kind: "reset", placement: "mid-body" },
    { kind: "slow-headers", for: Duration.seconds(5) }
  ] as const) {
    it.effect(`${fault.kind} ${"placement" in fault ? fault.placement : ""} finds no response on a WebSocket`, () =>
      withFaults(
        [{ name: "f", fault, when: { operations: ["unrouted"] } }],
        Effect.gen(function* () {
          const { answer } = yield* ask("POST", "/api/v4/browsers", {})
          const { cdpUrl } = bodyOf(answer) as { readonly cdpUrl: string }
          const wire = yield* upgraded(cdpUrl)
          wire.leave()
          while ((yield* rows("request")).length < 2) yield* Effect.yieldNow
          assert.deepInclude((yield* evidence).row, { status: 101, answered: "whole", duration_ms: 0 })
        })
      )
    )
  }
})
