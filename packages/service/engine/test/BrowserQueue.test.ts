import { assert, describe } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { BrowserPool, LaunchFailed } from "../src/ports/BrowserPool.ts"
import { BrowserQueue } from "../src/ports/BrowserQueue.ts"
import { Store, StoreUnavailable } from "../src/ports/Store.ts"
import type { StreamingAgent } from "../src/StreamingAgent.ts"
import * as ports from "./ports.ts"
import { completed, request, start, started, test } from "./starts.ts"

const full = new LaunchFailed({ reason: "full", message: "All browsers are in use" })

/** A pool without room until `free` is done, whose browsers start when `ready` is done. */
const fullPool = () => {
  const free = Deferred.makeUnsafe<void>()
  const ready = Deferred.makeUnsafe<void>()
  const counts = { waiting: 0, running: 0 }
  const layer = Layer.succeed(BrowserPool, {
    launch: (_, wait) =>
      Effect.suspend((): Effect.Effect<typeof ports.browser, LaunchFailed> => {
        if (wait === undefined) return Effect.fail(full)
        counts.waiting += 1
        wait.onRefused(full, 1)
        const late = wait.within === undefined ? Effect.never : Effect.andThen(Effect.sleep(wait.within), full)
        return Effect.raceAllFirst([Deferred.await(free), wait.over, late]).pipe(
          Effect.ensuring(Effect.sync(() => void (counts.waiting -= 1))),
          Effect.tap(() => Effect.sync(() => wait.onPlace())),
          Effect.andThen(Deferred.await(ready)),
          Effect.map(() => {
            counts.running += 1
            return { ...ports.browser, stop: Effect.sync(() => void (counts.running -= 1)) }
          })
        )
      })
  })
  return { layer, counts, free: Deferred.succeed(free, undefined), ready: Deferred.succeed(ready, undefined) }
}

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** Lets an engine start over a store whose reads for repeated creates take a second. */
const slowly = Effect.updateService(Store, (store) => ({
  ...store,
  browser: (id) => Effect.delay(store.browser(id), "1 second"),
  idempotencyRecord: (key) => Effect.delay(store.idempotencyRecord(key), "1 second")
}))

/** Lets a create wait for this many seconds from now on. */
const waitingFor =
  (seconds: number) =>
  <A, E, R>(create: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now_ms) =>
      Effect.provideService(create, BrowserQueue, { until_ms: now_ms + seconds * 1000, waitsForRoom: true })
    )

const waiting = waitingFor(60)

const statuses = Effect.map(
  Store.use((store) => store.lists.browsers({}, null, 10)),
  ({ rows }) => rows.map(({ status, stopReason }) => stopReason ?? status)
)

