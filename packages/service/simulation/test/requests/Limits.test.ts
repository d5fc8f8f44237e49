import type { Profile, Route } from "@webagent/control"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Behavior } from "../../src/behavior/Behavior.ts"
import type { RequestContext, Slot } from "../../src/requests/RequestContext.ts"
import { type LimitedRequest, Limits } from "../../src/requests/Limits.ts"
import type { Identity } from "../../src/journal/Requests.ts"
import * as Layer from "effect/Layer"

const behaving = (profile: Profile) => Layer.provideMerge(Limits.layer, Behavior.layer({ profile }))

const identity = (operation: Route, attempt = 1): Identity => ({
  operation,
  resource: "r1",
  creates: operation === "v4.createRun",
  reads: false,
  create: null,
  attempt
})

const asked = (operation: Route, more: Partial<LimitedRequest> = {}): LimitedRequest => ({
  identity: identity(operation),
  apiKey: "wak_a",
  idempotencyKey: undefined,
  ...more
})

const during = (slot: Slot | null): RequestContext => ({ makes: "turn", made: null, slot })

/** Lets a create in, has it make this turn, and ends it. */
const create = (limits: Limits["Service"], id: string, more: Partial<LimitedRequest> = {}): boolean => {
  const answer = limits.enter(asked("v4.createRun", more), 0)
  if ("refusal" in answer) return false
  limits.moved({ of: "session", id: `session of ${id}`, from: null, to: "active" }, during(answer.slot))
  limits.moved({ of: "turn", id, from: null, to: "queued" }, during(answer.slot))
  if (answer.slot !== null) limits.leave(answer.slot)
  return true
}

const end = (limits: Limits["Service"], id: string) =>
  limits.moved({ of: "turn", id, from: "running", to: "completed" }, undefined)

