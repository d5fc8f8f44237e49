import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { PollSchedule, Waiter, WaitTimeoutError } from "../src/index.ts"
import { Blip, everySecond, Gone, polled, scripted } from "./scripted.ts"

describe("Waiter.untilTerminal", () => {
  it.effect("polls on its schedule and succeeds with the terminal value", () =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted((poll) => (poll < 4 ? "running" : "completed"))
      const schedule = PollSchedule.withFirst(everySecond, "2 seconds")
      const fiber = yield* Effect.forkChild(Waiter.untilTerminal({ ...polled, check, schedule }))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "completed")
      assert.deepStrictEqual(polledAt, [2000, 3000, 4000, 5000])
    })
  )

  it.effect("tells retryable whether a poll succeeded, and how long all polls have failed", () =>
    Effect.gen(function* () {
      const { check } = scripted((poll) => ([2, 5].includes(poll) ? "running" : poll < 7 ? new Blip() : "completed"))
      const told: Array<readonly [answered: boolean, silent_ms: number]> = []
      const retryable = (_: Blip | Gone, { answered, silent_ms }: Waiter.Silence) => {
        told.push([answered, silent_ms])
        return {}
      }
      const fiber = yield* Effect.forkChild(
        Waiter.untilTerminal({ ...polled, check, retryable, schedule: everySecond })
      )
      yield* TestClock.adjust("7 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "completed")
      assert.deepStrictEqual(told, [
        [false, 0],
        [true, 1000],
        [true, 2000],
        [true, 1000]
      ])
    })
  )

  const aYear = Duration.days(365)

  it.effect("polls again after 5 minutes if the service asks to wait for a year", () =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted((poll) =>
        poll === 2 ? new Blip(aYear) : poll < 4 ? "running" : "completed"
      )
      const fiber = yield* Effect.forkChild(Waiter.untilTerminal({ ...polled, check, schedule: everySecond }))
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* Fiber.join(fiber), "completed")
      assert.deepStrictEqual(polledAt, [1000, 2000, 302_000, 303_000])
    })
  )

  it.effect.each(["1 hour", "10 seconds"] as const)("waits for %s if an application sets that limit", (most) =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted((poll) => (poll === 1 ? new Blip(aYear) : "completed"))
      const wait = Waiter.untilTerminal({ ...polled, check, schedule: everySecond, timeout: "1 day" })
      const fiber = yield* Effect.forkChild(Effect.provideService(wait, PollSchedule.MaxRetryAfter, most))
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(yield* Fiber.join(fiber), "completed")
      assert.deepStrictEqual(polledAt, [1000, 1000 + Duration.toMillis(most)])
    })
  )

  it.effect("treats an unknown status as not final", () =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted((poll) => (poll < 3 ? "pondering" : "completed"))
      const fiber = yield* Effect.forkChild(Waiter.untilTerminal({ ...polled, check, schedule: everySecond }))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "completed")
      assert.strictEqual(polledAt.length, 3)
    })
  )

  it.effect("uses the schedule of its context by default", () =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted((poll) => (poll < 3 ? "running" : "completed"))
      const fiber = yield* Waiter.untilTerminal({ ...polled, check }).pipe(
        Effect.provideService(PollSchedule.Current, PollSchedule.every("7 seconds")),
        Effect.forkChild
      )
      yield* TestClock.adjust("21 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(polledAt, [7000, 14_000, 21_000])
    })
  )

  it.effect("survives temporary failures, and pauses as long as the service asks", () =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted((poll) =>
        poll === 1 ? new Blip() : poll === 2 ? new Blip(Duration.seconds(5)) : "completed"
      )
      const fiber = yield* Effect.forkChild(Waiter.untilTerminal({ ...polled, check, schedule: everySecond }))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "completed")
      assert.deepStrictEqual(polledAt, [1000, 2000, 7000])
    })
  )

  it.effect("ends at once with any other failure", () =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted(() => new Gone())
      const fiber = yield* Effect.forkChild(
        Effect.flip(Waiter.untilTerminal({ ...polled, check, schedule: everySecond }))
      )
      yield* TestClock.adjust("1 second")
      assert.instanceOf(yield* Fiber.join(fiber), Gone)
      assert.strictEqual(polledAt.length, 1)
    })
  )

  it.effect("fails with a defect of the check", () =>
    Effect.gen(function* () {
      const check = Effect.die("broken")
      const fiber = yield* Effect.forkChild(
        Effect.exit(Waiter.untilTerminal({ isTerminal: () => true, check, schedule: everySecond }))
      )
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(fiber), Exit.die("broken"))
    })
  )

  it.effect("fails at its deadline, after a last poll, with the last status", () =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted(() => "running")
      const wait = { ...polled, id: "r-1", check, schedule: everySecond, timeout: "3500 millis" } as const
      const fiber = yield* Effect.forkChild(Effect.flip(Waiter.untilTerminal(wait)))
      yield* TestClock.adjust("10 seconds")
      const error = yield* Fiber.join(fiber)
      assert.instanceOf(error, WaitTimeoutError)
      if (!(error instanceof WaitTimeoutError)) return
      assert.deepStrictEqual([error.id, error.lastStatus, error.polls, error.waited_ms], ["r-1", "running", 4, 3500])
      assert.match(
        error.message,
        /^run r-1 is still "running" after 3s 500ms and 4 polls\. It may continue and cost money/u
      )
      assert.deepStrictEqual(polledAt, [1000, 2000, 3000, 3500])
    })
  )

  it.effect("a terminal status seen at the deadline wins", () =>
    Effect.gen(function* () {
      const { check } = scripted((_, now) => (now >= 3500 ? "completed" : "running"))
      const wait = { ...polled, check, schedule: everySecond, timeout: "3500 millis" } as const
      const fiber = yield* Effect.forkChild(Waiter.untilTerminal(wait))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "completed")
    })
  )

  it.effect("a terminal status that arrives after the deadline wins, if its poll was in flight", () =>
    Effect.gen(function* () {
      const check = Effect.delay(Effect.succeed("completed"), "3 seconds")
      const wait = { ...polled, check, schedule: everySecond, timeout: "2 seconds" } as const
      const fiber = yield* Effect.forkChild(Waiter.untilTerminal(wait))
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "completed")
    })
  )

  it.effect("a poll without a response delays the deadline by at most 5 s", () =>
    Effect.gen(function* () {
      const { check } = scripted(() => "hang")
      const wait = { ...polled, id: "r-1", check, schedule: everySecond, timeout: "2 seconds" } as const
      const fiber = yield* Effect.forkChild(Effect.flip(Waiter.untilTerminal(wait)))
      yield* TestClock.adjust("7 seconds")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error._tag, "WaitTimeoutError")
      assert.match(error instanceof WaitTimeoutError ? error.message : "", /never answered/u)
    })
  )

  it.effect("makes no last poll while the service asks to wait", () =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted(() => new Blip(Duration.minutes(1)))
      const wait = { ...polled, check, schedule: everySecond, timeout: "10 seconds" } as const
      const fiber = yield* Effect.forkChild(Effect.flip(Waiter.untilTerminal(wait)))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "WaitTimeoutError")
      assert.deepStrictEqual(polledAt, [1000])
    })
  )

  it.effect("is interrupted at once, even with a poll in flight, and stops polling", () =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted(() => "hang")
      const fiber = yield* Effect.forkChild(Waiter.untilTerminal({ ...polled, check, schedule: everySecond }))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(polledAt.length, 1)
    })
  )
})