describe("a browser create that may wait in the queue", () => {
  test(
    "gets the first free browser, and is refused after its wait limit",
    Effect.gen(function* () {
      const pool = fullPool()
      const { engine } = yield* start("a", { browsers: pool.layer })
      const late = yield* begin(Effect.flip(waiting(engine.createBrowser({ proxyCountryCode: null }))))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(late), full)
      const create = yield* begin(waiting(engine.createBrowser({ proxyCountryCode: null })))
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(yield* statuses, ["starting"])
      yield* pool.free
      yield* pool.ready
      assert.strictEqual((yield* Fiber.join(create)).browser.status, "active")
    })
  )

  test(
    "leaves the queue when its caller disconnects",
    Effect.gen(function* () {
      const pool = fullPool()
      const { engine } = yield* start("a", { browsers: pool.layer })
      const create = yield* begin(waiting(engine.createBrowser({ proxyCountryCode: null })))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(pool.counts.waiting, 1)
      yield* Fiber.interrupt(create)
      assert.strictEqual(pool.counts.waiting, 0)
      assert.deepStrictEqual(yield* statuses, [])
    })
  )

  test(
    "keeps the browsers of other keys' sessions running when its caller disconnects or its wait limit ends",
    Effect.gen(function* () {
      const ofKey = new LaunchFailed({ reason: "full", message: "This API key has enough browsers", owner: "key" })
      const limited = Layer.succeed(BrowserPool, {
        launch: ({ sessionId }, wait) => {
          if (sessionId !== null) return Effect.succeed(ports.browser)
          wait?.onRefused(ofKey, 1)
          const within = wait?.within ?? 0
          return Effect.raceFirst(wait?.over ?? Effect.never, Effect.andThen(Effect.sleep(within), ofKey))
        }
      })
      const perform: StreamingAgent["perform"] = (_, attempt) =>
        Stream.unwrap(Effect.as(attempt.browser, Stream.make(started, completed)))
      const { engine } = yield* start("a", { perform, browsers: limited })
      yield* engine.createSession(request)
      yield* TestClock.adjust("1 second")
      const create = yield* begin(waiting(engine.createBrowser({ proxyCountryCode: null })))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(create)
      assert.deepStrictEqual(yield* statuses, ["active"])
      const late = yield* begin(Effect.flip(waiting(engine.createBrowser({ proxyCountryCode: null }))))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(late), ofKey)
      assert.deepStrictEqual(yield* statuses, ["active"])
    })
  )

  test(
    "stops its browser if the caller disconnects during the launch, unless a key can retrieve it later",
    Effect.gen(function* () {
      const pool = fullPool()
      const { engine } = yield* start("a", { browsers: pool.layer })
      const safe = { key: "key", body: "body" }
      const request = { proxyCountryCode: null }
      const unkeyed = yield* begin(waiting(engine.createBrowser(request)))
      const keyed = yield* begin(waiting(engine.createBrowser(request, safe)))
      yield* pool.free
      yield* TestClock.adjust(0)
      const left = [yield* begin(Fiber.interrupt(unkeyed)), yield* begin(Fiber.interrupt(keyed))]
      yield* TestClock.adjust(0)
      yield* pool.ready
      yield* Fiber.joinAll(left)
      assert.strictEqual(pool.counts.running, 1)
      const repeated = yield* engine.createBrowser(request, safe)
      assert.deepStrictEqual([repeated.replayed, repeated.browser.status], [true, "active"])
      assert.sameMembers(yield* statuses, ["active", "asked"])
    })
  )

  test(
    "returns one browser to all repeats that waited for it, even if the first create leaves the queue",
    Effect.gen(function* () {
      const pool = fullPool()
      const { engine } = yield* start("a", { browsers: pool.layer })
      const create = begin(waiting(engine.createBrowser({ proxyCountryCode: null }, { key: "key", body: "body" })))
      const [first, ...repeats] = [yield* create, yield* create, yield* create]
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(first)
      yield* pool.free
      yield* pool.ready
      const made = yield* Fiber.joinAll(repeats)
      assert.sameMembers(
        made.map(({ replayed }) => replayed),
        [false, true]
      )
      assert.strictEqual(new Set(made.map(({ browser }) => browser.id)).size, 1)
      assert.deepStrictEqual(yield* statuses, ["active"])
    })
  )

  test(
    "creates nothing if its caller disconnects while it waits for an earlier create with its key",
    Effect.gen(function* () {
      const launch: BrowserPool["Service"]["launch"] = (_, wait) => wait?.over ?? Effect.succeed(ports.browser)
      const { engine } = yield* start("a", { browsers: Layer.succeed(BrowserPool, { launch }) })
      const create = engine.createBrowser({ proxyCountryCode: null }, { key: "key", body: "body" })
      const first = yield* begin(waiting(create))
      const repeat = yield* begin(create)
      yield* TestClock.adjust("1 second")
      const left = yield* begin(Fiber.interrupt(repeat))
      yield* Fiber.interrupt(first)
      yield* Fiber.join(left)
      assert.deepStrictEqual(yield* statuses, [])
    })
  )

  test(
    "stops its browser after an outage of the store if the caller disconnects during the launch",
    Effect.gen(function* () {
      let away = false
      const faulty = Effect.updateService(Store, (store) => ({
        ...store,
        commit: (step) =>
          away && step.browser?.status === "stopped"
            ? Effect.fail(new StoreUnavailable({ applied: "no", cause: "away" }))
            : store.commit(step)
      }))
      const pool = fullPool()
      const { engine } = yield* faulty(start("a", { browsers: pool.layer }))
      const create = yield* begin(waiting(engine.createBrowser({ proxyCountryCode: null })))
      yield* pool.free
      yield* TestClock.adjust(0)
      const left = yield* begin(Fiber.interrupt(create))
      away = true
      yield* pool.ready
      yield* Fiber.join(left)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([yield* statuses, pool.counts.running], [["active"], 1])
      away = false
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual([yield* statuses, pool.counts.running], [["asked"], 0])
    })
  )

  test(
    "waits no longer than its own limit if it also waits for an earlier create with its key",
    Effect.gen(function* () {
      const pool = fullPool()
      const { engine } = yield* start("a", { browsers: pool.layer })
      const create = engine.createBrowser({ proxyCountryCode: null }, { key: "key", body: "body" })
      const first = yield* begin(Effect.flip(waitingFor(20)(create)))
      yield* TestClock.adjust("5 seconds")
      const repeat = yield* begin(Effect.flip(waitingFor(20)(create)))
      const hasty = yield* begin(Effect.flip(waitingFor(10)(create)))
      yield* TestClock.adjust("9999 millis")
      assert.isUndefined(hasty.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.isDefined(hasty.pollUnsafe())
      assert.deepInclude(yield* Fiber.join(hasty), { _tag: "LaunchFailed", reason: "pending" })
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(first), full)
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(repeat.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.isDefined(repeat.pollUnsafe())
      assert.strictEqual(yield* Fiber.join(repeat), full)
      assert.deepStrictEqual(yield* statuses, [])
    })
  )

  test(
    "returns the browser of an earlier create with its key even if the store is slower than its own limit",
    Effect.gen(function* () {
      const { engine } = yield* slowly(start("a"))
      const create = waitingFor(0.1)(engine.createBrowser({ proxyCountryCode: null }, { key: "key", body: "body" }))
      const first = yield* begin(create)
      yield* TestClock.adjust("10 seconds")
      const { browser } = yield* Fiber.join(first)
      const repeat = yield* begin(create)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Fiber.join(repeat), { _tag: "Browser", browser, replayed: true })
    })
  )

  test(
    "creates nothing if its caller disconnects while it reads that an earlier create with its key failed",
    Effect.gen(function* () {
      const failed = new LaunchFailed({ reason: "failed", message: "The browser did not start" })
      let launches = 0
      const launch = () =>
        Effect.andThen(
          Effect.sync(() => void (launches += 1)),
          Effect.delay(failed, "5 seconds")
        )
      const { engine } = yield* slowly(start("a", { browsers: Layer.succeed(BrowserPool, { launch }) }))
      const create = engine.createBrowser({ proxyCountryCode: null }, { key: "key", body: "body" })
      const first = yield* begin(Effect.flip(create))
      yield* TestClock.adjust("2 seconds")
      const repeat = yield* begin(create)
      yield* TestClock.adjust("5500 millis")
      const left = yield* begin(Fiber.interrupt(repeat))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(left)
      assert.deepStrictEqual([yield* Fiber.join(first), launches], [failed, 1])
    })
  )

  test(
    "creates another browser if an earlier one with its key was stopped before it was active",
    Effect.gen(function* () {
      const silent = Effect.updateService(Store, (store) => ({
        ...store,
        commit: (step) =>
          step.browser?.status === "active"
            ? Effect.fail(new StoreUnavailable({ applied: "no", cause: "away" }))
            : store.commit(step)
      }))
      const living = Effect.updateService(Store, (store) => ({ ...store, isLost: () => Effect.succeed(false) }))
      const [one, two] = [yield* silent(start("one")), yield* living(start("two"))]
      const create = ({ engine }: typeof one) =>
        begin(engine.createBrowser({ proxyCountryCode: null }, { key: "key", body: "body" }))
      const first = yield* create(one)
      const repeat = yield* create(two)
      yield* TestClock.adjust("30 seconds")
      assert.deepInclude(yield* Effect.flip(Fiber.join(first)), { _tag: "StoreUnavailable" })
      yield* one.close
      yield* TestClock.adjust("1 second")
      assert.isFalse((yield* Fiber.join(repeat)).replayed)
      assert.sameMembers(yield* statuses, ["active", "node_closed"])
    })
  )

  test(
    "returns the browser of an earlier create whose node was found lost as it stored the browser as active",
    Effect.gen(function* () {
      const store = yield* Store
      const isLost = Deferred.makeUnsafe<void>()
      const isActive = Deferred.makeUnsafe<void>()
      const late = Effect.updateService(Store, (store) => ({
        ...store,
        commit: (step) =>
          step.browser?.status === "active"
            ? Effect.tap(
                Effect.andThen(Deferred.await(isLost), store.commit(step)),
                Deferred.succeed(isActive, undefined)
              )
            : store.commit(step)
      }))
      const finding = Effect.updateService(Store, (store) => ({
        ...store,
        isLost: () => Effect.as(Effect.andThen(Deferred.succeed(isLost, undefined), Deferred.await(isActive)), true)
      }))
      const [one, two] = [yield* late(start("one")), yield* finding(slowly(start("two")))]
      const create = ({ engine }: typeof one) =>
        begin(engine.createBrowser({ proxyCountryCode: null }, { key: "key", body: "body" }))
      const first = yield* create(one)
      const repeat = yield* create(two)
      yield* TestClock.adjust("10 seconds")
      assert.isDefined(repeat.pollUnsafe())
      const { browser } = yield* Fiber.join(first)
      assert.deepStrictEqual(yield* Fiber.join(repeat), { _tag: "Browser", browser, replayed: true })
      assert.isTrue(Option.isSome(yield* store.idempotencyRecord("key")))
    })
  )

  test(
    "is refused with advice when the server drains",
    Effect.gen(function* () {
      const pool = fullPool()
      const { engine } = yield* start("a", { browsers: pool.layer })
      const create = yield* begin(Effect.flip(waiting(engine.createBrowser({ proxyCountryCode: null }))))
      yield* TestClock.adjust("1 second")
      yield* engine.drain(0)
      const error = yield* Fiber.join(create)
      assert.deepInclude(error, { _tag: "LaunchFailed", reason: "draining" })
      assert.match(error.message, /Try again in a moment$/u)
    })
  )
})
