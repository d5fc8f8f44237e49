import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import { Metrics, PollBudget, PollSchedule, Waiter } from "../src/index.ts"

const ids = (count: number) => Array.from({ length: count }, (_, index) => `r-${index}`)

/** Waits for many at once; tells when each poll was made. */
const waiting = Effect.fnUntraced(function* (count: number, isTerminal: (id: string, polls: number) => boolean) {
  const polledAt: Array<number> = []
  const polls = new Map<string, number>()
  const waiter = yield* Waiter.make({
    check: (id: string) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        polledAt.push(now)
        polls.set(id, (polls.get(id) ?? 0) + 1)
        return isTerminal(id, polls.get(id) ?? 0) ? "completed" : "running"
      }),
    isTerminal: (status: string) => status === "completed",
    budget: yield* PollBudget.orDefault
  })
  const fiber = yield* Effect.forkChild(
    Effect.forEach(ids(count), (id) => waiter.untilTerminal(id, { timeout: "2 hours" }), {
      concurrency: "unbounded",
      discard: true
    })
  )
  yield* Effect.yieldNow
  return { fiber, polledAt, polls }
})

/** The most that were within any window of 100 ms. */
const peak = (instants: ReadonlyArray<number>) => {
  let most = 0
  let start = 0
  for (const [index, instant] of instants.entries()) {
    while (instant - (instants[start] ?? 0) >= 100) start++
    most = Math.max(most, index - start + 1)
  }
  return most
}

describe("many waits", () => {
  it.effect("poll at the rate of the budget, in turn and without a burst", () =>
    Effect.gen(function* () {
      const { fiber, polledAt, polls } = yield* waiting(2000, () => false)
      yield* TestClock.adjust("41 seconds")
      // the first is due after 1.8 s at the earliest
      assert.isAtMost(polledAt.length, 10 + 50 * 39.2)
      assert.isAtLeast(polledAt.length, 50 * 38.5)
      assert.isAtMost(peak(polledAt), 15)
      // none is polled twice before all were polled once
      assert.isAtLeast(polls.size, 1900)
      assert.isTrue(Array.from(polls.values()).every((count) => count === 1))
      yield* Fiber.interrupt(fiber)
    }).pipe(Random.withSeed("many"))
  )

  it.effect("that start together don't stay together, whatever the budget", () =>
    Effect.gen(function* () {
      const { fiber, polledAt } = yield* waiting(100, (_, polls) => polls === 20)
      yield* TestClock.adjust("5 minutes")
      yield* Fiber.join(fiber)
      assert.strictEqual(polledAt.length, 2000)
      assert.isAtMost(peak(polledAt.filter((at) => at > 10_000)), 30)
    }).pipe(Random.withSeed("herd"), Effect.provide(PollBudget.layerUnlimited))
  )

  it.effect("all end, in any order", () =>
    Effect.gen(function* () {
      const { fiber } = yield* waiting(300, (id, polls) => polls > id.length + (Number(id.slice(2)) % 7))
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.join(fiber)
    }).pipe(Random.withSeed("ends"))
  )

  it.effect("are interrupted at once, even while they wait for the budget, and aren't polled any more", () =>
    Effect.gen(function* () {
      const { fiber, polledAt } = yield* waiting(1000, () => false)
      yield* TestClock.adjust("4 seconds")
      const made = polledAt.length
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(polledAt.length, made)
    })
  )

  it.effect("end at their deadline even if the budget never allowed a poll", () =>
    Effect.gen(function* () {
      const waiter = yield* Waiter.make({
        check: () => Effect.succeed("running"),
        isTerminal: () => false,
        budget: { take: Effect.never }
      })
      const fiber = yield* Effect.forkChild(Effect.flip(waiter.untilTerminal("r", { timeout: "10 seconds" })))
      yield* TestClock.adjust("14 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(fiber)
      assert.deepStrictEqual([error._tag, error.polls, error.waited_ms], ["WaitTimeoutError", 0, 15_000])
    })
  )

  it.effect.each([-3_600_000, 3_600_000])("continue when the clock is set by %i ms", (by_ms) => {
    let set_ms = 0
    return Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() + set_ms
      const setClock: Clock.Clock = {
        currentTimeMillisUnsafe,
        currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
        currentTimeNanos: clock.currentTimeNanos,
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos,
        sleep: (duration) => clock.sleep(duration)
      }
      const waits = waiting(30, (_, polls) => polls === 10)
      const { fiber, polls } = yield* Effect.provideService(waits, Clock.Clock, setClock)
      yield* TestClock.adjust("3 seconds")
      set_ms = by_ms
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(new Set(polls.values()), new Set([10]))
    }).pipe(Random.withSeed("set"), Effect.scoped)
  })

  it.effect("are counted while they last, with their polls", () =>
    Effect.gen(function* () {
      const { fiber } = yield* waiting(5, (id, polls) => id === "r-1" && polls === 2)
      const active = Effect.map(Metric.value(Metrics.waitsActive), ({ value }) => value)
      assert.strictEqual(yield* active, 5)
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(yield* active, 4)
      assert.isAtLeast((yield* Metric.value(Metrics.polls)).count, 10)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* active, 0)
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})

describe("a status that is not described", () => {
  it.effect("isn't final, and is logged once", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
    return Effect.gen(function* () {
      const statuses = ["paused", "running", "paused", "odd", "completed"]
      let polls = 0
      const fiber = yield* Effect.forkChild(
        Waiter.untilTerminal({
          kind: "run",
          id: "r-1",
          check: Effect.sync(() => statuses[polls++] ?? ""),
          isTerminal: (status) => status === "completed",
          isKnown: (status) => status === "running" || status === "completed",
          schedule: PollSchedule.every("1 second")
        })
      )
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "completed")
      assert.deepStrictEqual(lines, [
        'Warn A run has the unknown status "paused": waiting goes on',
        'Warn A run has the unknown status "odd": waiting goes on'
      ])
    }).pipe(Effect.provide(Logger.layer([logger])))
  })
})

describe("a wait that ends as its poll is being sent", () => {
  it.effect("stops the poll, so that nothing is sent without a wait", () =>
    Effect.gen(function* () {
      const polled: Array<string> = []
      let leave = () => {}
      const waiter = yield* Waiter.make({
        check: (id: string) =>
          Effect.suspend(() => {
            leave()
            const answer = Effect.sync(() => {
              polled.push(id)
              return "running"
            })
            return Effect.andThen(Effect.sleep("1 second"), answer)
          }),
        isTerminal: (status: string) => status === "completed"
      })
      const fiber = yield* Effect.forkChild(waiter.untilTerminal("r-1"))
      leave = () => fiber.interruptUnsafe()
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(polled, [])
    })
  )
})
