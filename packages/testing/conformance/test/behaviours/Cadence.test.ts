import { assert, describe, it } from "@effect/vitest"
import { PollSchedule } from "@webagent/polling"
import { Control, Server, SimulatedService } from "@webagent/simulation"
import { Runs, V4 } from "@webagent/v4"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"

/** The client as it comes, at the service in this process: time is virtual. */
const layer = Layer.unwrap(
  Effect.map(Server, ({ address, apiKeys }) =>
    Layer.orDie(V4.layerClient({ baseUrl: address, apiKey: apiKeys[0] ?? "" }))
  )
).pipe(Layer.provideMerge(SimulatedService.layerHttpClient()))

/** When statuses were asked for, in milliseconds. */
const polledAt = Effect.map(
  Control.use((control) => control.journal({ type: "request", limit: 20_000 })),
  ({ entries }) =>
    entries.flatMap((row) => (row.type === "request" && row.operation === "v4.getRunStatus" ? [row.at_ms] : []))
)

/** Waits for a run that takes so long: how late it was noticed, and how many polls it took. */
const waiting = Effect.fnUntraced(function* (took_ms: number) {
  const runs = yield* Runs
  const before = (yield* polledAt).length
  const began_ms = yield* Clock.currentTimeMillis
  const fiber = yield* Effect.forkChild(
    Effect.andThen(runs.createAndWait({ task: `[simulate duration=${took_ms}ms]` }), Clock.currentTimeMillis)
  )
  yield* TestClock.adjust(took_ms + 30_000)
  const late_ms = (yield* Fiber.join(fiber)) - began_ms - took_ms
  return { late_ms, polls: (yield* polledAt).length - before }
})

/** The most that were within any 100 ms. */
const peak = (instants: ReadonlyArray<number>) =>
  Math.max(...instants.map((from) => instants.filter((at) => at >= from && at < from + 100).length))

describe("the polling schedule", () => {
  it.effect("W11: notices short runs within two seconds, and polls long ones less than every 2 s", () =>
    Effect.gen(function* () {
      const [short, some, long] = [yield* waiting(150), yield* waiting(8100), yield* waiting(300_000)]
      assert.isAtMost(short.late_ms, 2200)
      assert.isAtMost(some.late_ms, 1100)
      assert.isAtMost(long.late_ms, 5000)
      assert.isAtMost(long.polls, 135)
    }).pipe(Effect.provide(layer), Random.withSeed("cadence"))
  )

  it.effect("W11: lets the caller choose the time of the first poll", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      // created first, and whatever its status is: what is not a poll is no matter of virtual time here
      const { id } = yield* runs.create({ task: "[simulate duration=150ms]" })
      const first = Stream.runHead(runs.watch(id, { first: "200 millis" }))
      const fiber = yield* Effect.forkChild(first, { startImmediately: true })
      // jittered by a tenth, as every poll is
      yield* TestClock.adjust("220 millis")
      assert.isTrue(Option.isSome(yield* Fiber.join(fiber)))
      const [polled = 0, ...more] = yield* polledAt
      assert.isTrue(polled >= 180 && polled <= 220 && more.length === 0, `${polled}`)
    }).pipe(Effect.provide(layer), Random.withSeed("cadence"))
  )

  it.effect("W12: spreads the polls of a hundred waits that start together", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 100 }, (_, index) => index),
          (index) => runs.createAndWait({ task: `${index} [simulate duration=10s]` }),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("30 seconds")
      assert.lengthOf(yield* Fiber.join(fiber), 100)
      const polls = yield* polledAt
      assert.isAtMost(polls.length, 1000)
      assert.isAtMost(peak(polls), 15)
    }).pipe(Effect.provide(layer), Random.withSeed("cadence"))
  )

  it.effect("W13: limits an interval of zero to the poll budget", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(
        runs.createAndWait({ task: "[simulate duration=2s]" }, { schedule: PollSchedule.every(0) })
      )
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).status, "completed")
      assert.isAtMost((yield* polledAt).length, 120)
      assert.isAtMost(peak(yield* polledAt), 16)
    }).pipe(Effect.provide(layer), Random.withSeed("cadence"))
  )
})
