import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { layerStreamingAgent, type StreamingAgent } from "../src/StreamingAgent.ts"
import * as TestClock from "effect/testing/TestClock"
import * as BrowserPlaces from "../src/BrowserPlaces.ts"
import type { TurnEvent } from "../src/domain/Turn.ts"
import { Engine } from "../src/Engine.ts"
import * as MemoryStore from "../src/MemoryStore.ts"
import { BrowserPool } from "../src/ports/BrowserPool.ts"
import { type Step, Store, StoreUnavailable } from "../src/ports/Store.ts"
import * as ports from "./ports.ts"
import { start, test } from "./starts.ts"

const started: TurnEvent = { _tag: "Started" }
const completed: TurnEvent = { _tag: "Completed", report: {} }

/**
 * What becomes of a commit: carried out or not, and neither is answered; `late` is carried out before the next commit,
 * and not answered; `away` is said before it is tried.
 */
type Fault = "lost" | "unsent" | "late" | "away" | undefined

/** An engine over a store in memory, some of whose commits go wrong, and whose sessions cannot be read at times. */
const engineOf = (
  perform: StreamingAgent["perform"],
  faultOf: (step: Step) => Fault,
  isUnread: () => boolean = () => false,
  pool: Layer.Layer<BrowserPool> = ports.browsers
) => {
  let late: Effect.Effect<void> = Effect.void
  const store = Layer.effect(
    Store,
    Effect.map(Store, (store) => ({
      ...store,
      isInMemory: false,
      session: (id) =>
        Effect.suspend(() =>
          isUnread() ? Effect.fail(new StoreUnavailable({ applied: "no", cause: "unread" })) : store.session(id)
        ),
      commit: (step) =>
        Effect.suspend(() => {
          const before = late
          late = Effect.void
          const fault = faultOf(step)
          if (fault === undefined) return Effect.andThen(before, store.commit(step))
          if (fault === "late") late = Effect.ignore(store.commit(step))
          const failure = new StoreUnavailable({ applied: fault === "away" ? "no" : "unknown", cause: fault })
          return Effect.andThen(fault === "lost" ? store.commit(step) : Effect.void, Effect.fail(failure))
        })
    }))
  ).pipe(Layer.provide(Layer.fresh(MemoryStore.layer)))
  return Engine.layer.pipe(
    Layer.provideMerge(store),
    Layer.provide([layerStreamingAgent({ model: "m", version: "1", perform }), pool, ports.ids]),
    Layer.provide(Logger.layer([]))
  )
}

/** The first commit for which it is true goes wrong. */
const once = (fault: Fault, isIt: (step: Step) => boolean) => {
  let left = 1
  return (step: Step) => (left > 0 && isIt(step) ? (left--, fault) : undefined)
}

/** Browsers that note in `stops` that they were stopped. */
const noting = (stops: Array<string>) =>
  Layer.effect(
    BrowserPool,
    Effect.map(BrowserPool, ({ launch }) => ({
      launch: (browser) =>
        Effect.map(launch(browser), (launched) => ({ ...launched, stop: Effect.sync(() => stops.push(browser.id)) }))
    }))
  ).pipe(Layer.provide(ports.browsers))

const create = Engine.use((engine) => engine.createSession({ task: "one", modelParams: null, thinkingLevel: null }))

const queue = (sessionId: string, text: string) =>
  Engine.use((engine) => engine.queue({ sessionId, text, interrupt: false }))

const standing = Effect.fnUntraced(function* (sessionId: string) {
  const { turns } = yield* Engine.use((engine) => engine.session(sessionId))
  return turns.map(({ status, task }) => `${task} ${status}`)
})

/** An agent that says one thing more once it has started, then waits. */
const saying = (say: (attempt: Parameters<StreamingAgent["perform"]>[1]) => Effect.Effect<unknown, unknown>) =>
  ((_, attempt) =>
    Stream.make(started).pipe(
      Stream.concat(Stream.fromEffectDrain(Effect.orDie(say(attempt)))),
      Stream.concat(Stream.never)
    )) satisfies StreamingAgent["perform"]

