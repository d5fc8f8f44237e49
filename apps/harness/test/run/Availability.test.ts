import { assert, describe, it } from "@effect/vitest"
import type { RunEvent } from "@webagent/report/RunEvent"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { TestClock } from "effect/testing"
import type { Seen } from "../../src/observe/Seen.ts"
import * as Availability from "../../src/run/Availability.ts"

const seenAt = (at_ms: number, change: Partial<Seen> = {}): Seen => ({
  request: HttpClientRequest.get("http://nowhere.test/"),
  span: undefined,
  at_ms,
  headersAt_ms: undefined,
  endedAt_ms: at_ms,
  status: undefined,
  headers: undefined,
  body: undefined,
  failure: "ECONNREFUSED",
  ...change
})

/** Watches a service that is away until a time, in virtual milliseconds, and counts the probes. */
const watch = Effect.fnUntraced(function* (
  until_ms: number,
  limits: Partial<Parameters<typeof Availability.make>[0]> = {}
) {
  const events: Array<RunEvent> = []
  const probes: Array<number> = []
  const availability = yield* Availability.make({
    probe: Effect.map(Clock.currentTimeMillis, (now_ms) => {
      probes.push(now_ms)
      return now_ms < until_ms ? "connection refused" : undefined
    }),
    longest_ms: 1_800_000,
    until_ms: Infinity,
    emit: (event) => Effect.sync(() => events.push(event)),
    before: [],
    ...limits
  })
  return { availability, events, probes }
})

const waited = Effect.fnUntraced(function* (availability: Availability.Availability) {
  const fiber = yield* Effect.forkChild(availability.reachable)
  yield* TestClock.adjust("1 hour")
  return yield* Fiber.join(fiber)
})

describe("a service's availability", () => {
  it.effect("is probed with increasing delays until it responds", () =>
    Effect.gen(function* () {
      const { availability, events, probes } = yield* watch(300_000)
      availability.see(seenAt(0))
      assert.isUndefined(yield* waited(availability))
      const pauses = probes.slice(1).map((at_ms, index) => at_ms - (probes[index] ?? 0))
      assert.deepStrictEqual(pauses.slice(0, 8), [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000])
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["OutageStarted", "OutageFinished"]
      )
      const [outage] = availability.outages()
      assert.strictEqual(outage?.from, "1970-01-01T00:00:00.000Z")
      assert.isAtMost(Date.parse(outage?.to ?? "") - 300_000, 15_000)
      assert.isTrue(availability.overlaps(100, 200))
      assert.isFalse(availability.overlaps(400_000, 500_000))
      assert.isAtLeast(availability.lostSince(100_000), 200_000)
    }).pipe(Effect.scoped)
  )

  it.effect("is no longer probed after the longest wait, or at the end of the run", () =>
    Effect.gen(function* () {
      for (const [limits, waited_ms] of [
        [{ longest_ms: 60_000 }, 60_000],
        [{ until_ms: 30_000 }, 30_000]
      ] as const) {
        yield* TestClock.setTime(0)
        const { availability } = yield* watch(Infinity, limits)
        availability.see(seenAt(0))
        assert.deepStrictEqual(yield* waited(availability), { _tag: "ServiceAway", waited_ms })
        assert.strictEqual((yield* availability.lost)._tag, "ServiceAway")
        assert.isNull(availability.outages()[0]?.to)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("isn't considered an outage if the probe gets a response, or a request was given up early", () =>
    Effect.gen(function* () {
      const { availability, events, probes } = yield* watch(0)
      for (const change of [{ failure: "given up" }, { status: 500, failure: undefined }, { status: 404 }])
        availability.see(seenAt(0, change))
      assert.isUndefined(yield* waited(availability))
      assert.deepStrictEqual(probes, [])
      for (const change of [{}, { status: 503 }, { failure: "given up", endedAt_ms: 6000 }]) {
        availability.see(seenAt(0, change))
        assert.isUndefined(yield* waited(availability))
      }
      assert.deepStrictEqual([probes.length, events], [3, []])
    }).pipe(Effect.scoped)
  )
})
