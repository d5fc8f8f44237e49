import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { StreamingAgent } from "../src/StreamingAgent.ts"
import { BrowserPool, LaunchFailed } from "../src/ports/BrowserPool.ts"
import * as ports from "./ports.ts"
import { completed, request, standing, start, started, test } from "./starts.ts"

const perform: StreamingAgent["perform"] = (_turn, attempt) =>
  Stream.unwrap(Effect.as(attempt.browser, Stream.make(started, completed)))

/** Room for this many browsers. A launch that may wait looks for room each second, without end. */
const poolOf = (most: number, ofOwner = false) => {
  let taken = 0
  let waiting = 0
  const layer = Layer.succeed(BrowserPool, {
    launch: (browser, wait) =>
      Effect.suspend((): Effect.Effect<typeof ports.browser, LaunchFailed> => {
        const { owner } = browser
        const whose = ofOwner && owner !== null ? { owner } : {}
        const full = new LaunchFailed({ reason: "full", message: "All browsers are in use", ...whose })
        const room = Effect.suspend(() => {
          if (taken < most) return Effect.void
          wait?.onRefused(full)
          return Effect.fail(full)
        })
        const looks = Effect.retry(room, Schedule.spaced("1 second"))
        const place =
          wait === undefined
            ? room
            : Effect.suspend(() => {
                waiting += 1
                return Effect.ensuring(
                  Effect.raceFirst(looks, wait.over),
                  Effect.sync(() => void (waiting -= 1))
                )
              })
        return Effect.map(place, () => {
          taken += 1
          wait?.onPlace()
          return { ...ports.browser, stop: Effect.sync(() => void (taken -= 1)) }
        })
      })
  })
  return { layer, waiting: () => waiting }
}

describe("a run without a free browser", () => {
  test(
    "waits for a browser that another client stops, while POST /browsers fails at once",
    Effect.gen(function* () {
      const { engine } = yield* start("a", { perform, browsers: poolOf(1).layer })
      const { browser } = yield* engine.createBrowser({ proxyCountryCode: null })
      const { session } = yield* engine.createSession(request)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one dispatching"])
      assert.strictEqual((yield* Effect.flip(engine.createBrowser({ proxyCountryCode: null })))._tag, "LaunchFailed")
      yield* engine.stopBrowser(browser.id)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
    })
  )

  test(
    "gets the room of a session's browser as soon as its run is over",
    Effect.gen(function* () {
      const slow: StreamingAgent["perform"] = (turn, attempt) =>
        Stream.unwrap(
          Effect.as(
            attempt.browser,
            Stream.concat(
              Stream.make(started),
              Stream.fromEffect(Effect.as(Effect.sleep(turn.task === "one" ? "5 seconds" : "1 second"), completed))
            )
          )
        )
      const { engine } = yield* start("a", { perform: slow, browsers: poolOf(1).layer })
      const first = yield* engine.createSession(request)
      yield* TestClock.adjust("1 second")
      const second = yield* engine.createSession({ ...request, task: "two" })
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* standing(second.session.id), ["two dispatching"])
      yield* TestClock.adjust("6 seconds")
      assert.deepStrictEqual(yield* standing(first.session.id), ["one completed"])
      assert.deepStrictEqual(yield* standing(second.session.id), ["two completed"])
    })
  )

  test(
    "leaves the queue at once when it is cancelled",
    Effect.gen(function* () {
      const pool = poolOf(0)
      const { engine } = yield* start("a", { perform, browsers: pool.layer })
      const { session } = yield* engine.createSession(request)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(pool.waiting(), 1)
      const [turn] = (yield* engine.session(session.id)).turns
      yield* engine.cancelTurn(turn?.id ?? "")
      yield* TestClock.adjust(0)
      assert.strictEqual(pool.waiting(), 0)
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled"])
    })
  )

  test(
    "goes back to the queue when the server drains, and the next start carries it out",
    Effect.gen(function* () {
      const pool = poolOf(0)
      const first = yield* start("a", { perform, browsers: pool.layer })
      const { session } = yield* first.engine.createSession(request)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(pool.waiting(), 1)
      const drained = yield* Effect.forkChild(first.engine.drain("1 minute"), { startImmediately: true })
      yield* TestClock.adjust(0)
      assert.strictEqual(yield* Fiber.join(drained), 0)
      assert.deepStrictEqual(yield* standing(session.id), ["one queued"])
      yield* first.close
      yield* start("b", { perform })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
    })
  )
})