describe("a commit that wasn't applied and got no response is retried for", () => {
  it.effect("the usage of a turn", () =>
    Effect.gen(function* () {
      const { turn } = yield* create
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Engine.use((engine) => engine.turn(turn.id))).cost, "0.5")
    }).pipe(
      Effect.provide(
        engineOf(
          saying((attempt) => attempt.used({ cost: "0.5" })),
          once("unsent", ({ turns }) => turns?.some(({ cost }) => cost !== null) === true)
        )
      )
    )
  )

  it.effect("a checkpoint", () =>
    Effect.gen(function* () {
      const { turn } = yield* create
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual((yield* Engine.use((engine) => engine.turn(turn.id))).checkpoint, { page: 3 })
    }).pipe(
      Effect.provide(
        engineOf(
          saying((attempt) => attempt.checkpoint({ page: 3 })),
          once("unsent", ({ turns }) => turns?.some(({ checkpoint }) => checkpoint !== null) === true)
        )
      )
    )
  )

  it.effect("the outcome of a step", () =>
    Effect.gen(function* () {
      const { session, turn } = yield* create
      yield* Effect.yieldNow
      // a change in between, so that the revision does not tell
      yield* queue(session.id, "two")
      yield* TestClock.adjust("10 seconds")
      const [step] = yield* Engine.use((engine) => engine.steps(turn.id))
      assert.deepInclude(step, { summary: "pay" })
      assert.strictEqual(step?.ended?.failure, "It is sold out.")
    }).pipe(
      Effect.provide(
        engineOf(
          saying(({ step, stepEnded }) =>
            Effect.andThen(step({ summary: "pay", address: null, picture: null }), stepEnded("It is sold out."))
          ),
          once("unsent", ({ turnSteps }) => turnSteps?.some(({ ended }) => ended !== undefined) === true)
        )
      )
    )
  )

  it.effect("a session's browser", () =>
    Effect.gen(function* () {
      const { session } = yield* create
      yield* TestClock.adjust("10 seconds")
      const stored = Option.getOrThrow(yield* Store.use((store) => store.session(session.id)))
      const { browsers } = yield* Store.use((store) => store.unfinished(10))
      assert.deepStrictEqual(browsers, [stored.browserId ?? ""])
    }).pipe(
      Effect.provide(
        engineOf(
          saying(({ browser }) => Effect.scoped(browser)),
          once("unsent", ({ session }) => typeof session?.browserId === "string")
        )
      )
    )
  )
})

it.effect("a commit that is applied after the engine has checked for it isn't retried", () => {
  const startsLate = once("late", ({ turns }) => turns?.some(({ status }) => status === "running") === true)
  const stepsLate = once("late", ({ turnSteps }) => turnSteps !== undefined && turnSteps.length > 0)
  return Effect.gen(function* () {
    const { session, turn } = yield* create
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(yield* standing(session.id), ["one running"])
    assert.lengthOf(yield* Engine.use((engine) => engine.steps(turn.id)), 1)
  }).pipe(
    Effect.provide(
      engineOf(
        saying(({ step }) => step({ summary: "pay", address: null, picture: null })),
        (step) => startsLate(step) ?? stepsLate(step)
      )
    )
  )
})

/** An agent whose two model calls are reported at the same time. */
const callingTwice = saying(({ used }) => {
  const call = (at_ms: number) =>
    used({ cost: "0.5" }, { at_ms, duration_ms: 1, model: "m", tokens: null, cost: null, step: null, failure: null })
  return Effect.all([call(1), call(2)], { concurrency: 2 })
})

it.effect.each(["unsent", "lost"] as const)(
  "two model calls at the same time are stored once each if one is %s",
  (fault) =>
    Effect.gen(function* () {
      const { turn } = yield* create
      yield* TestClock.adjust("20 seconds")
      const calls = yield* Store.use((store) => store.modelCallsOf(turn.id))
      assert.deepStrictEqual(calls.map(({ at_ms }) => at_ms).toSorted(), [1, 2])
    }).pipe(
      Effect.provide(
        engineOf(
          callingTwice,
          once(fault, ({ modelCalls = [] }) => modelCalls.length > 0)
        )
      )
    )
)

