import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import {
  ConnectionFailed,
  InvalidRequest,
  RetryPolicy,
  Timeout,
  TooManyRequestsError,
  TransportError,
  type TransportErrorReason,
  UndecodableAnswer,
  UnexpectedStatus
} from "../src/index.ts"
import { withSettable } from "./settable.ts"

const failure = (reason: TransportErrorReason) =>
  new TransportError({ method: "GET", path: "/api/v4/runs/1", origin: "http://a.example", attempts: 1, reason })

const unavailable = (retryAfter?: Duration.Duration) =>
  failure(new UnexpectedStatus({ status: 503, body: "", ...(retryAfter === undefined ? {} : { retryAfter }) }))

/** Runs a call that fails with what the script gives until it gives nothing; tells how it ended and when it was tried. */
const trying = (
  retrier: RetryPolicy.Retrier,
  script: (attempt: number) => TransportError | TooManyRequestsError | undefined
) =>
  Effect.gen(function* () {
    const at: Array<number> = []
    const call = Effect.gen(function* () {
      at.push(yield* Clock.currentTimeMillis)
      const error = script(at.length)
      return error === undefined ? "done" : yield* Effect.fail(error)
    })
    const fiber = yield* Effect.forkChild(Effect.result(retrier.retry(call)))
    yield* TestClock.adjust("10 minutes")
    return { at, result: yield* Fiber.join(fiber) }
  })

describe("RetryPolicy.transient", () => {
  it("recognizes temporary failures", () => {
    const passing = [
      failure(new ConnectionFailed({ cause: new Error("x") })),
      failure(new Timeout({ phase: "body", after: Duration.seconds(1) })),
      ...[408, 500, 502, 503, 504, 529].map((status) => failure(new UnexpectedStatus({ status, body: "" }))),
      ...['{"id": ', "<html>", ""].map((body) =>
        failure(new UndecodableAnswer({ status: 200, body, isJson: false, issue: "x" }))
      ),
      new TooManyRequestsError("slow down", Duration.seconds(1))
    ]
    const lasting = [
      failure(new InvalidRequest({ issue: "x" })),
      ...["{}", "[1]"].map((body) => failure(new UndecodableAnswer({ status: 200, body, isJson: true, issue: "x" }))),
      ...[302, 400, 403, 404].map((status) => failure(new UnexpectedStatus({ status, body: "" }))),
      new Error("x")
    ]
    for (const error of passing) assert.isDefined(RetryPolicy.transient(error), error.message)
    for (const error of lasting) assert.isUndefined(RetryPolicy.transient(error), error.message)
  })

  it("treats a redirect, even one that fetch hides, as temporary if the service has responded before", () => {
    for (const status of [0, 302, 307]) {
      const error = failure(new UnexpectedStatus({ status, body: "" }))
      assert.isUndefined(RetryPolicy.transientOf(error, false))
      assert.isDefined(RetryPolicy.transientOf(error, true), `${status}`)
    }
  })

  it("treats a redirect as temporary without a time limit only if the service has responded before", () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const redirect = failure(new UnexpectedStatus({ status, body: "" }))
      assert.deepStrictEqual(
        [RetryPolicy.transientOf(redirect, false), RetryPolicy.transientOf(redirect, true, 3_600_000)],
        [undefined, { throttled: false }]
      )
    }
    assert.isDefined(RetryPolicy.transientOf(unavailable(), false))
  })

  it("treats other undescribed responses as temporary for a minute if the service has responded before", () => {
    const odd = [
      ...[400, 404, 407, 421, 425].map((status) => new UnexpectedStatus({ status, body: "<html>" })),
      new UnexpectedStatus({ status: 403, body: "\n<!doctype html>" }),
      ...["{}", "null", '{"detail":"warming up"}'].map(
        (body) => new UndecodableAnswer({ status: 200, body, isJson: true, issue: "x" })
      )
    ].map(failure)
    for (const error of odd) {
      assert.deepStrictEqual(
        [0, 59_999, 60_000].map((silent_ms) => RetryPolicy.transientOf(error, true, silent_ms)),
        [{ throttled: false }, { throttled: false }, undefined]
      )
      assert.isUndefined(RetryPolicy.transientOf(error, false), error.message)
    }
    for (const body of ["", '{"detail":"not yours"}']) {
      assert.isUndefined(RetryPolicy.transientOf(failure(new UnexpectedStatus({ status: 403, body })), true))
    }
    assert.isUndefined(RetryPolicy.transientOf(failure(new InvalidRequest({ issue: "x" })), true))
  })
})

