import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { Faults } from "../../src/faults/Faults.ts"
import { ask, dial, parse, request } from "../wire.ts"
import { planOf, create, withFaults, rows, evidence, bodyOf, sent, onCreate } from "./faulty.ts"

describe("faults that change responses", () => {
  onCreate(
    "malformed JSON: keeps status, type and length, but sends no JSON",
    { kind: "malformed-json" },
    function* () {
      const { answer } = yield* create
      assert.strictEqual(answer?.status, 201)
      assert.strictEqual(answer?.headers["content-type"], "application/json")
      assert.isTrue(answer?.isWhole)
      assert.throws(() => bodyOf(answer), SyntaxError)
      assert.strictEqual((yield* evidence).runs, 1)
    }
  )

  onCreate(
    "malformed JSON before apply: sends a response without any effect",
    { kind: "malformed-json", placement: "before-apply" },
    function* () {
      const { answer } = yield* create
      assert.strictEqual(answer?.status, 200)
      assert.throws(() => bodyOf(answer), SyntaxError)
      assert.strictEqual((yield* evidence).runs, 0)
    }
  )

  onCreate("wrong content type: sends the right body with another type", { kind: "wrong-content-type" }, function* () {
    const { answer } = yield* create
    assert.strictEqual(answer?.status, 201)
    assert.strictEqual(answer?.headers["content-type"], "text/plain")
    assert.property(bodyOf(answer), "id")
  })

  onCreate("HTML error: sends a proxy's page without any effect", { kind: "html-error", status: 504 }, function* () {
    const { answer } = yield* create
    assert.strictEqual(answer?.status, 504)
    assert.include(answer?.headers["content-type"], "text/html")
    assert.include(answer?.body, "<h1>504 Gateway Timeout</h1>")
    const { row, runs } = yield* evidence
    assert.strictEqual(runs, 0)
    assert.deepInclude(row, { status: 504, answered: "whole" })
  })

  for (const status of [400, 401, 403, 404, 408, 409, 422, 425, 429, 500, 501, 502, 503, 504, 599]) {
    it.effect(`status: returns ${status} in the shape of all errors`, () =>
      withFaults(
        planOf({ kind: "status", status, detail: "not now" }),
        Effect.gen(function* () {
          const { answer } = yield* create
          assert.strictEqual(answer?.status, status)
          assert.deepStrictEqual(bodyOf(answer), { detail: "not now" })
        })
      )
    )
  }

  onCreate(
    "status after apply: creates the run despite the response",
    { kind: "status", placement: "after-apply" },
    function* () {
      const { answer } = yield* create
      assert.strictEqual(answer?.status, 503)
      const { row, runs } = yield* evidence
      assert.strictEqual(runs, 1)
      assert.isString(row?.made)
    }
  )

  onCreate(
    "Retry-After in seconds, rounded up",
    { kind: "status", status: 429, retryAfter: Duration.millis(1500) },
    function* () {
      const { answer } = yield* create
      assert.strictEqual(answer?.headers["retry-after"], "2")
      assert.deepInclude((yield* evidence).row, { status: 429, retryAfter_ms: 2000 })
    }
  )

  onCreate(
    "Retry-After as a date of service time, next to the Date header",
    { kind: "status", status: 429, retryAfter: Duration.minutes(2), retryAfterForm: "date" },
    function* () {
      yield* TestClock.adjust("1 day")
      const { answer } = yield* create
      assert.strictEqual(answer?.headers["date"], "Fri, 02 Jan 1970 00:00:00 GMT")
      assert.strictEqual(answer?.headers["retry-after"], "Fri, 02 Jan 1970 00:02:00 GMT")
      assert.deepInclude((yield* evidence).row, { retryAfter_ms: 120_000 })
    }
  )

  onCreate(
    "redirect: leads to another origin with the path, without any effect",
    { kind: "redirect", status: 308, to: "http://127.0.0.1:9" },
    function* () {
      const { answer } = yield* create
      assert.strictEqual(answer?.status, 308)
      assert.strictEqual(answer?.headers["location"], "http://127.0.0.1:9/api/v4/runs")
      assert.strictEqual((yield* evidence).runs, 0)
    }
  )

  onCreate("redirect: leads to an address without a server if there is no trap", { kind: "redirect" }, function* () {
    const { answer } = yield* create
    assert.strictEqual(answer?.status, 307)
    assert.strictEqual(answer?.headers["location"], "http://elsewhere.invalid/api/v4/runs")
  })

  onCreate(
    "duplicate delivery: acts twice, adds two rows, and sends the second response",
    { kind: "duplicate-delivery" },
    function* () {
      const { answer } = yield* create
      const { runs } = yield* evidence
      assert.strictEqual(runs, 2)
      const [first, second] = yield* rows("request")
      assert.deepInclude(first, { attempt: 1, answered: "none", status: null, fault: "f" })
      assert.deepInclude(second, { attempt: 2, answered: "whole", status: 201, fault: "f" })
      assert.strictEqual(second?.made, (bodyOf(answer) as { readonly id: string }).id)
      assert.notStrictEqual(first?.made, second?.made)
      assert.strictEqual(first?.create, second?.create)
    }
  )

  onCreate("duplicate delivery: makes one run with an Idempotency-Key", { kind: "duplicate-delivery" }, function* () {
    const { answer } = yield* ask("POST", "/api/v4/runs", { task: "mug" }, ["Idempotency-Key: k"])
    assert.strictEqual(answer?.headers["idempotency-replayed"], "true")
    assert.strictEqual((yield* evidence).runs, 1)
  })

  it.effect("stale read: returns an earlier state, and 404 for newer resources", () =>
    withFaults(
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

  onCreate(
    "clock skew: dates resources and responses ahead",
    { kind: "clock-skew", by: Duration.minutes(5), direction: "fast" },
    function* () {
      yield* TestClock.adjust("1 hour")
      const { answer } = yield* create
      assert.strictEqual(answer?.headers["date"], "Thu, 01 Jan 1970 01:05:00 GMT")
      assert.include((bodyOf(answer) as { readonly createdAt: string }).createdAt, "1970-01-01T01:05:00")
      // the journal's clock is the service's
      for (const { at_ms } of yield* rows("move")) assert.strictEqual(at_ms, 3_600_000)
    }
  )

  onCreate("clock skew: is slow by default", { kind: "clock-skew", by: Duration.minutes(5) }, function* () {
    yield* TestClock.adjust("1 hour")
    const { answer } = yield* create
    assert.strictEqual(answer?.headers["date"], "Thu, 01 Jan 1970 00:55:00 GMT")
  })

  it.effect("hit only described operations unless a rule says otherwise", () =>
    withFaults(
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

  onCreate(
    "changing the plan lets affected requests continue",
    { kind: "slow-headers", for: Duration.seconds(5) },
    function* () {
      const wire = yield* sent
      while ((yield* rows("move")).length === 0) yield* Effect.yieldNow
      yield* Faults.use((faults) => faults.set([]))
      assert.strictEqual((yield* create).answer?.status, 201)
      assert.strictEqual(wire.received(), "")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(parse(yield* wire.until((text) => parse(text)?.isWhole === true))?.status, 201)
      assert.deepInclude((yield* evidence).row, { fault: "f", duration_ms: 5000 })
    }
  )

  it.effect("keep the connection usable for the next request unless they close it", () =>
    withFaults(
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