describe("Limits", () => {
  const two = behaving({ limits: { concurrentRuns: 2, concurrentBrowsers: 1 } })

  it.effect("make a third run wait until one of two has finished, without counting reads and browsers", () =>
    Effect.gen(function* () {
      const limits = yield* Limits
      assert.deepStrictEqual([create(limits, "1"), create(limits, "2"), create(limits, "3")], [true, true, false])
      assert.deepStrictEqual(limits.enter(asked("v4.createRun"), 0), {
        refusal: { detail: "Too many concurrent runs: at most 2", retryAfter: "2" }
      })
      assert.property(limits.enter(asked("v4.getRunStatus"), 0), "slot")
      assert.property(limits.enter(asked("v4.createBrowser"), 0), "slot")
      assert.deepStrictEqual(limits.enter(asked("v4.createBrowser"), 0), {
        refusal: { detail: "Too many concurrent browsers: at most 1", retryAfter: "2" }
      })
      end(limits, "1")
      assert.deepStrictEqual([create(limits, "3"), create(limits, "4")], [true, false])
    }).pipe(Effect.provide(two))
  )

  it.effect("apply to every API key separately", () =>
    Effect.gen(function* () {
      const limits = yield* Limits
      assert.isTrue(create(limits, "1") && create(limits, "2") && create(limits, "3", { apiKey: "wak_b" }))
      assert.isFalse(create(limits, "4"))
      end(limits, "3")
      assert.isFalse(create(limits, "4"))
    }).pipe(Effect.provide(two))
  )

  it.effect("count a create in progress, and free its slot if it makes nothing", () =>
    Effect.gen(function* () {
      const limits = yield* Limits
      const places = [1, 2].map(() => limits.enter(asked("v4.createRun"), 0))
      assert.isFalse(create(limits, "3"))
      for (const answer of places) if ("slot" in answer && answer.slot !== null) limits.leave(answer.slot)
      assert.isTrue(create(limits, "3"))
    }).pipe(Effect.provide(two))
  )

  it.effect("count a create that is delivered twice as two", () =>
    Effect.gen(function* () {
      const limits = yield* Limits
      const answer = limits.enter(asked("v4.createRun"), 0)
      if ("refusal" in answer || answer.slot === null) return assert.fail("refused")
      for (const id of ["1", "2"]) {
        limits.moved({ of: "turn", id, from: null, to: "queued" }, during(answer.slot))
      }
      limits.leave(answer.slot)
      assert.isFalse(create(limits, "3"))
      end(limits, "1")
      assert.isTrue(create(limits, "3"))
      assert.isFalse(create(limits, "4"))
    }).pipe(Effect.provide(two))
  )

  it.effect("accept a repeated create under its Idempotency-Key, on its route only", () =>
    Effect.gen(function* () {
      const limits = yield* Limits
      assert.isTrue(create(limits, "1", { idempotencyKey: "k" }))
      assert.isTrue(create(limits, "2"))
      const replay = limits.enter(asked("v4.createRun", { idempotencyKey: "k" }), 0)
      if ("refusal" in replay || replay.slot === null) return assert.fail("refused")
      limits.leave(replay.slot)
      assert.property(limits.enter(asked("v4.createRun", { idempotencyKey: "other" }), 0), "refusal")
      assert.property(limits.enter(asked("v3.createSession", { idempotencyKey: "k" }), 0), "refusal")
      assert.property(limits.enter(asked("v4.createRun", { idempotencyKey: "k", apiKey: "wak_b" }), 0), "slot")
      end(limits, "1")
      assert.deepStrictEqual([create(limits, "3"), create(limits, "4")], [true, false])
    }).pipe(Effect.provide(two))
  )

  it.effect("limit requests per second with a burst, and Retry-After is the time of the next free one", () =>
    Effect.gen(function* () {
      const limits = yield* Limits
      const at = (now_ms: number, apiKey = "wak_a") => limits.enter(asked("v4.getRun", { apiKey }), now_ms)
      assert.property(at(0), "slot")
      assert.property(at(0), "slot")
      assert.deepStrictEqual(at(0), {
        refusal: { detail: "Too many requests: at most 0.5 per second", retryAfter: "2" }
      })
      assert.property(at(0, "wak_b"), "slot")
      assert.property(limits.enter(asked("unrouted"), 0), "slot")
      assert.property(at(1999), "refusal")
      assert.property(at(2000), "slot")
    }).pipe(Effect.provide(behaving({ limits: { requestsPerSecond: 0.5, burst: 2 } })))
  )

  it.effect("send Retry-After in seconds, as a date that is not too early, as either by a draw, or not at all", () =>
    Effect.gen(function* () {
      const limits = yield* Limits
      const behavior = yield* Behavior
      const now = Date.UTC(2026, 10, 21, 9, 0, 0, 500)
      const said = (retryAfter: NonNullable<NonNullable<Profile["limits"]>["retryAfter"]>, attempt = 1) =>
        Effect.gen(function* () {
          yield* behavior.set({ limits: { requestsPerSecond: 1, burst: 1, retryAfter } })
          yield* limits.clear
          const request = { ...asked("v4.getRun"), identity: identity("v4.getRun", attempt) }
          limits.enter(request, now)
          const answer = limits.enter(request, now)
          return "refusal" in answer ? answer.refusal.retryAfter : "let in"
        })
      assert.strictEqual(yield* said("seconds"), "1")
      assert.strictEqual(yield* said("date"), "Sat, 21 Nov 2026 09:00:02 GMT")
      assert.isNull(yield* said("none"))
      const either = yield* Effect.forEach(Array.from({ length: 200 }), (_, attempt) => said("either", attempt))
      const dates = either.filter((text) => text?.endsWith("GMT")).length
      assert.isTrue(dates > 70 && dates < 130, String(dates))
      assert.deepStrictEqual(yield* said("either", 7), either[7])
    }).pipe(Effect.provide(behaving({})))
  )

  it.effect("draw latency by request, independently of earlier requests", () =>
    Effect.gen(function* () {
      const limits = yield* Limits
      const drawn = Array.from({ length: 100 }, (_, attempt) => limits.latency_ms(identity("v4.getRun", attempt)))
      assert.isTrue(drawn.every((ms) => ms >= 10 && ms <= 50))
      assert.isAbove(new Set(drawn).size, 20)
      assert.strictEqual(limits.latency_ms(identity("v4.getRun", 7)), drawn[7])
      assert.strictEqual(limits.latency_ms(identity("unrouted")), 0)
      assert.isTrue(limits.inForce())
    }).pipe(Effect.provide(behaving({ latency: { uniform: { min: Duration.millis(10), max: Duration.millis(50) } } })))
  )

  it.effect("are off by default, and still count open resources for later limits", () =>
    Effect.gen(function* () {
      const limits = yield* Limits
      const behavior = yield* Behavior
      assert.isFalse(limits.inForce())
      assert.isTrue(create(limits, "1"))
      yield* behavior.set({ limits: { concurrentRuns: 1 } })
      assert.isFalse(create(limits, "2"))
      yield* limits.clear
      assert.isTrue(create(limits, "2"))
      // what was forgotten ends without being counted
      end(limits, "1")
      assert.isFalse(create(limits, "3"))
    }).pipe(Effect.provide(behaving({})))
  )
})