describe("RetryPolicy.makeRetrier", () => {
  it.effect("retries until it succeeds", () =>
    Effect.gen(function* () {
      const { at, result } = yield* trying(RetryPolicy.makeRetrier(RetryPolicy.standard), (attempt) =>
        attempt < 4 ? unavailable() : undefined
      )
      assert.strictEqual(result._tag, "Success")
      assert.strictEqual(at.length, 4)
    })
  )

  it.effect("gives up after four retries", () =>
    Effect.gen(function* () {
      const { at, result } = yield* trying(RetryPolicy.makeRetrier(RetryPolicy.standard), () => unavailable())
      assert.strictEqual(at.length, 5)
      assert.instanceOf(result._tag === "Failure" ? result.failure : undefined, TransportError)
    })
  )

  it.effect("numbers the attempts, even if one retrier is inside another", () =>
    Effect.gen(function* () {
      const retrier = RetryPolicy.makeRetrier(RetryPolicy.standard)
      const seen: Array<number> = []
      const inner = retrier.retry(
        Effect.flatMap(RetryPolicy.Attempt, (attempt) => {
          seen.push(attempt)
          return seen.length % 2 === 1 ? Effect.fail(unavailable()) : Effect.void
        })
      )
      const outer = retrier.retry(
        Effect.andThen(
          inner,
          Effect.suspend(() => (seen.length < 4 ? Effect.fail(unavailable()) : Effect.void))
        )
      )
      const fiber = yield* Effect.forkChild(outer)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(seen, [1, 2, 1, 2])
    })
  )

  it.effect.each([-3_600_000, 3_600_000])("keeps the caller's deadline even if the clock is set by %i ms", (by_ms) =>
    withSettable((set) =>
      Effect.gen(function* () {
        // every pause is the second that is asked for: a drawn one of up to 1.6 s would now and then miss the deadline
        const retrier = RetryPolicy.makeRetrier({ ...RetryPolicy.standard, retries: 100, cap: Duration.seconds(1) })
        let tries = 0
        const call = Effect.suspend(() => {
          if (++tries === 2) set(by_ms)
          return Effect.fail(unavailable(Duration.seconds(1)))
        })
        const fiber = yield* Effect.forkChild(Effect.flip(RetryPolicy.within("5500 millis")(retrier.retry(call))))
        yield* TestClock.adjust("1 minute")
        yield* Fiber.join(fiber)
        assert.strictEqual(tries, 6)
      })
    )
  )

  it.effect("doesn't retry a permanent failure", () =>
    Effect.gen(function* () {
      const { at } = yield* trying(RetryPolicy.makeRetrier(RetryPolicy.standard), () =>
        failure(new UnexpectedStatus({ status: 400, body: "" }))
      )
      assert.strictEqual(at.length, 1)
    })
  )

  it.effect("draws each pause between zero and a bound that doubles up to its cap", () =>
    Effect.gen(function* () {
      const policy = { ...RetryPolicy.standard, retries: 10, cap: Duration.seconds(2) }
      const widest = Array.from({ length: 10 }, () => 0)
      const narrowest = Array.from({ length: 10 }, () => Number.POSITIVE_INFINITY)
      for (let seed = 0; seed < 60; seed++) {
        const began = yield* Clock.currentTimeMillis
        const { at } = yield* trying(RetryPolicy.makeRetrier(policy), () => unavailable()).pipe(Random.withSeed(seed))
        assert.strictEqual(at[0], began)
        for (let n = 0; n < 10; n++) {
          const pause = (at[n + 1] ?? 0) - (at[n] ?? 0)
          widest[n] = Math.max(widest[n] ?? 0, pause)
          narrowest[n] = Math.min(narrowest[n] ?? 0, pause)
        }
      }
      for (const [n, pause] of widest.entries()) {
        const bound = Math.min(2000, 100 * 2 ** n)
        assert.isTrue(pause <= bound && pause > 0.8 * bound, `pause ${n} was up to ${pause}, bound ${bound}`)
        assert.isTrue((narrowest[n] ?? 0) < 0.2 * bound, `pause ${n} was at least ${narrowest[n]}, bound ${bound}`)
      }
    })
  )

  it.effect("pauses longer after a 429, and at least as long as the service asks", () =>
    Effect.gen(function* () {
      const retrier = RetryPolicy.makeRetrier({ ...RetryPolicy.standard, retries: 1 })
      let longest = 0
      for (let seed = 0; seed < 30; seed++) {
        const { at } = yield* trying(retrier, () => new TooManyRequestsError("x", undefined)).pipe(
          Random.withSeed(seed)
        )
        longest = Math.max(longest, (at[1] ?? 0) - (at[0] ?? 0))
      }
      assert.isTrue(longest > 800 && longest <= 1000, `${longest}`)
      const asked = yield* trying(RetryPolicy.makeRetrier(RetryPolicy.standard), (attempt) =>
        attempt === 1 ? new TooManyRequestsError("x", Duration.seconds(7)) : undefined
      )
      assert.strictEqual((asked.at[1] ?? 0) - (asked.at[0] ?? 0), 7000)
      const askedBy503 = yield* trying(RetryPolicy.makeRetrier(RetryPolicy.standard), (attempt) =>
        attempt === 1 ? unavailable(Duration.seconds(9)) : undefined
      )
      assert.strictEqual((askedBy503.at[1] ?? 0) - (askedBy503.at[0] ?? 0), 9000)
    })
  )

  it.effect("fails with a Retry-After of over a minute", () =>
    Effect.gen(function* () {
      const { at, result } = yield* trying(
        RetryPolicy.makeRetrier(RetryPolicy.standard),
        () => new TooManyRequestsError("x", Duration.hours(1))
      )
      assert.strictEqual(at.length, 1)
      const error = result._tag === "Failure" ? result.failure : undefined
      assert.isTrue(error instanceof TooManyRequestsError && error.retryAfter !== undefined)
    })
  )

  it.effect("limits an outage's retries: a hundred failing calls share a quota of 35", () =>
    Effect.gen(function* () {
      const retrier = RetryPolicy.makeRetrier(RetryPolicy.standard)
      let attempts = 0
      for (let call = 0; call < 100; call++) attempts += (yield* trying(retrier, () => unavailable())).at.length
      assert.strictEqual(attempts, 100 + 35)
      // 10 tokens are left and a retry takes 14: four successes earn one
      for (let call = 0; call < 3; call++) yield* trying(retrier, () => undefined)
      assert.strictEqual((yield* trying(retrier, () => unavailable())).at.length, 1)
      yield* trying(retrier, () => undefined)
      assert.strictEqual((yield* trying(retrier, () => unavailable())).at.length, 2)
    })
  )

  it.effect("returns the quota of a retry that succeeds, so that short failures never use it up", () =>
    Effect.gen(function* () {
      const retrier = RetryPolicy.makeRetrier(RetryPolicy.standard)
      for (let call = 0; call < 200; call++) {
        const { result } = yield* trying(retrier, (attempt) => (attempt < 3 ? unavailable() : undefined))
        assert.strictEqual(result._tag, "Success")
      }
    })
  )

  it.effect("makes one attempt with none", () =>
    Effect.gen(function* () {
      const { at } = yield* trying(RetryPolicy.makeRetrier(RetryPolicy.none), () => unavailable())
      assert.strictEqual(at.length, 1)
    })
  )
})
