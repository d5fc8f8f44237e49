import { assert, describe, it } from "@effect/vitest"
import type { FaultPlan, JournalEntry } from "@webagent/control"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { createServer } from "node:net"
import { Server } from "@webagent/server"
import { Faults } from "../../src/faults/Faults.ts"
import { Journal } from "../../src/journal/Journal.ts"
import type { Simulation } from "../../src/requests/Simulation.ts"
import { type Answer, ask, dial, dialTo, parse, request } from "../wire.ts"
import type { SimulationParts } from "../../src/Parts.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"

type Parts = Server | Simulation | SimulationParts | Scope.Scope

/** One fault on the first create of a run. */
const onCreate = (fault: FaultPlan[number]["fault"]): FaultPlan => [
  { name: "f", fault, when: { operations: ["v4.createRun"], attempts: [1] } }
]

const create = ask("POST", "/api/v4/runs", { task: "mug" })

/** A server of its own, on which service time stands still until it is moved. */
const struck = <A, E>(faults: FaultPlan, test: Effect.Effect<A, E, Parts>) =>
  Effect.scoped(Effect.provide(test, Layer.fresh(SimulatedService.layer({ faults })), { local: true }))

const rows = <Type extends JournalEntry["type"]>(type: Type) =>
  Effect.map(
    Journal.use((journal) => journal.read({ type })),
    ({ entries }) => entries as ReadonlyArray<Extract<JournalEntry, { readonly type: Type }>>
  )

/** The row of the struck request, and how many runs there are. */
const evidence = Effect.gen(function* () {
  const [row] = (yield* rows("request")).filter(({ fault }) => fault === "f")
  const moves = yield* rows("move")
  return { row, runs: moves.filter(({ from, of }) => of === "turn" && from === null).length }
})

/** A connection that has become a WebSocket. */
const upgraded = Effect.fnUntraced(function* (cdpUrl: string) {
  const { pathname, search } = new URL(cdpUrl)
  const wire = yield* dial
  const headers = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]
  wire.send(request("GET", pathname + search, undefined, [...headers, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]))
  yield* wire.until((text) => parse(text) !== undefined)
  return wire
})

const bodyOf = (answer: Answer | undefined): unknown => JSON.parse(answer?.body ?? "")

