import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as TestClock from "effect/testing/TestClock"
import * as Cast from "../../src/cast/Cast.ts"
import type * as Pacing from "../../src/cast/Pacing.ts"

/** Lets time pass in small steps, so that whatever waits for a moment is done at that moment. */
const pass = (span_ms: number, step_ms = 4): Effect.Effect<void> =>
  Effect.forEach(
    Array.from({ length: span_ms / step_ms }),
    () => Effect.andThen(Effect.yieldNow, TestClock.adjust(step_ms)),
    { discard: true }
  )

/** A page that is looked at, with everything that it was asked for. */
const looking = Effect.fnUntraced(function* (echoes: "echoes" | "silent" = "silent", hasFirstFrame = true) {
  const signals = yield* Queue.unbounded<Pacing.Signal>()
  const frame = (picture: string) => void Queue.offerUnsafe(signals, { _tag: "Changed", picture })
  const shown: Array<string> = []
  const asked = { captures: 0, starts: 0, stops: 0 }
  const page = { content: "blank", answers: true }
  const screen: Cast.Screen<never> = {
    startScreencast: Effect.sync(() => {
      asked.starts++
      if (hasFirstFrame) frame(page.content)
    }),
    stopScreencast: Effect.sync(() => void asked.stops++),
    capture: Effect.suspend(() => {
      asked.captures++
      if (!page.answers) return Effect.never
      const answer = Effect.delay(
        Effect.sync(() => page.content),
        30
      )
      // Chromium draws the page once more for a capture, which the screencast takes for a change
      return echoes === "echoes" ? Effect.tap(answer, (picture) => Effect.sync(() => frame(picture))) : answer
    })
  }
  yield* Effect.forkScoped(Cast.run(screen, signals, (picture) => void shown.push(picture)))
  /** The page changes, and the screencast sends a frame of it unless that is dropped. */
  const change = (content: string, isDropped = false) =>
    Effect.sync(() => {
      page.content = content
      if (!isDropped) frame(content)
    })
  yield* pass(10_000)
  return { asked, change, page, shown }
})

describe("a cast", () => {
  it.effect("has a picture of a page whose screencast starts without a frame", () =>
    Effect.gen(function* () {
      const { asked, shown } = yield* looking("silent", false)
      assert.deepStrictEqual(shown, ["blank"])
      assert.strictEqual(asked.captures, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("shows a change at once", () =>
    Effect.gen(function* () {
      const { change, shown } = yield* looking()
      yield* change("clicked")
      yield* pass(4)
      assert.strictEqual(shown.at(-1), "clicked")
    }).pipe(Effect.scoped)
  )

  it.effect("shows at most six pictures per second, and always the newest at the end", () =>
    Effect.gen(function* () {
      const { change, shown } = yield* looking()
      shown.length = 0
      for (let at = 0; at < 10; at++) {
        yield* change(`frame ${at}`)
        yield* pass(100)
      }
      assert.isAtMost(shown.length, 7)
      yield* pass(1000)
      assert.strictEqual(shown.at(-1), "frame 9")
    }).pipe(Effect.scoped)
  )

  it.effect("ends with the current page even if the last frames of a burst are dropped", () =>
    Effect.gen(function* () {
      const { change, shown } = yield* looking("echoes")
      for (let burst = 0; burst < 12; burst++) {
        for (let at = 0; at < 4; at++) {
          yield* change(`burst ${burst}, change ${at}`, at > 1)
          yield* pass(16)
        }
        yield* pass(600)
        assert.strictEqual(shown.at(-1), `burst ${burst}, change 3`)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("shows a change whose frame is dropped behind the echo of a capture", () =>
    Effect.gen(function* () {
      const { change, shown } = yield* looking("echoes")
      yield* change("clicked")
      // the capture begins after 180 ms and takes 30 ms; its echo is under way
      yield* pass(216)
      yield* change("late", true)
      yield* pass(30_000)
      assert.strictEqual(shown.at(-1), "late")
    }).pipe(Effect.scoped)
  )

  it.effect("captures a still page less and less often", () =>
    Effect.gen(function* () {
      const { asked, shown } = yield* looking("echoes")
      asked.captures = 0
      shown.length = 0
      yield* pass(120_000, 20)
      assert.isAtMost(asked.captures, 7)
      assert.deepStrictEqual(shown, [])
    }).pipe(Effect.scoped)
  )

  it.effect("polls an animated page, and returns to the screencast when it is still", () =>
    Effect.gen(function* () {
      const { asked, change, shown } = yield* looking()
      for (let frame = 0; frame < 60; frame++) {
        yield* change(`frame ${frame}`)
        yield* pass(16)
      }
      assert.deepInclude(asked, { starts: 1, stops: 1 })
      asked.captures = 0
      shown.length = 0
      for (let frame = 60; frame < 180; frame++) {
        yield* change(`frame ${frame}`)
        yield* pass(16)
      }
      // 1.92 s
      assert.isAtLeast(asked.captures, 8)
      assert.isAtMost(asked.captures, 11)
      assert.isAtMost(shown.length, 11)
      yield* pass(2000)
      assert.strictEqual(asked.starts, 2)
      assert.strictEqual(shown.at(-1), "frame 179")
      yield* change("clicked")
      yield* pass(400)
      assert.strictEqual(shown.at(-1), "clicked")
    }).pipe(Effect.scoped)
  )

  it.effect("continues if a capture never gets a response", () =>
    Effect.gen(function* () {
      const { asked, change, page, shown } = yield* looking()
      page.answers = false
      yield* change("navigates")
      yield* pass(1300)
      page.answers = true
      page.content = "arrived"
      yield* pass(1000)
      assert.strictEqual(shown.at(-1), "arrived")
      page.answers = false
      for (let frame = 0; frame < 30; frame++) {
        yield* change(`frame ${frame}`)
        yield* pass(16)
      }
      assert.strictEqual(asked.stops, 1)
      yield* pass(1000)
      // polling does not wait for the capture either
      assert.strictEqual(asked.starts, 2)
    }).pipe(Effect.scoped)
  )
})
