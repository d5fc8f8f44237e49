import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { PollSchedule, Waiter } from "../src/index.ts"
import { everySecond, polled, type Script, scripted } from "./scripted.ts"

const Who = Context.Reference<string>("test/Who", { defaultValue: () => "no one" })

describe("Waiter.make", () => {
  const make = (script: Script) =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted(script)
      const waiter = yield* Waiter.make({ ...polled, check: () => check })
      return { waiter, polledAt }
    })

  it.effect("shares one poll loop between a thousand waits for one id", () =>
    Effect.gen(function* () {
      const { polledAt, waiter } = yield* make((poll) => (poll < 3 ? "running" : "completed"))
      const fiber = yield* Effect.forEach(
        Array.from({ length: 1000 }),
        () => waiter.untilTerminal("r-1", { schedule: everySecond }),
        { concurrency: "unbounded" }
      ).pipe(Effect.forkChild)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).length, 1000)
      assert.deepStrictEqual(polledAt, [1000, 2000, 3000])
    })
  )

  it.effect("polls different ids separately", () =>
    Effect.gen(function* () {
      const { polledAt, waiter } = yield* make(() => "completed")
      const fiber = yield* Effect.forEach(["a", "b"], (id) => waiter.untilTerminal(id, { schedule: everySecond }), {
        concurrency: "unbounded"
      }).pipe(Effect.forkChild)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(polledAt, [1000, 1000])
    })
  )

  it.effect("polls at the pace of the fastest wait, and each wait keeps its own deadline", () =>
    Effect.gen(function* () {
      const { polledAt, waiter } = yield* make((_, now) => (now >= 20_000 ? "completed" : "running"))
      const slow = yield* Effect.forkChild(waiter.untilTerminal("r", { schedule: PollSchedule.every("10 seconds") }))
      yield* TestClock.adjust("1 second")
      const fast = yield* Effect.forkChild(
        Effect.flip(waiter.untilTerminal("r", { schedule: everySecond, timeout: "3 seconds" }))
      )
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* Fiber.join(fast))._tag, "WaitTimeoutError")
      assert.deepStrictEqual(polledAt, [2000, 3000, 4000])
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* Fiber.join(slow), "completed")
      assert.deepStrictEqual(polledAt, [2000, 3000, 4000, 14_000, 24_000])
    })
  )

  it.effect("ends a wait at its own deadline while its poll is queued for the budget", () =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted(() => "running")
      const budget = { take: Effect.sleep("1 hour") }
      const waiter = yield* Waiter.make({ ...polled, check: () => check, budget })
      const patient = yield* Effect.forkChild(waiter.untilTerminal("r", { schedule: everySecond }))
      yield* TestClock.adjust("2 seconds")
      const hurried = yield* Effect.forkChild(
        Effect.flip(waiter.untilTerminal("r", { schedule: everySecond, timeout: "500 millis" }))
      )
      yield* TestClock.adjust("6 seconds")
      assert.isDefined(hurried.pollUnsafe())
      assert.strictEqual((yield* Fiber.join(hurried))._tag, "WaitTimeoutError")
      assert.deepStrictEqual(polledAt, [])
      assert.isUndefined(patient.pollUnsafe())
    })
  )

  it.effect("polls in the context of a wait that is still there: its references, span and log annotations", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const look = Effect.gen(function* () {
        const { name } = yield* Effect.currentSpan
        seen.push(`${yield* Who} ${name} ${String((yield* References.CurrentLogAnnotations)["who"])}`)
        return "running"
      })
      const waiter = yield* Waiter.make({ ...polled, check: () => Effect.orDie(look) })
      const waiting = (who: string) =>
        waiter
          .untilTerminal("r", { schedule: everySecond })
          .pipe(Effect.provideService(Who, who), Effect.withSpan(who), Effect.annotateLogs({ who }), Effect.forkChild)
      const first = yield* waiting("first")
      yield* TestClock.adjust("1 second")
      yield* waiting("second")
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(seen, ["first first first", "first first first", "second second second"])
    })
  )

  it.effect("shows the status to a late wait at once, without another poll", () =>
    Effect.gen(function* () {
      const { polledAt, waiter } = yield* make((poll) => (poll < 3 ? "running" : "completed"))
      const first = yield* Effect.forkChild(waiter.untilTerminal("r", { schedule: everySecond }))
      yield* TestClock.adjust("1500 millis")
      const seen: Array<string> = []
      const late = yield* waiter.watch("r", { schedule: PollSchedule.every("5 seconds"), first: 0 }).pipe(
        Stream.runForEach((status) => Effect.sync(() => seen.push(status))),
        Effect.forkChild
      )
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(seen, ["running"])
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(first)
      yield* Fiber.join(late)
      assert.deepStrictEqual(seen, ["running", "completed"])
      assert.deepStrictEqual(polledAt, [1000, 2000, 3000])
    })
  )

  it.effect("continues for other waits when one is interrupted, and stops with the last", () =>
    Effect.gen(function* () {
      const { polledAt, waiter } = yield* make(() => "running")
      const options = { schedule: everySecond }
      const one = yield* Effect.forkChild(waiter.untilTerminal("r", options))
      const two = yield* Effect.forkChild(waiter.untilTerminal("r", options))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(one)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(two)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(polledAt, [1000, 2000])
    })
  )

  it.effect("cuts off the poll in flight when the last wait is interrupted", () =>
    Effect.gen(function* () {
      let cut = false
      const check = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => (cut = true)))
      const waiter = yield* Waiter.make({ ...polled, check })
      const fiber = yield* Effect.forkChild(waiter.untilTerminal("r", { schedule: everySecond }))
      yield* TestClock.adjust("1 second")
      assert.isFalse(cut)
      yield* Fiber.interrupt(fiber)
      yield* Effect.yieldNow
      assert.isTrue(cut)
    })
  )

  it.effect("uses the schedule of the call, otherwise that of its creation", () =>
    Effect.gen(function* () {
      const made = make((poll) => (poll % 2 === 0 ? "completed" : "running"))
      const { polledAt, waiter } = yield* Effect.provideService(made, PollSchedule.Current, everySecond)
      const first = yield* Effect.forkChild(waiter.untilTerminal("r"))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(first)
      const second = yield* waiter
        .untilTerminal("r")
        .pipe(Effect.provideService(PollSchedule.Current, PollSchedule.every("5 seconds")), Effect.forkChild)
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(second)
      assert.deepStrictEqual(polledAt, [1000, 2000, 7000, 12_000])
    })
  )

  it.effect("ends its waits when its scope closes", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { waiter } = yield* Effect.provideService(
        make(() => "running"),
        Scope.Scope,
        scope
      )
      const fiber = yield* Effect.forkChild(waiter.untilTerminal("r", { schedule: everySecond }))
      yield* TestClock.adjust("1 second")
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      const late = yield* Effect.forkChild(waiter.untilTerminal("r", { schedule: everySecond }))
      yield* TestClock.adjust("1 second")
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(late)))
    })
  )

  it.effect("starts again for a wait that comes after the end", () =>
    Effect.gen(function* () {
      const { polledAt, waiter } = yield* make(() => "completed")
      for (const at of [1, 2]) {
        const fiber = yield* Effect.forkChild(waiter.untilTerminal("r", { schedule: everySecond }))
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* Fiber.join(fiber), "completed")
        assert.strictEqual(polledAt.length, at)
      }
    })
  )
})