describe("faults on the wire", () => {
  it.effect("reset: the connection ends with a reset before anything is said or done", () =>
    struck(
      onCreate({ kind: "reset" }),
      Effect.gen(function* () {
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
    )
  )

  it.effect("reset after apply: the run is there, its answer is lost, and the journal knows its id", () =>
    struck(
      onCreate({ kind: "reset", placement: "after-apply" }),
      Effect.gen(function* () {
        const { received, wire } = yield* create
        assert.strictEqual(received, "")
        assert.strictEqual(yield* wire.ended, "ECONNRESET")
        const { row, runs } = yield* evidence
        assert.strictEqual(runs, 1)
        assert.deepInclude(row, { status: null, answered: "none" })
        const { answer } = yield* ask("GET", `/api/v4/runs/${row?.made}/status`)
        assert.strictEqual(answer?.status, 200)
      })
    )
  )

  it.effect("reset in mid-body: the whole length is promised, half comes, then a reset", () =>
    struck(
      onCreate({ kind: "reset", placement: "mid-body" }),
      Effect.gen(function* () {
        const { answer, wire } = yield* create
        assert.strictEqual(yield* wire.ended, "ECONNRESET")
        assert.strictEqual(answer?.status, 201)
        assert.strictEqual(answer?.body.length, Math.floor(Number(answer?.headers["content-length"]) / 2))
        const { row, runs } = yield* evidence
        assert.strictEqual(runs, 1)
        assert.deepInclude(row, { status: 201, answered: "part" })
      })
    )
  )

  it.effect("hang: nothing is said until the caller leaves, and then nothing is left of it", () =>
    struck(
      onCreate({ kind: "hang" }),
      Effect.gen(function* () {
        const wire = yield* dial
        wire.send(request("POST", "/api/v4/runs", { task: "mug" }))
        while ((yield* rows("fault")).length === 0) yield* Effect.yieldNow
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(wire.received(), "")
        wire.leave()
        while ((yield* rows("request")).length === 0) yield* Effect.yieldNow
        const { row, runs } = yield* evidence
        assert.strictEqual(runs, 0)
        assert.deepInclude(row, { status: null, answered: "left", duration_ms: 3_600_000 })
      })
    )
  )

  it.effect("hang for a while: then the connection is closed", () =>
    struck(
      onCreate({ kind: "hang", for: Duration.seconds(30), placement: "after-apply" }),
      Effect.gen(function* () {
        const wire = yield* dial
        wire.send(request("POST", "/api/v4/runs", { task: "mug" }))
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
      })
    )
  )

  it.effect("hang in mid-body: half the body, then nothing, then the end", () =>
    struck(
      onCreate({ kind: "hang", for: Duration.seconds(30), placement: "mid-body" }),
      Effect.gen(function* () {
        const wire = yield* dial
        wire.send(request("POST", "/api/v4/runs", { task: "mug" }))
        const received = yield* wire.until((text) => {
          const answer = parse(text)
          return answer !== undefined && answer.body.length >= Math.floor(Number(answer.headers["content-length"]) / 2)
        })
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual(yield* wire.ended, "FIN")
        assert.strictEqual(wire.received(), received)
        assert.deepInclude((yield* evidence).row, { status: 201, answered: "part" })
      })
    )
  )

  it.effect("slow headers: not a byte until the time is over, then all", () =>
    struck(
      onCreate({ kind: "slow-headers", for: Duration.seconds(5) }),
      Effect.gen(function* () {
        const wire = yield* dial
        wire.send(request("POST", "/api/v4/runs", { task: "mug" }))
        while ((yield* rows("move")).length === 0) yield* Effect.yieldNow
        yield* TestClock.adjust("4999 millis")
        assert.strictEqual(wire.received(), "")
        yield* TestClock.adjust("1 millis")
        const answer = parse(yield* wire.until((text) => parse(text)?.isWhole === true))
        assert.strictEqual(answer?.status, 201)
        assert.deepInclude((yield* evidence).row, { status: 201, answered: "whole", duration_ms: 5000 })
      })
    )
  )

  it.effect("slow headers before apply: nothing is done until the time is over", () =>
    struck(
      onCreate({ kind: "slow-headers", for: Duration.seconds(5), placement: "before-apply" }),
      Effect.gen(function* () {
        const wire = yield* dial
        wire.send(request("POST", "/api/v4/runs", { task: "mug" }))
        while ((yield* rows("fault")).length === 0) yield* Effect.yieldNow
        yield* TestClock.adjust("4999 millis")
        assert.strictEqual((yield* evidence).runs, 0)
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(parse(yield* wire.until((text) => parse(text)?.isWhole === true))?.status, 201)
      })
    )
  )

  it.effect("slow body: the head at once, the body in 20 pieces over the time, and the connection lives on", () =>
    struck(
      onCreate({ kind: "slow-body", for: Duration.seconds(20) }),
      Effect.gen(function* () {
        const wire = yield* dial
        wire.send(request("POST", "/api/v4/runs", { task: "mug" }))
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
      })
    )
  )

  it.effect("cut body: half of it under the whole length, then the end of the connection", () =>
    struck(
      onCreate({ kind: "cut-body" }),
      Effect.gen(function* () {
        const { answer, wire } = yield* create
        assert.strictEqual(yield* wire.ended, "FIN")
        assert.strictEqual(answer?.body.length, Math.floor(Number(answer?.headers["content-length"]) / 2))
        assert.deepInclude((yield* evidence).row, { status: 201, answered: "part" })
      })
    )
  )

  it.effect("cut body: any share, ended by a reset if asked", () =>
    struck(
      onCreate({ kind: "cut-body", share: 0.9, end: "reset" }),
      Effect.gen(function* () {
        const { answer, wire } = yield* create
        assert.strictEqual(yield* wire.ended, "ECONNRESET")
        assert.strictEqual(answer?.body.length, Math.floor(Number(answer?.headers["content-length"]) * 0.9))
      })
    )
  )

  it.effect("malformed JSON: status, type and length as they should be, and no JSON", () =>
    struck(
      onCreate({ kind: "malformed-json" }),
      Effect.gen(function* () {
        const { answer } = yield* create
        assert.strictEqual(answer?.status, 201)
        assert.strictEqual(answer?.headers["content-type"], "application/json")
        assert.isTrue(answer?.isWhole)
        assert.throws(() => bodyOf(answer), SyntaxError)
        assert.strictEqual((yield* evidence).runs, 1)
      })
    )
  )

  it.effect("malformed JSON before apply: an answer of nothing that was done", () =>
    struck(
      onCreate({ kind: "malformed-json", placement: "before-apply" }),
      Effect.gen(function* () {
        const { answer } = yield* create
        assert.strictEqual(answer?.status, 200)
        assert.throws(() => bodyOf(answer), SyntaxError)
        assert.strictEqual((yield* evidence).runs, 0)
      })
    )
  )

  it.effect("wrong content type: the right body under another name", () =>
    struck(
      onCreate({ kind: "wrong-content-type" }),
      Effect.gen(function* () {
        const { answer } = yield* create
        assert.strictEqual(answer?.status, 201)
        assert.strictEqual(answer?.headers["content-type"], "text/plain")
        assert.property(bodyOf(answer), "id")
      })
    )
  )

  it.effect("HTML error: what a proxy says, and nothing is done", () =>
    struck(
      onCreate({ kind: "html-error", status: 504 }),
      Effect.gen(function* () {
        const { answer } = yield* create
        assert.strictEqual(answer?.status, 504)
        assert.include(answer?.headers["content-type"], "text/html")
        assert.include(answer?.body, "<h1>504 Gateway Timeout</h1>")
        const { row, runs } = yield* evidence
        assert.strictEqual(runs, 0)
        assert.deepInclude(row, { status: 504, answered: "whole" })
      })
    )
  )

  for (const status of [400, 401, 403, 404, 408, 409, 422, 425, 429, 500, 501, 502, 503, 504, 599]) {
    it.effect(`status: ${status} in the shape of all errors`, () =>
      struck(
        onCreate({ kind: "status", status, detail: "not now" }),
        Effect.gen(function* () {
          const { answer } = yield* create
          assert.strictEqual(answer?.status, status)
          assert.deepStrictEqual(bodyOf(answer), { detail: "not now" })
        })
      )
    )
  }

  it.effect("status after apply: the run is there, whatever the answer says", () =>
    struck(
      onCreate({ kind: "status", placement: "after-apply" }),
      Effect.gen(function* () {
        const { answer } = yield* create
        assert.strictEqual(answer?.status, 503)
        const { row, runs } = yield* evidence
        assert.strictEqual(runs, 1)
        assert.isString(row?.made)
      })
    )
  )

  it.effect("Retry-After in seconds, rounded up", () =>
    struck(
      onCreate({ kind: "status", status: 429, retryAfter: Duration.millis(1500) }),
      Effect.gen(function* () {
        const { answer } = yield* create
        assert.strictEqual(answer?.headers["retry-after"], "2")
        assert.deepInclude((yield* evidence).row, { status: 429, retryAfter_ms: 2000 })
      })
    )
  )

  it.effect("Retry-After as a date of service time, beside the date by which it counts", () =>
    struck(
      onCreate({ kind: "status", status: 429, retryAfter: Duration.minutes(2), retryAfterForm: "date" }),
      Effect.gen(function* () {
        yield* TestClock.adjust("1 day")
        const { answer } = yield* create
        assert.strictEqual(answer?.headers["date"], "Fri, 02 Jan 1970 00:00:00 GMT")
        assert.strictEqual(answer?.headers["retry-after"], "Fri, 02 Jan 1970 00:02:00 GMT")
        assert.deepInclude((yield* evidence).row, { retryAfter_ms: 120_000 })
      })
    )
  )

  it.effect("redirect: to another origin, with the path and nothing done", () =>
    struck(
      onCreate({ kind: "redirect", status: 308, to: "http://127.0.0.1:9" }),
      Effect.gen(function* () {
        const { answer } = yield* create
        assert.strictEqual(answer?.status, 308)
        assert.strictEqual(answer?.headers["location"], "http://127.0.0.1:9/api/v4/runs")
        assert.strictEqual((yield* evidence).runs, 0)
      })
    )
  )

  it.effect("redirect: to an address without a server where there is no trap", () =>
    struck(
      onCreate({ kind: "redirect" }),
      Effect.gen(function* () {
        const { answer } = yield* create
        assert.strictEqual(answer?.status, 307)
        assert.strictEqual(answer?.headers["location"], "http://elsewhere.invalid/api/v4/runs")
      })
    )
  )

  it.effect("duplicate delivery: done twice, two rows, the second answer", () =>
    struck(
      onCreate({ kind: "duplicate-delivery" }),
      Effect.gen(function* () {
        const { answer } = yield* create
        const { runs } = yield* evidence
        assert.strictEqual(runs, 2)
        const [first, second] = yield* rows("request")
        assert.deepInclude(first, { attempt: 1, answered: "none", status: null, fault: "f" })
        assert.deepInclude(second, { attempt: 2, answered: "whole", status: 201, fault: "f" })
        assert.strictEqual(second?.made, (bodyOf(answer) as { readonly id: string }).id)
        assert.notStrictEqual(first?.made, second?.made)
        assert.strictEqual(first?.create, second?.create)
      })
    )
  )

  it.effect("duplicate delivery with an Idempotency-Key makes one run", () =>
    struck(
      onCreate({ kind: "duplicate-delivery" }),
      Effect.gen(function* () {
        const { answer } = yield* ask("POST", "/api/v4/runs", { task: "mug" }, ["Idempotency-Key: k"])
        assert.strictEqual(answer?.headers["idempotency-replayed"], "true")
        assert.strictEqual((yield* evidence).runs, 1)
      })
    )
  )

  it.effect("stale read: a read shows what was, and what was not there then is not found", () =>
    struck(
      [
        {
          name: "f",
          fault: { kind: "stale-read", lag: Duration.seconds(10) },
          when: { operations: ["v4.getRunStatus", "v4.getRun", "v2.getSession"] }
        }
      ],
      Effect.gen(function* () {
        yield* TestClock.adjust("1 minute")
        const { answer } = yield* ask("POST", "/api/v4/runs", { task: "mug [simulate duration=2s]" })
        const run = bodyOf(answer) as { readonly id: string; readonly sessionId: string }
        const status = Effect.map(ask("GET", `/api/v4/runs/${run.id}/status`), ({ answer }) => answer)
        const session = Effect.map(ask("GET", `/api/v2/sessions/${run.sessionId}`), ({ answer }) => answer?.status)
        assert.strictEqual((yield* status)?.status, 404)
        assert.strictEqual(yield* session, 404)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* status)?.status, 404)
        yield* TestClock.adjust("5 seconds")
        // as it was right after the create, though it is completed for eight seconds
        assert.notStrictEqual((bodyOf(yield* status) as { readonly status: string }).status, "completed")
        assert.strictEqual(yield* session, 200)
        yield* TestClock.adjust("2 seconds")
        assert.deepInclude(bodyOf(yield* status), { status: "completed" })
      })
    )
  )

  it.effect("clock skew: a machine that is ahead dates what it makes and says so", () =>
    struck(
      onCreate({ kind: "clock-skew", by: Duration.minutes(5), direction: "fast" }),
      Effect.gen(function* () {
        yield* TestClock.adjust("1 hour")
        const { answer } = yield* create
        assert.strictEqual(answer?.headers["date"], "Thu, 01 Jan 1970 01:05:00 GMT")
        assert.include((bodyOf(answer) as { readonly createdAt: string }).createdAt, "1970-01-01T01:05:00")
        // the journal's clock is the service's
        for (const { at_ms } of yield* rows("move")) assert.strictEqual(at_ms, 3_600_000)
      })
    )
  )

  it.effect("clock skew: slow unless said", () =>
    struck(
      onCreate({ kind: "clock-skew", by: Duration.minutes(5) }),
      Effect.gen(function* () {
        yield* TestClock.adjust("1 hour")
        const { answer } = yield* create
        assert.strictEqual(answer?.headers["date"], "Thu, 01 Jan 1970 00:55:00 GMT")
      })
    )
  )

  it.effect("refused connections: cut, refused for so long, and accepted again at the same port", () =>
    struck(
      onCreate({ kind: "refuse-connections", for: Duration.seconds(30) }),
      Effect.gen(function* () {
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
      })
    )
  )

  it.effect("refused connections after apply: the run is there", () =>
    struck(
      onCreate({ kind: "refuse-connections", for: Duration.seconds(30), placement: "after-apply" }),
      Effect.gen(function* () {
        const { wire } = yield* create
        assert.strictEqual(yield* wire.ended, "ECONNRESET")
        assert.strictEqual((yield* evidence).runs, 1)
      })
    )
  )

  it.effect("a port that another process took meanwhile is taken back when it is free", () =>
    struck(
      onCreate({ kind: "refuse-connections", for: Duration.seconds(30) }),
      Effect.gen(function* () {
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
      })
    )
  )

  it.effect("a connection that becomes a WebSocket is one request, which ends with it", () =>
    struck(
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
    it.effect(`${fault.kind} ${"placement" in fault ? fault.placement : ""} finds no answer on a WebSocket`, () =>
      struck(
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

  it.effect("only described operations are struck unless a rule says otherwise", () =>
    struck(
      [{ fault: { kind: "status" } }],
      Effect.gen(function* () {
        assert.strictEqual((yield* create).answer?.status, 503)
        assert.strictEqual((yield* ask("GET", "/health")).answer?.status, 200)
        yield* Faults.use((faults) => faults.set([{ fault: { kind: "status" }, when: { operations: ["unrouted"] } }]))
        assert.strictEqual((yield* create).answer?.status, 201)
        assert.strictEqual((yield* ask("GET", "/health")).answer?.status, 503)
      })
    )
  )

  it.effect("a plan that is changed lets what it struck go on", () =>
    struck(
      onCreate({ kind: "slow-headers", for: Duration.seconds(5) }),
      Effect.gen(function* () {
        const wire = yield* dial
        wire.send(request("POST", "/api/v4/runs", { task: "mug" }))
        while ((yield* rows("move")).length === 0) yield* Effect.yieldNow
        yield* Faults.use((faults) => faults.set([]))
        assert.strictEqual((yield* create).answer?.status, 201)
        assert.strictEqual(wire.received(), "")
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(parse(yield* wire.until((text) => parse(text)?.isWhole === true))?.status, 201)
        assert.deepInclude((yield* evidence).row, { fault: "f", duration_ms: 5000 })
      })
    )
  )

  it.effect("after a fault that ends no connection the next request on it is answered", () =>
    struck(
      [{ fault: { kind: "status" }, when: { attempts: [1] } }],
      Effect.gen(function* () {
        const wire = yield* dial
        const of = request("POST", "/api/v4/runs", { task: "mug" })
        wire.send(of)
        const first = yield* wire.until((text) => parse(text)?.isWhole === true)
        wire.send(of)
        const both = yield* wire.until((text) => parse(text.slice(first.length))?.isWhole === true)
        assert.strictEqual(parse(both.slice(first.length))?.status, 201)
      })
    )
  )
})

/** A create that waits for its connection: a port that opens again does so in real time. */
const again: typeof create = Effect.suspend(() =>
  Effect.flatMap(create, (asked) => (asked.answer?.status === 201 ? Effect.succeed(asked) : again))
)