it.effect("a commit that wasn't applied is checked for once, however often it is retried", () => {
  const uses = ({ turns }: Step) => turns?.some(({ cost }) => cost !== null) === true
  const unsent = once("unsent", uses)
  let isAway = true
  let reads = 0
  return Effect.gen(function* () {
    const { session, turn } = yield* create
    yield* Effect.yieldNow
    // a change in between, so that the commit can't be carried out any more
    yield* queue(session.id, "two")
    reads = 0
    yield* TestClock.adjust("20 seconds")
    const readsWhileAway = reads
    isAway = false
    yield* TestClock.adjust("20 seconds")
    assert.strictEqual(readsWhileAway, 1)
    assert.strictEqual((yield* Engine.use((engine) => engine.turn(turn.id))).cost, "0.5")
  }).pipe(
    Effect.provide(
      engineOf(
        saying(({ used }) => used({ cost: "0.5" })),
        (step) => unsent(step) ?? (isAway && uses(step) ? "away" : undefined),
        () => {
          reads++
          return false
        }
      )
    )
  )
})

describe("an unavailable store", () => {
  const open = Engine.use((engine) => engine.openSession({}))
  const begins = { create, message: Effect.flatMap(open, ({ session }) => queue(session.id, "one")) }

  it.effect.each(["create", "message"] as const)(
    "doesn't keep a turn leased that was taken by a %s and cancelled before the node knew of it",
    (by) => {
      let unread = false
      const lost = once("lost", ({ turns }) => turns?.some(({ status }) => status === "dispatching") === true)
      return Effect.gen(function* () {
        yield* Effect.ignore(begins[by])
        assert.isTrue(unread)
        const store = yield* Store
        const [sessionId = ""] = (yield* store.unfinished(1)).sessions
        for (const { id } of yield* store.turnsOf(sessionId)) yield* Engine.use((engine) => engine.cancelTurn(id))
        unread = false
        yield* queue(sessionId, "two")
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(yield* standing(sessionId), ["one cancelled", "two completed"])
      }).pipe(
        Effect.provide(
          engineOf(
            () => Stream.make(started, completed),
            (step) => {
              const fault = lost(step)
              unread ||= fault !== undefined
              return fault
            },
            () => unread
          )
        )
      )
    }
  )

  it.effect("doesn't cost a node its lease, even after ten minutes", () => {
    let away = false
    return Effect.gen(function* () {
      const { session } = yield* create
      yield* TestClock.adjust("5 seconds")
      away = true
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* standing(session.id), ["one running"])
      away = false
      yield* queue(session.id, "two")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed", "two completed"])
    }).pipe(
      Effect.provide(
        engineOf(
          () =>
            Stream.concat(Stream.make(started), Stream.fromEffect(Effect.as(Effect.sleep("10 seconds"), completed))),
          () => (away ? "away" : undefined)
        )
      )
    )
  })

  const key = { key: "k", body: "b" }
  const createBrowser = Engine.use((engine) => engine.createBrowser({ proxyCountryCode: null }, key))

  it.effect("delays the start of an agent, and the run completes", () => {
    let reads = 0
    return Effect.gen(function* () {
      const { session } = yield* create
      yield* TestClock.adjust("10 seconds")
      assert.isAbove(reads, 3)
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
    }).pipe(
      Effect.provide(
        engineOf(
          () => Stream.make(started, completed),
          () => undefined,
          () => ++reads <= 3
        )
      )
    )
  })

  it.effect("is asked again if its response about a launched browser is lost, and the browser keeps running", () => {
    const stops: Array<string> = []
    return Effect.gen(function* () {
      const creation = yield* Effect.forkChild(createBrowser, { startImmediately: true })
      yield* TestClock.adjust("1 second")
      const { browser } = yield* Fiber.join(creation)
      assert.strictEqual((yield* createBrowser).browser.id, browser.id)
      assert.deepStrictEqual((yield* Store.use((store) => store.unfinished(10))).browsers, [browser.id])
      assert.deepStrictEqual(stops, [])
    }).pipe(
      Effect.provide(
        engineOf(
          () => Stream.never,
          once("lost", ({ browser }) => browser?.status === "active"),
          undefined,
          noting(stops)
        )
      )
    )
  })

  for (const status of ["starting", "active"] as const) {
    it.effect(`delays the browser of a run that is stored as ${status} in an outage, and the run completes`, () => {
      let away = true
      const stops: Array<string> = []
      return Effect.gen(function* () {
        const { session } = yield* create
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* standing(session.id), ["one dispatching"])
        away = false
        yield* TestClock.adjust("20 seconds")
        assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
        const { browsers } = yield* Store.use((store) => store.unfinished(10))
        const { session: used } = yield* Engine.use((engine) => engine.session(session.id))
        assert.deepStrictEqual<ReadonlyArray<string | null>>(browsers, [used.browserId])
        assert.notIncludeMembers(stops, [...browsers])
      }).pipe(
        Effect.provide(
          engineOf(
            (_, { browser }) => Stream.unwrap(Effect.as(browser, Stream.make(started, completed))),
            (step) => (away && step.browser?.status === status ? "away" : undefined),
            undefined,
            noting(stops)
          )
        )
      )
    })
  }

  for (const { title, safe } of [
    { title: "stops a launched browser without a key if the outage is long", safe: undefined },
    { title: "keeps a launched browser with a key running in a long outage, for a repeat of its create", safe: key }
  ]) {
    it.effect(title, () => {
      const stops: Array<string> = []
      let away = true
      return Effect.gen(function* () {
        const engine = yield* Engine
        const create = engine.createBrowser({ proxyCountryCode: null }, safe)
        const creation = yield* Effect.forkChild(Effect.flip(create), { startImmediately: true })
        yield* TestClock.adjust("1 minute")
        assert.isDefined(creation.pollUnsafe())
        assert.strictEqual((yield* Fiber.join(creation))._tag, "StoreUnavailable")
        const [first] = (yield* Store.use((store) => store.unfinished(10))).browsers
        assert.deepStrictEqual(stops, safe === undefined ? [first] : [])
        away = false
        const again = yield* Effect.forkChild(create, { startImmediately: true })
        yield* TestClock.adjust("2 seconds")
        assert.isDefined(again.pollUnsafe())
        const { browser, replayed } = yield* Fiber.join(again)
        assert.deepStrictEqual([replayed, browser.id === first], safe === undefined ? [false, false] : [true, true])
        assert.deepStrictEqual((yield* Store.use((store) => store.unfinished(10))).browsers, [browser.id])
        assert.deepStrictEqual(stops, safe === undefined ? [first] : [])
      }).pipe(
        Effect.provide(
          engineOf(
            () => Stream.never,
            ({ browser }) => (away && browser !== undefined && browser.status !== "starting" ? "away" : undefined),
            undefined,
            noting(stops)
          )
        )
      )
    })
  }

  test(
    "keeps a browser running that is stored as active without a response, and that another node returns to a repeat",
    Effect.gen(function* () {
      const store = yield* Store
      let [away, isStored] = [false, false]
      const ifThere = <A, E>(read: Effect.Effect<A, E>) =>
        Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> =>
          away ? Effect.fail(new StoreUnavailable({ applied: "unknown", cause: "away" })) : read
        )
      const faulty = Store.of({
        ...store,
        browser: (id) => ifThere(store.browser(id)),
        commit: (step) => {
          if (away || isStored || step.browser?.status !== "active") return ifThere(store.commit(step))
          away = isStored = true
          return Effect.andThen(store.commit(step), ifThere(Effect.void))
        }
      })
      const stops: Array<string> = []
      const one = yield* Effect.provideService(start("one", { browsers: noting(stops) }), Store, faulty)
      const two = yield* start("two")
      const create = ({ engine }: typeof one) => engine.createBrowser({ proxyCountryCode: null }, key)
      const first = yield* Effect.forkChild(Effect.flip(create(one)), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      const { browser, replayed } = yield* create(two)
      assert.isTrue(replayed)
      yield* TestClock.adjust("1 minute")
      assert.isDefined(first.pollUnsafe())
      assert.deepInclude(yield* Fiber.join(first), { _tag: "StoreUnavailable", applied: "unknown" })
      away = false
      yield* TestClock.adjust("10 seconds")
      for (const node of [one, two]) assert.strictEqual((yield* create(node)).browser.id, browser.id)
      assert.deepStrictEqual(
        (yield* store.lists.browsers({}, null, 10)).rows.map(({ id, status }) => [id, status]),
        [[browser.id, "active"]]
      )
      assert.deepStrictEqual(stops, [])
      yield* one.engine.stopBrowser(browser.id)
      assert.deepStrictEqual(stops, [browser.id])
    })
  )

  test(
    "doesn't free the key of a browser that is stored as active without a response if its node is closed",
    Effect.gen(function* () {
      const store = yield* Store
      let state: "there" | "away" | "closing" = "there"
      const failure = Effect.fail(new StoreUnavailable({ applied: "unknown", cause: "away" }))
      const faulty = Store.of({
        ...store,
        browser: (id) => Effect.suspend(() => (state === "there" ? store.browser(id) : failure)),
        commit: (step) =>
          Effect.suspend(() => {
            if (step.browser?.status !== "active") return state === "there" ? store.commit(step) : failure
            const committed = state === "there" ? store.commit(step) : Effect.void
            // after the close, it fails once more and is there again
            state = state === "closing" ? "there" : "away"
            return Effect.andThen(committed, failure)
          })
      })
      const one = yield* Effect.provideService(start("one"), Store, faulty)
      const two = yield* start("two")
      const create = ({ engine }: typeof one) => engine.createBrowser({ proxyCountryCode: null }, key)
      const first = yield* Effect.forkChild(Effect.flip(create(one)), { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(first)
      const { browser } = yield* create(two)
      state = "closing"
      yield* one.close
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(state, "there")
      assert.strictEqual((yield* create(two)).browser.id, browser.id)
    })
  )

  const isEnd = ({ browser }: Step) => browser?.status === "stopped"

  it.effect("learns later that a browser exited by itself", () => {
    let away = true
    const crashing = Layer.succeed(BrowserPool, {
      launch: () =>
        Effect.succeed({
          connect: Effect.never,
          stop: Effect.void,
          ended: Effect.as(Effect.sleep("1 minute"), "crashed" as const)
        })
    })
    return Effect.gen(function* () {
      const { browser } = yield* createBrowser
      const stored = Effect.map(
        Store.use((store) => store.browser(browser.id)),
        Option.getOrThrow
      )
      yield* TestClock.adjust("70 seconds")
      assert.strictEqual((yield* stored).status, "active")
      away = false
      yield* TestClock.adjust("2 seconds")
      assert.include(yield* stored, { status: "stopped", stopReason: "crashed" })
    }).pipe(
      Effect.provide(
        engineOf(
          () => Stream.never,
          (step) => (away && isEnd(step) ? "away" : undefined),
          undefined,
          crashing
        )
      )
    )
  })

  it.effect("doesn't keep the browser of an idle session that can't be stopped in it from giving way after it", () => {
    let away = true
    let runs = 0
    const one = Layer.effect(
      BrowserPool,
      Effect.map(BrowserPlaces.make({ most: 1 }), (places) => ({
        launch: (browser, wait) =>
          Effect.uninterruptibleMask((restore) =>
            Effect.as(places.take(browser, wait, restore), {
              ...ports.browser,
              stop: Effect.sync(() => places.release(browser.owner))
            })
          )
      }))
    )
    return Effect.gen(function* () {
      const first = yield* create
      yield* TestClock.adjust("1 second")
      const second = yield* create
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing(first.session.id), ["one completed"])
      assert.deepStrictEqual(yield* standing(second.session.id), ["one dispatching"])
      away = false
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* standing(second.session.id), ["one completed"])
      assert.strictEqual(runs, 2)
    }).pipe(
      Effect.provide(
        engineOf(
          (_, { browser }) => {
            runs++
            return Stream.unwrap(Effect.as(browser, Stream.make(started, completed)))
          },
          (step) => (away && isEnd(step) ? "away" : undefined),
          undefined,
          one
        )
      )
    )
  })

  it.effect("learns later that a session was stopped, and its browser is stopped", () => {
    let away = true
    const stops: Array<string> = []
    return Effect.gen(function* () {
      const { session } = yield* create
      yield* TestClock.adjust("10 seconds")
      const { browsers } = yield* Store.use((store) => store.unfinished(10))
      assert.lengthOf(browsers, 1)
      yield* Engine.use((engine) => engine.stopSession(session.id))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(stops, [])
      away = false
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(stops, [...browsers])
      assert.deepStrictEqual((yield* Store.use((store) => store.unfinished(10))).browsers, [])
    }).pipe(
      Effect.provide(
        engineOf(
          saying(({ browser }) => Effect.scoped(browser)),
          (step) => (away && isEnd(step) ? "away" : undefined),
          undefined,
          noting(stops)
        )
      )
    )
  })
})
