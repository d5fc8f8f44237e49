import type { TimeMode } from "@webagent/control"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { ServiceClock } from "../../src/time/ServiceClock.ts"

/** What a fiber does: waits, and what it then begins. */
interface Step {
  readonly after_ms: number
  readonly does: "go-on" | "fork" | "race" | "give-up" | "hop"
  readonly next: ReadonlyArray<Step>
}

const wait = Schema.Union([
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 })),
  Schema.Literals([0.25, 7.5, 33.1])
])

const stepsOf = (depth: number): Schema.Codec<ReadonlyArray<Step>> =>
  Schema.Array(
    Schema.Struct({
      after_ms: wait,
      does: Schema.Literals(["go-on", "fork", "race", "give-up", "hop"]),
      next: depth === 0 ? Schema.Tuple([]) : stepsOf(depth - 1)
    })
  ).check(Schema.isMaxLength(3))

const Fibers = Schema.NonEmptyArray(stepsOf(2)).check(Schema.isMaxLength(4))
const Moves = Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 80 }))).check(
  Schema.isMaxLength(5)
)

/** Writes down who woke when. */
const perform = (steps: ReadonlyArray<Step>, name: string, log: Array<string>): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const [index, { after_ms, does, next }] of steps.entries()) {
      const me = `${name}.${index}`
      const wait = Effect.sleep(Duration.millis(after_ms))
      if (does === "race") yield* Effect.raceFirst(wait, Effect.sleep(Duration.millis(after_ms / 2)))
      else if (does === "give-up") yield* Effect.ignore(Effect.timeout(wait, Duration.millis(20)))
      else yield* wait
      log.push(`${me} at ${yield* Clock.monotonicTimeNanos}`)
      const rest = perform(next, me, log)
      if (does === "fork") yield* Effect.forkChild(rest)
      else if (does === "hop") yield* Fiber.join(yield* Effect.forkChild(Effect.andThen(Effect.yieldNow, rest)))
      else yield* rest
    }
    yield* Effect.never
  })

const play = Effect.fnUntraced(function* (
  fibers: ReadonlyArray<ReadonlyArray<Step>>,
  moves: ReadonlyArray<number>,
  advance: (by: Duration.Duration) => Effect.Effect<void>
) {
  const log: Array<string> = []
  const running = yield* Effect.forEach(fibers, (steps, index) => Effect.forkChild(perform(steps, String(index), log)))
  for (const by of moves) {
    yield* advance(Duration.millis(by))
    log.push(`moved to ${yield* Clock.monotonicTimeNanos}`)
  }
  yield* Fiber.interruptAll(running)
  return log
})

/** Service time, and everything waits in it. */
const layerIn = (time: TimeMode) => Layer.provideMerge(ServiceClock.layerClock, ServiceClock.layer(time))

const service = (time: TimeMode) => Effect.map(Layer.build(ServiceClock.layer(time)), Context.get(ServiceClock))

/** Goes to sleep on that clock; `at_ms` is when it woke. */
const sleepOn = Effect.fnUntraced(function* (clock: ServiceClock["Service"], duration: Duration.Input) {
  const woke: { at_ms?: number } = {}
  yield* Effect.forkChild(
    Effect.andThen(
      Effect.sleep(duration),
      Clock.clockWith((here) => Effect.sync(() => (woke.at_ms = here.currentTimeMillisUnsafe())))
    ).pipe(Effect.provideService(Clock.Clock, clock.clock))
  )
  yield* Effect.yieldNow
  return woke
})

