import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { BrowserPool } from "../src/ports/BrowserPool.ts"
import { Store, StoreUnavailable } from "../src/ports/Store.ts"
import { completed, type Parts, request, standing, start, started, test } from "./starts.ts"

describe("starting after a kill", () => {
  test(
    "runs queued turns, and fails running ones with a reason and their cost",
    Effect.gen(function* () {
      let paid = false
      const first = yield* start("a", {
        perform: (_, attempt) =>
          Stream.make(started).pipe(
            Stream.concat(Stream.fromEffectDrain(attempt.used({ cost: "0.42" }))),
            Stream.concat(Stream.fromEffectDrain(Effect.sleep("1 hour"))),
            Stream.concat(
              Stream.fromEffectDrain(
                Effect.andThen(
                  attempt.step({ summary: "pay", address: null, picture: null }),
                  Effect.sync(() => (paid = true))
                )
              )
            )
          )
      })
      const { session } = yield* first.engine.createSession(request)
      for (const text of ["two", "three"]) {
        yield* first.engine.queue({ sessionId: session.id, text, interrupt: false })
      }
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing(session.id), ["one running 0.42", "two queued", "three queued"])
      yield* start("b", {
        perform: () =>
          Stream.concat(Stream.make(started), Stream.fromEffect(Effect.as(Effect.sleep("2 minutes"), completed)))
      })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["one failed node_lost 0.42", "two running", "three queued"])
      yield* TestClock.adjust("3 hours")
      assert.deepStrictEqual(yield* standing(session.id), [
        "one failed node_lost 0.42",
        "two completed",
        "three completed"
      ])
      // the one that was killed was only frozen: what it wants to pay for is refused, and changes nothing
      assert.isFalse(paid)
      assert.lengthOf(yield* Store.use((store) => store.stepsOf("turn-2")), 0)
    })
  )

  test(
    "continues turns that an agent can resume from their checkpoints",
    Effect.gen(function* () {
      const resumed: Array<unknown> = []
      const agent: Parts = {
        agent: { resumes: () => true },
        perform: (turn, attempt) => {
          resumed.push([turn.status, turn.checkpoint, turn.attempt])
          return turn.status === "running"
            ? Stream.make(completed)
            : Stream.make(started).pipe(
                Stream.concat(Stream.fromEffectDrain(attempt.checkpoint({ page: 3 }))),
                Stream.concat(Stream.never)
              )
        }
      }
      const first = yield* start("a", agent)
      const { session } = yield* first.engine.createSession(request)
      yield* TestClock.adjust("1 minute")
      yield* start("b", agent)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
      assert.deepStrictEqual(resumed, [
        ["dispatching", null, 1],
        ["running", { page: 3 }, 2]
      ])
    })
  )

  test(
    "starts a taken turn that had not begun again",
    Effect.gen(function* () {
      const first = yield* start("a")
      const { session } = yield* first.engine.createSession(request)
      assert.deepStrictEqual(yield* standing(session.id), ["one dispatching"])
      yield* start("b", { perform: () => Stream.make(started, completed) })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
    })
  )

  test(
    "doesn't treat its own new turns as those of an earlier start if responses of the store are lost or late",
    Effect.gen(function* () {
      const store = yield* Store
      const first = yield* start("a")
      const lost = yield* first.engine.createSession(request)
      const late = yield* first.engine.createSession({ ...request, task: "two" })
      let commits = 0
      const shaky = Layer.succeed(Store, {
        ...store,
        commit: (step) => {
          commits++
          if (commits === 2) return Effect.andThen(Effect.sleep("10 seconds"), store.commit(step))
          if (commits > 1) return store.commit(step)
          return Effect.andThen(store.commit(step), new StoreUnavailable({ applied: "unknown", cause: "lost" }))
        }
      })
      const begun: Array<string> = []
      const second = yield* Effect.forkChild(
        start("b", {
          perform: ({ task }) => {
            begun.push(task)
            return Stream.concat(
              Stream.make(started),
              Stream.fromEffect(Effect.as(Effect.sleep("1 minute"), completed))
            )
          }
        }).pipe(Effect.provide(shaky, { local: true })),
        { startImmediately: true }
      )
      yield* TestClock.adjust("2 minutes")
      assert.isDefined(second.pollUnsafe())
      assert.deepStrictEqual(begun, ["one", "two"])
      assert.deepStrictEqual(yield* standing(lost.session.id), ["one completed"])
      assert.deepStrictEqual(yield* standing(late.session.id), ["two completed"])
    })
  )

  test(
    "stops browsers of a dead node with a reason, and frees the key of one that never ran",
    Effect.gen(function* () {
      const safe = { key: "k", body: "b" }
      const browser = { proxyCountryCode: null }
      const first = yield* start("a")
      const { browser: ran } = yield* first.engine.createBrowser(browser)
      const stuck = yield* start("a2", {
        browsers: Layer.succeed(BrowserPool, { launch: () => Effect.never })
      })
      yield* Effect.forkDetach(stuck.engine.createBrowser(browser, safe))
      yield* TestClock.adjust("1 second")
      const unborn = (yield* Store.use((store) => store.unfinished(10))).browsers.find((id) => id !== ran.id)
      assert.strictEqual(Option.getOrThrow(yield* Store.use((store) => store.browser(unborn ?? ""))).status, "starting")
      const second = yield* start("b")
      const read = Effect.fnUntraced(function* (id: string) {
        const found = Option.getOrThrow(yield* Store.use((store) => store.browser(id)))
        return [found.status, found.stopReason]
      })
      assert.deepStrictEqual(yield* read(ran.id), ["stopped", "node_lost"])
      assert.deepStrictEqual(yield* read(unborn ?? ""), ["stopped", "launch_failed"])
      const again = yield* second.engine.createBrowser(browser, safe)
      assert.isFalse(again.replayed)
      assert.isTrue((yield* second.engine.createBrowser(browser, safe)).replayed)
    })
  )
})
