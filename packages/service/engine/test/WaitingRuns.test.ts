import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Browser from "../src/domain/Browser.ts"
import type { StreamingAgent } from "../src/StreamingAgent.ts"
import { BrowserPool, LaunchFailed } from "../src/ports/BrowserPool.ts"
import { Owner } from "../src/ports/Owner.ts"
import { Store } from "../src/ports/Store.ts"
import * as SharedWork from "../src/SharedWork.ts"
import * as ports from "./ports.ts"
import { completed, request, standing, start, started, test } from "./starts.ts"

const perform: StreamingAgent["perform"] = (_turn, attempt) =>
  Stream.unwrap(Effect.as(attempt.browser, Stream.make(started, completed)))

/** Room for this many browsers. A launch that may wait looks for room each second, without end. */
const poolOf = (most: number, ofOwner = false, { queueTimeout_ms = 3_600_000, stop_ms = 0 } = {}) => {
  let taken = 0
  const waiting = new Set<string>()
  const layer = Layer.succeed(BrowserPool, {
    queueTimeout_ms,
    launch: (browser, wait) =>
      Effect.suspend((): Effect.Effect<typeof ports.browser, LaunchFailed> => {
        const { id, owner } = browser
        const whose = ofOwner && owner !== null ? { owner } : {}
        const full = new LaunchFailed({ reason: "full", message: "All browsers are in use", ...whose })
        const room = Effect.suspend(() => {
          if (taken < most) return Effect.void
          wait?.onRefused(full, [...waiting].indexOf(id) + 1)
          return Effect.fail(full)
        })
        const looks = Effect.retry(room, Schedule.spaced("1 second"))
        const late = Effect.andThen(Effect.sleep(wait?.within ?? "1 hour"), full)
        const place =
          wait === undefined
            ? room
            : Effect.suspend(() => {
                waiting.add(id)
                return Effect.ensuring(
                  Effect.raceAllFirst([looks, wait.over, late]),
                  Effect.sync(() => void waiting.delete(id))
                )
              })
        return Effect.map(place, () => {
          taken += 1
          wait?.onPlace()
          const stop = Effect.sync(() => void (taken -= 1))
          return { ...ports.browser, stop: stop_ms === 0 ? stop : Effect.delay(stop, stop_ms) }
        })
      })
  })
  return { layer, waiting: () => waiting.size, room: Effect.sync(() => most - taken) }
}

/** The work of a node that tells the others how much room it has. */
const withRoom = (name: string, room: Effect.Effect<number>) =>
  SharedWork.layer({
    about: Effect.map(room, (room) => ({ name, address: null, room, draining: false, startedAt_ms: 0 }))
  })