describe("ServiceClock", () => {
  it.effect.prop(
    "wakes every program in manual time as TestClock does",
    [Fibers, Moves],
    ([fibers, moves]) =>
      Effect.gen(function* () {
        const virtual = yield* play(fibers, moves, (by) => TestClock.adjust(by))
        const manual = yield* ServiceClock.use((clock) =>
          play(fibers, moves, (by) => Effect.orDie(clock.advance(by)))
        ).pipe(Effect.provide(layerIn({ mode: "manual" })), Effect.provide(TestClock.layer()))
        assert.deepStrictEqual(manual, virtual)
      }).pipe(Effect.provide(TestClock.layer())),
    { arbitrary: { seed: 1, runs: 200 } }
  )

  it.effect.prop(
    "follows the surrounding clock in real time, as over a TestClock",
    [Fibers, Moves],
    ([fibers, moves]) =>
      Effect.gen(function* () {
        const virtual = yield* play(fibers, moves, (by) => TestClock.adjust(by))
        const real = yield* Effect.gen(function* () {
          const around = yield* Clock.Clock
          const adjust = (by: Duration.Duration) => Effect.provideService(TestClock.adjust(by), Clock.Clock, around)
          return yield* Effect.provide(play(fibers, moves, adjust), layerIn({ mode: "real" }))
        }).pipe(Effect.provide(TestClock.layer()))
        // those of one moment wake together, as timers of one moment do
        assert.deepStrictEqual(real.toSorted(), virtual.toSorted())
      }).pipe(Effect.provide(TestClock.layer())),
    { arbitrary: { seed: 1, runs: 200 } }
  )

  it.effect("passes a minute in a second when it is scaled by 60", () =>
    Effect.gen(function* () {
      const clock = yield* service({ mode: "scaled", factor: 60 })
      const woke = yield* sleepOn(clock, "1 minute")
      yield* TestClock.adjust("999 millis")
      assert.isUndefined(woke.at_ms)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(woke.at_ms, 60_000)
    })
  )

  it.effect("wakes a timer at its moment of service time, however time passes until then, without a jump", () =>
    Effect.gen(function* () {
      const clock = yield* service({ mode: "real" })
      const woke = yield* sleepOn(clock, "100 seconds")
      const now = Effect.map(clock.view, ({ now_ms }) => now_ms / 1000)
      yield* TestClock.adjust("10 seconds")
      yield* clock.go({ mode: "scaled", factor: 4 })
      assert.strictEqual(yield* now, 10)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* now, 50)
      yield* clock.go({ mode: "manual" })
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* now, 50)
      yield* clock.advance("30 seconds")
      yield* clock.go({ mode: "real" })
      yield* TestClock.adjust("19 seconds")
      assert.deepStrictEqual([yield* now, woke.at_ms], [99, undefined])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([yield* now, woke.at_ms], [100, 100_000])
    })
  )

  it.effect("wakes waiting fibers earlier if time is sped up, and later if it is slowed down", () =>
    Effect.gen(function* () {
      const clock = yield* service({ mode: "real" })
      const first = yield* sleepOn(clock, "100 seconds")
      const second = yield* sleepOn(clock, "110 seconds")
      yield* clock.go({ mode: "scaled", factor: 10 })
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(first.at_ms, 100_000)
      yield* clock.go({ mode: "scaled", factor: 0.5 })
      yield* TestClock.adjust("19 seconds")
      assert.isUndefined(second.at_ms)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(second.at_ms, 110_000)
    })
  )

  it.effect("keeps the remaining length of sleeps when the time is set", () =>
    Effect.gen(function* () {
      const clock = yield* service({ mode: "manual" })
      const woke = yield* sleepOn(clock, "10 seconds")
      yield* clock.advance("4 seconds")
      yield* clock.setNow(1_000_000)
      assert.strictEqual(clock.clock.currentTimeMillisUnsafe(), 1_000_000)
      assert.strictEqual(clock.clock.currentTimeNanosUnsafe(), 1_000_000_000_000n)
      yield* clock.advance("6 seconds")
      assert.strictEqual(woke.at_ms, 1_006_000)
    })
  )

  it.effect("doesn't advance time that isn't manual", () =>
    Effect.gen(function* () {
      for (const time of [{ mode: "real" }, { mode: "scaled", factor: 60 }] as const) {
        const clock = yield* service(time)
        const error = yield* Effect.flip(clock.advance("1 second"))
        assert.deepStrictEqual(error.time, time)
      }
    })
  )

  it.live("isn't blocked for good by a fiber that never pauses", () =>
    Effect.gen(function* () {
      const clock = yield* ServiceClock
      const busy = yield* Effect.forkChild(Effect.andThen(Effect.sleep("1 second"), Effect.forever(Effect.yieldNow)))
      const woke = yield* sleepOn(clock, "2 seconds")
      yield* Effect.orDie(clock.advance("3 seconds"))
      assert.isDefined(woke.at_ms)
      yield* Fiber.interrupt(busy)
    }).pipe(Effect.provide(layerIn({ mode: "manual" })))
  )

  it.effect("skips no timer after the machine was suspended", () => {
    // time flies by while a fiber takes a few steps
    const flying = Layer.effect(
      Clock.Clock,
      Effect.map(Clock.Clock, (clock): Clock.Clock => Object.create(clock, { sleep: { value: () => Effect.yieldNow } }))
    )
    return Effect.gen(function* () {
      const clock = yield* ServiceClock
      let steps = 0
      const step = Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => steps++)
      )
      yield* Effect.forkChild(Effect.andThen(Effect.sleep("1 second"), Effect.repeat(step, { times: 99 })))
      yield* Effect.yieldNow
      yield* Effect.orDie(clock.advance("3 seconds"))
      assert.strictEqual(steps, 100)
    }).pipe(Effect.provide(layerIn({ mode: "manual" }).pipe(Layer.provide(flying))))
  })

  it.effect("forgets an interrupted sleep immediately", () =>
    Effect.gen(function* () {
      const clock = yield* service({ mode: "manual" })
      const fibers = yield* Effect.forEach(Array.from({ length: 1000 }), (_, index) =>
        Effect.forkChild(clock.clock.sleep(Duration.seconds(1000 - index)))
      )
      yield* Effect.yieldNow
      assert.strictEqual(yield* clock.timers, 1000)
      yield* Fiber.interruptAll(fibers.slice(0, 999))
      assert.strictEqual(yield* clock.timers, 1)
      yield* clock.advance("1 second")
      assert.strictEqual(yield* clock.timers, 0)
    })
  )

  it.live("sleeps as long as requested over the process's clock, divided by the scale", () =>
    Effect.gen(function* () {
      const clock = yield* service({ mode: "scaled", factor: 1000 })
      const from = (yield* clock.view).realNow_ms
      yield* Effect.provideService(Effect.sleep("20 seconds"), Clock.Clock, clock.clock)
      const { now_ms, realNow_ms } = yield* clock.view
      assert.isAtLeast(realNow_ms - from, 19)
      assert.isAtLeast(now_ms - from, 20_000)
    })
  )
})