describe("Waiter.atOnce", () => {
  it.effect("polls first without a delay, unless the options have one", () =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted(() => "completed")
      const wait = { ...polled, check }
      yield* Waiter.untilTerminal({ ...wait, ...Waiter.atOnce() })
      yield* Waiter.untilTerminal({ ...wait, ...Waiter.atOnce({ schedule: everySecond, first: undefined }) })
      const told = Waiter.untilTerminal({ ...wait, ...Waiter.atOnce({ schedule: everySecond, first: "3 seconds" }) })
      const fiber = yield* Effect.forkChild(told)
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(polledAt, [0, 0, 3000])
    })
  )
})

describe("Waiter.watch", () => {
  it.effect("emits each status once, the terminal one last", () =>
    Effect.gen(function* () {
      const { check } = scripted(
        (poll) => ["queued", "queued", "running", "running", "queued", "completed"][poll - 1] ?? ""
      )
      const fiber = yield* Waiter.watch({ ...polled, check, schedule: everySecond }).pipe(
        Stream.runCollect,
        Effect.forkChild
      )
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["queued", "running", "queued", "completed"])
    })
  )

  it.effect("keeps each status for a reader that is slower than the polls", () =>
    Effect.gen(function* () {
      const { check } = scripted((poll) => ["queued", "running", "queued", "running", "completed"][poll - 1] ?? "")
      const fiber = yield* Waiter.watch({ ...polled, check, schedule: everySecond }).pipe(
        Stream.tap(() => Effect.sleep("3 seconds")),
        Stream.runCollect,
        Effect.forkChild
      )
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["queued", "running", "queued", "running", "completed"])
    })
  )

  it.effect("fails with the error of the wait", () =>
    Effect.gen(function* () {
      const { check } = scripted((poll) => (poll === 1 ? "queued" : new Gone()))
      const seen: Array<string> = []
      const fiber = yield* Waiter.watch({ ...polled, check, schedule: everySecond }).pipe(
        Stream.runForEach((status) => Effect.sync(() => seen.push(status))),
        Effect.flip,
        Effect.forkChild
      )
      yield* TestClock.adjust("10 seconds")
      assert.instanceOf(yield* Fiber.join(fiber), Gone)
      assert.deepStrictEqual(seen, ["queued"])
    })
  )
})
