import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { StreamingAgent } from "../src/StreamingAgent.ts"
import { BrowserPool } from "../src/ports/BrowserPool.ts"
import { Store } from "../src/ports/Store.ts"
import { completed, request, standing, start, started, test } from "./starts.ts"

describe("closing a node", () => {
  test(
    "cancels no run: each fails with a reason and its cost, or continues at the next start",
    Effect.gen(function* () {
      const perform: StreamingAgent["perform"] = (turn, attempt) =>
        turn.status === "running"
          ? Stream.make(completed)
          : Stream.make(started).pipe(
              Stream.concat(Stream.fromEffectDrain(attempt.used({ cost: "0.1" }))),
              Stream.concat(Stream.never)
            )
      const first = yield* start("a", { perform })
      const ended = (yield* first.engine.createSession(request)).session.id
      yield* TestClock.adjust("1 second")
      yield* first.close
      assert.deepStrictEqual(yield* standing(ended), ["one failed node_closed 0.1"])
      const able = { perform, agent: { resumes: () => true } }
      const second = yield* start("b", able)
      const { session } = yield* second.engine.createSession({ ...request, task: "two" })
      yield* TestClock.adjust("1 second")
      yield* second.close
      assert.deepStrictEqual(yield* standing(session.id), ["two running 0.1"])
      yield* start("c", able)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["two completed 0.1"])
    })
  )
})

describe("draining a node", () => {
  test(
    "waits for the turn of a take that is in progress when the drain begins",
    Effect.gen(function* () {
      const perform = () =>
        Stream.make(started).pipe(Stream.concat(Stream.fromEffect(Effect.as(Effect.sleep("10 seconds"), completed))))
      const store = yield* Store
      const slow = Layer.succeed(Store, {
        ...store,
        commit: (step) =>
          step.session?.lease === undefined || step.session.lease === null
            ? store.commit(step)
            : Effect.andThen(Effect.sleep("1 second"), store.commit(step))
      })
      const first = yield* Effect.provide(start("a", { perform }), slow, { local: true })
      const created = yield* Effect.forkChild(first.engine.createSession(request), { startImmediately: true })
      yield* TestClock.adjust("500 millis")
      const drained = yield* Effect.forkChild(first.engine.drain("1 minute"), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      assert.isUndefined(drained.pollUnsafe())
      yield* TestClock.adjust("25 seconds")
      assert.strictEqual(yield* Fiber.join(drained), 0)
      const { session } = yield* Fiber.join(created)
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
    })
  )

  test(
    "finishes running turns, starts no others, and loses none that are created meanwhile",
    Effect.gen(function* () {
      const perform: StreamingAgent["perform"] = ({ task }) =>
        Stream.make(started).pipe(
          Stream.concat(
            Stream.fromEffect(Effect.as(Effect.sleep(task === "long" ? "1 hour" : "10 seconds"), completed))
          )
        )
      const first = yield* start("a", { perform })
      const { session } = yield* first.engine.createSession(request)
      yield* first.engine.queue({ sessionId: session.id, text: "two", interrupt: false })
      const long = yield* first.engine.createSession({ ...request, task: "long" })
      const drained = yield* Effect.forkChild(first.engine.drain("1 minute"), { startImmediately: true })
      const late = yield* first.engine.createSession({ ...request, task: "late" })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed", "two queued"])
      assert.isUndefined(drained.pollUnsafe())
      yield* TestClock.adjust("50 seconds")
      assert.strictEqual(yield* Fiber.join(drained), 1)
      yield* first.close
      assert.deepStrictEqual(yield* standing(long.session.id), ["long failed node_closed"])
      assert.deepStrictEqual(yield* standing(late.session.id), ["late queued"])
      yield* start("b", { perform })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed", "two completed"])
      assert.deepStrictEqual(yield* standing(late.session.id), ["late completed"])
    })
  )

  test(
    "returns a run to the queue whose browser is still launching at the end of the drain",
    Effect.gen(function* () {
      const perform: StreamingAgent["perform"] = (_, { browser }) =>
        Stream.unwrap(Effect.as(browser, Stream.make(started, completed)))
      const browsers = Layer.succeed(BrowserPool, { launch: () => Effect.never })
      const first = yield* start("a", { perform, browsers })
      const { session } = yield* first.engine.createSession(request)
      const drained = yield* Effect.forkChild(first.engine.drain("1 minute"), { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(drained)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(yield* standing(session.id), ["one queued"])
      yield* first.close
      yield* start("b", { perform })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
    })
  )

  test(
    "fails the create of a browser that hangs while launching",
    Effect.gen(function* () {
      const browsers = Layer.succeed(BrowserPool, { launch: () => Effect.never })
      const first = yield* start("a", { browsers })
      const create = Effect.flip(first.engine.createBrowser({ proxyCountryCode: null }))
      const created = yield* Effect.forkChild(create, { startImmediately: true })
      assert.strictEqual(yield* first.engine.drain("1 minute"), 0)
      const error = yield* Fiber.join(created)
      assert.strictEqual(error.message, "The server is being stopped. Try again in a moment")
      assert.deepStrictEqual((yield* Store.use((store) => store.records)).browsers[0]?.stopReason, "launch_failed")
      yield* first.close
    })
  )
})
