import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { PollSchedule, Waiter, WaitTimeoutError } from "../src/index.ts"

class Blip {
  readonly _tag = "Blip"
  readonly retryAfter: Duration.Duration | undefined
  constructor(retryAfter?: Duration.Duration) {
    this.retryAfter = retryAfter
  }
}

const Who = Context.Reference<string>("test/Who", { defaultValue: () => "no one" })

class Gone {
  readonly _tag = "Gone"
}

type Script = (poll: number, now: number) => string | Blip | Gone | "hang"

/** Something to poll that notes when it is polled. */
const scripted = (script: Script) => {
  const polledAt: Array<number> = []
  const check = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    polledAt.push(now)
    const answer = script(polledAt.length, now)
    if (answer === "hang") return yield* Effect.never
    return typeof answer === "string" ? answer : yield* Effect.fail(answer)
  })
  return { polledAt, check }
}

const polled = {
  kind: "run",
  isTerminal: (status: string) => status === "completed",
  retryable: (error: Blip | Gone) => (error._tag === "Blip" ? { retryAfter: error.retryAfter } : undefined)
}

const everySecond = PollSchedule.every("1 second")

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

  it.effect("tells retryable whether there was an answer, and how long nothing but failures has come", () =>
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

  it.effect("comes back after 5 minutes to a service that asks to be left alone for a year", () =>
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

  it.effect.each(["1 hour", "10 seconds"] as const)("leaves it alone for %s where an application says so", (most) =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted((poll) => (poll === 1 ? new Blip(aYear) : "completed"))
      const wait = Waiter.untilTerminal({ ...polled, check, schedule: everySecond, timeout: "1 day" })
      const fiber = yield* Effect.forkChild(Effect.provideService(wait, PollSchedule.MaxRetryAfter, most))
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(yield* Fiber.join(fiber), "completed")
      assert.deepStrictEqual(polledAt, [1000, 1000 + Duration.toMillis(most)])
    })
  )

  it.effect("takes a status that it does not know for one that is not terminal", () =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted((poll) => (poll < 3 ? "pondering" : "completed"))
      const fiber = yield* Effect.forkChild(Waiter.untilTerminal({ ...polled, check, schedule: everySecond }))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "completed")
      assert.strictEqual(polledAt.length, 3)
    })
  )

  it.effect("uses the cadence of its surroundings unless told", () =>
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

  it.effect("survives failures that may pass, and leaves the service alone as long as it asks", () =>
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

  it.effect("passes a defect of the check on", () =>
    Effect.gen(function* () {
      const check = Effect.die("broken")
      const fiber = yield* Effect.forkChild(
        Effect.exit(Waiter.untilTerminal({ isTerminal: () => true, check, schedule: everySecond }))
      )
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(fiber), Exit.die("broken"))
    })
  )

  it.effect("fails at its deadline, after a last poll, and says what it knows", () =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted(() => "running")
      const wait = { ...polled, id: "r-1", check, schedule: everySecond, timeout: "3500 millis" } as const
      const fiber = yield* Effect.forkChild(Effect.flip(Waiter.untilTerminal(wait)))
      yield* TestClock.adjust("10 seconds")
      const error = yield* Fiber.join(fiber)
      assert.instanceOf(error, WaitTimeoutError)
      if (!(error instanceof WaitTimeoutError)) return
      assert.deepStrictEqual([error.id, error.lastStatus, error.polls, error.waited_ms], ["r-1", "running", 4, 3500])
      assert.match(error.message, /^run r-1 is still "running" after 3s 500ms and 4 polls\. It may go on .* and cost/u)
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

  it.effect("a poll that never comes back does not hold the deadline for longer than 5 s", () =>
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

  it.effect("makes no last poll while the service wants to be left alone", () =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted(() => new Blip(Duration.minutes(1)))
      const wait = { ...polled, check, schedule: everySecond, timeout: "10 seconds" } as const
      const fiber = yield* Effect.forkChild(Effect.flip(Waiter.untilTerminal(wait)))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "WaitTimeoutError")
      assert.deepStrictEqual(polledAt, [1000])
    })
  )

  it.effect("can be interrupted at once, even with a poll in flight, and polls no more", () =>
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
  it.effect("makes the first poll at once whatever the schedule, unless told when", () =>
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

  it.effect("fails as the wait does", () =>
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

describe("Waiter.make", () => {
  const make = (script: Script) =>
    Effect.gen(function* () {
      const { check, polledAt } = scripted(script)
      const waiter = yield* Waiter.make({ ...polled, check: () => check })
      return { waiter, polledAt }
    })

  it.effect("a thousand waits for one id are one poll loop", () =>
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

  it.effect("waits for different ids poll separately", () =>
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

  it.effect("the fastest of its waits sets the pace, each keeps its own deadline", () =>
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

  it.effect("one whose poll is queued for the budget ends at its own deadline", () =>
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

  it.effect("polls are made where one waits who has not left: its references, span and log annotations", () =>
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

  it.effect("one who comes late sees the status at once and causes no poll of its own", () =>
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

  it.effect("goes on for the others when one is interrupted, and stops with the last", () =>
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

  it.effect("takes the cadence of the call, else the one of where it was made", () =>
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

  it.effect("starts afresh for a wait that comes after the end", () =>
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
