import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { completed, request, standing, start, started, test } from "./starts.ts"
import { step } from "./asking.ts"

describe("control of a browser", () => {
  test(
    "can't be taken after the browser has stopped, and ends when the browser stops, so that the agent continues",
    Effect.gen(function* () {
      const { engine } = yield* start("a", {
        perform: (_, attempt) =>
          Stream.concat(
            Stream.make(started),
            Stream.fromEffect(
              Effect.gen(function* () {
                yield* attempt.browser
                yield* Effect.sleep("2 seconds")
                yield* attempt.step(step)
                return completed
              }).pipe(Effect.scoped)
            )
          )
      })
      const { session } = yield* engine.createSession(request)
      yield* TestClock.adjust("1 second")
      const { browserId } = (yield* engine.session(session.id)).session
      const id = browserId ?? ""
      yield* engine.takeControl(id, "ann", 600_000)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one running"])
      yield* engine.stopBrowser(id)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
      assert.isNull(yield* engine.controlOf(id))
      assert.deepInclude(yield* Effect.flip(engine.takeControl(id, "ann", 1000)), { _tag: "BrowserStopped", id })
      assert.isNull(yield* engine.controlOf(id))
    })
  )

  test(
    "makes an agent in the middle of a step wait before its next action",
    Effect.gen(function* () {
      const waits: Array<boolean> = []
      const { engine } = yield* start("a", {
        perform: (_, attempt) =>
          Stream.concat(
            Stream.make(started),
            Stream.fromEffect(
              Effect.gen(function* () {
                yield* attempt.browser
                yield* attempt.step(step)
                waits.push(yield* attempt.untilFree)
                yield* Effect.sleep("2 seconds")
                waits.push(yield* attempt.untilFree)
                waits.push(yield* attempt.untilFree)
                return completed
              }).pipe(Effect.scoped)
            )
          )
      })
      const { session } = yield* engine.createSession(request)
      yield* TestClock.adjust("1 second")
      const { browserId } = (yield* engine.session(session.id)).session
      yield* engine.takeControl(browserId ?? "", "ann", 60_000)
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(waits, [false])
      yield* engine.releaseControl(browserId ?? "", "ann")
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(waits, [false, true, false])
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
    })
  )
})