describe("a run without a free browser", () => {
  test(
    "waits for a browser that another client stops, while POST /browsers fails immediately",
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
    "gets the slot of a session's browser as soon as that session's run is over",
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
    "shows its place and the reason, and fails when its own wait limit ends, even if its place changed",
    Effect.gen(function* () {
      const full = poolOf(0)
      const other = poolOf(1)
      const { engine } = yield* start("a", { perform, browsers: full.layer, work: withRoom("a", full.room) })
      const second = yield* start("b", { perform, browsers: other.layer, work: withRoom("b", Effect.succeed(1)) })
      yield* second.engine.createBrowser({ proxyCountryCode: null })
      const { session, turn } = yield* engine.createSession({ ...request, queueTimeout_ms: 60_000 })
      const queueOf = Effect.map(
        Store.use((store) => store.turn(turn.id)),
        (stored) => Option.getOrUndefined(stored)?.browserQueue
      )
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* queueOf, { position: 1, reason: "browsers", since_ms: 0, until_ms: 60_000 })
      // the other node reports free capacity, so the run moves back and forth
      yield* TestClock.adjust("58 seconds")
      const moved = Option.getOrUndefined(yield* Store.use((store) => store.turn(turn.id)))
      assert.isAbove(moved?.attempt ?? 0, 1)
      assert.deepInclude(moved?.browserQueue, { since_ms: 0, until_ms: 60_000 })
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one failed no_browser"])
      const events = yield* Store.use((store) => store.eventsOf(turn.id, 0, 1000))
      assert.deepStrictEqual(events.find(({ event }) => event.browserQueue !== undefined)?.event, {
        at_ms: 0,
        of: "turn",
        id: turn.id,
        sessionId: session.id,
        owner: null,
        from: "dispatching",
        to: "dispatching",
        browserQueue: { position: 1, reason: "browsers" }
      })
      const { browsers } = yield* Store.use((store) => store.records)
      assert.deepStrictEqual(
        browsers.map(({ status }) => status),
        ["active"]
      )
    })
  )

  test(
    "gets the slot of another session's idle browser before it fails",
    Effect.gen(function* () {
      const { engine } = yield* start("a", { perform, browsers: poolOf(1).layer })
      const held = yield* engine.createSession(request)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(held.session.id), ["one completed"])
      const { session } = yield* engine.createSession({ ...request, queueTimeout_ms: 1000 })
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
      const { browsers } = yield* Store.use((store) => store.records)
      assert.deepStrictEqual(
        browsers.map(({ sessionId, stopReason }) => [sessionId, stopReason]),
        [
          [held.session.id, "idle"],
          [session.id, null]
        ]
      )
    })
  )

  test(
    "gets the slot of an idle browser immediately, even behind another waiting run",
    Effect.gen(function* () {
      const { engine } = yield* start("a", { perform, browsers: poolOf(2, false, { stop_ms: 100 }).layer })
      for (const task of ["one", "two"]) yield* engine.createSession({ ...request, task })
      yield* TestClock.adjust("1 second")
      for (const task of ["three", "four"]) yield* engine.createSession({ ...request, task })
      yield* TestClock.adjust("200 millis")
      const { browsers } = yield* Store.use((store) => store.records)
      assert.deepStrictEqual(
        browsers.slice(0, 2).map(({ stopReason }) => stopReason),
        ["idle", "idle"]
      )
    })
  )

  test(
    "fails at its wait limit if another run gets the slot of the browser that gives way for it then",
    Effect.gen(function* () {
      let launches = 0
      // only the first launch gets a browser
      const browsers = Layer.succeed(BrowserPool, {
        launch: (_browser, wait) =>
          Effect.suspend(() => {
            if (++launches === 1) return Effect.succeed(ports.browser)
            const full = new LaunchFailed({ reason: "full", message: `waited ${wait?.waited_ms}` })
            return Effect.andThen(Effect.sleep(wait?.within ?? 0), full)
          })
      })
      const { engine } = yield* start("a", { perform, browsers })
      const held = yield* engine.createSession(request)
      yield* TestClock.adjust("1 second")
      const { session, turn } = yield* engine.createSession({ ...request, queueTimeout_ms: 10_000 })
      yield* TestClock.adjust("11 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one failed no_browser"])
      assert.include((yield* engine.turn(turn.id)).error, "waited 10000")
      const { browserId } = (yield* engine.session(held.session.id)).session
      assert.strictEqual((yield* engine.browser(browserId ?? "")).stopReason, "idle")
    })
  )

  test(
    "gets the slot of an idle browser on another node before it fails",
    Effect.gen(function* () {
      const here = poolOf(1)
      const there = poolOf(1)
      const { engine } = yield* start("a", { perform, browsers: here.layer, work: withRoom("a", here.room) })
      const other = yield* start("b", { perform, browsers: there.layer, work: withRoom("b", there.room) })
      yield* engine.createBrowser({ proxyCountryCode: null })
      const held = yield* other.engine.createSession(request)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(held.session.id), ["one completed"])
      const { session, turn } = yield* engine.createSession({ ...request, queueTimeout_ms: 10_000 })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
      const stored = yield* Store.use((store) => store.turn(turn.id))
      assert.strictEqual(Option.getOrThrow(stored).node, "b")
      const { browsers } = yield* Store.use((store) => store.records)
      assert.deepStrictEqual(
        browsers.map(({ node, stopReason }) => [node, stopReason]),
        [
          ["a", null],
          ["b", "idle"],
          ["b", null]
        ]
      )
    })
  )

  test(
    "gets the slot of its key's idle browser on another node if its key is at its limit",
    Effect.gen(function* () {
      const ofKey = Effect.provideService(Owner, "ann")
      const here = poolOf(1, true)
      const there = poolOf(1, true)
      const { engine } = yield* start("a", { perform, browsers: here.layer, work: withRoom("a", here.room) })
      const other = yield* start("b", { perform, browsers: there.layer, work: withRoom("b", there.room) })
      yield* ofKey(engine.createBrowser({ proxyCountryCode: null }))
      const held = yield* ofKey(other.engine.createSession(request))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(held.session.id), ["one completed"])
      const { session } = yield* ofKey(engine.createSession({ ...request, queueTimeout_ms: 10_000 }))
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
    })
  )

  test(
    "doesn't get the slot of an idle browser while a person drives it",
    Effect.gen(function* () {
      const { engine } = yield* start("a", { perform, browsers: poolOf(1).layer })
      const held = yield* engine.createSession(request)
      yield* TestClock.adjust("1 second")
      const { browserId } = (yield* engine.session(held.session.id)).session
      yield* engine.takeControl(browserId ?? "", "ann", 60_000)
      const { session } = yield* engine.createSession({ ...request, queueTimeout_ms: 300_000 })
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one dispatching"])
      assert.strictEqual((yield* engine.browser(browserId ?? "")).status, "active")
      yield* engine.releaseControl(browserId ?? "", "ann")
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
    })
  )

  test(
    "leaves the queue immediately when it is cancelled",
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
    "starts on another node as soon as that node has a free slot",
    Effect.gen(function* () {
      const full = poolOf(0)
      const other = poolOf(1)
      const { engine } = yield* start("a", { perform, browsers: full.layer, work: withRoom("a", full.room) })
      const second = yield* start("b", { perform, browsers: other.layer, work: withRoom("b", other.room) })
      yield* second.engine.createBrowser({ proxyCountryCode: null })
      const { session, turn } = yield* engine.createSession(request)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(full.waiting(), 1)
      const [browser] = (yield* Store.use((store) => store.lists.browsers({ statuses: ["active"] }, null, 1))).rows
      yield* second.engine.stopBrowser(browser?.id ?? "")
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
      const stored = yield* Store.use((store) => store.turn(turn.id))
      assert.deepStrictEqual(
        Option.map(stored, ({ attempt, node }) => [attempt, node]),
        Option.some([2, "b"])
      )
    })
  )

  test(
    "stays on its node if another node's free slot is for an earlier run",
    Effect.gen(function* () {
      const holding: StreamingAgent["perform"] = (_turn, attempt) =>
        Stream.unwrap(Effect.as(attempt.browser, Stream.concat(Stream.make(started), Stream.never)))
      const full = poolOf(0)
      const other = poolOf(1)
      const { engine } = yield* start("a", { perform, browsers: full.layer, work: withRoom("a", full.room) })
      const tasks = ["one", "two", "three"]
      const runs = yield* Effect.forEach(tasks, (task) => engine.createSession({ ...request, task }))
      yield* TestClock.adjust("2 seconds")
      yield* start("b", { perform: holding, browsers: other.layer, work: withRoom("b", other.room) })
      yield* TestClock.adjust("10 seconds")
      const states = yield* Effect.forEach(runs, ({ turn }) =>
        Effect.map(
          Store.use((store) => store.turn(turn.id)),
          Option.map(({ attempt, node, status }) => `${status} at ${node}, attempt ${attempt}`)
        )
      )
      // the second one may follow before the other node reports that it's full
      assert.deepStrictEqual(
        [states[0], states[2]],
        [Option.some("running at b, attempt 2"), Option.some("dispatching at a, attempt 1")]
      )
    })
  )

  test(
    "has the limit of the node that it moved to",
    Effect.gen(function* () {
      const first = yield* start("a", { perform, browsers: poolOf(0, false, { queueTimeout_ms: 60_000 }).layer })
      const { turn } = yield* first.engine.createSession(request)
      const until = Effect.map(
        Store.use((store) => store.turn(turn.id)),
        (stored) => Option.getOrUndefined(stored)?.browserQueue?.until_ms
      )
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* until, 60_000)
      const drained = yield* Effect.forkChild(first.engine.drain("1 minute"), { startImmediately: true })
      yield* TestClock.adjust(0)
      yield* Fiber.join(drained)
      yield* first.close
      yield* start("b", { perform, browsers: poolOf(0, false, { queueTimeout_ms: 90_000 }).layer })
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* until, 90_000)
    })
  )

  test(
    "stays on its node if its key is at its limit, unless the key has fewer browsers elsewhere",
    Effect.gen(function* () {
      const full = poolOf(1, true)
      const other = poolOf(2)
      const { engine } = yield* start("a", { perform, browsers: full.layer, work: withRoom("a", Effect.succeed(1)) })
      const second = yield* start("b", { perform, browsers: other.layer, work: withRoom("b", other.room) })
      const ofKey = Effect.provideService(Owner, "ann")
      yield* ofKey(engine.createBrowser({ proxyCountryCode: null }))
      const there = yield* ofKey(second.engine.createBrowser({ proxyCountryCode: null }))
      const { turn } = yield* ofKey(engine.createSession(request))
      yield* TestClock.adjust("10 seconds")
      const stored = Effect.map(
        Store.use((store) => store.turn(turn.id)),
        Option.map(({ attempt, node }) => [attempt, node])
      )
      assert.deepStrictEqual(yield* stored, Option.some([1, "a"]))
      yield* ofKey(second.engine.stopBrowser(there.browser.id))
      yield* TestClock.adjust("3 seconds")
      assert.isAbove(Option.getOrThrow(yield* stored)[0] as number, 1)
    })
  )

  test(
    "returns to the queue if another node gave up its browser while this node was silent",
    Effect.gen(function* () {
      const pool = poolOf(1)
      const { engine } = yield* start("a", { perform, browsers: pool.layer, work: withRoom("a", pool.room) })
      const { browser } = yield* engine.createBrowser({ proxyCountryCode: null })
      const { session, turn } = yield* engine.createSession(request)
      yield* TestClock.adjust("2 seconds")
      const store = yield* Store
      const starting = (yield* store.records).browsers.find(({ status }) => status === "starting")
      const stopped = Result.getOrThrow(Browser.stop(starting ?? assert.fail(), "launch_failed", 2000, null))
      yield* store.commit({ browser: stopped, events: [] })
      yield* engine.stopBrowser(browser.id)
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
      assert.strictEqual((yield* engine.turn(turn.id)).attempt, 2)
    })
  )

  test(
    "returns to the queue when the server drains, and runs after the next start",
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
