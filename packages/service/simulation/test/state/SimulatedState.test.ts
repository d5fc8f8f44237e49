import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { BrowserPool, Engine, MemoryStore, type Records, Store, type Turn, layerStreamingAgent } from "@webagent/engine"
import { CreateKey } from "../../src/behavior/CreateKey.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"
import { Behavior } from "../../src/behavior/Behavior.ts"
import * as ResumedBrowser from "../../src/browser/ResumedBrowser.ts"
import { SimulatedState } from "../../src/state/SimulatedState.ts"
import * as ports from "../ports.ts"

const simulated = SimulatedService.layerEngine({ turnDuration: "10 seconds" })

const create = (task: string) =>
  Engine.use((engine) => engine.createSession({ task, modelParams: { a: [1] }, thinkingLevel: null }))

const say = (sessionId: string, text: string, interrupt = false) =>
  Engine.use((engine) => engine.queue({ sessionId, text, interrupt }))

/** Tasks with their statuses and the times of their ends, in the order of creation. */
const standing = Effect.fnUntraced(function* (sessionId: string) {
  const { turns } = yield* Engine.use((engine) => engine.session(sessionId))
  return turns.map((turn) => `${turn.task} ${turn.status} ${turn.finishedAt_ms}`)
})

/** An engine and its state, with seed 1. */
const stateOver = (stores: Parameters<typeof SimulatedState.layer<never>>[0] = MemoryStore.layerOf) =>
  Layer.provide(SimulatedState.layer(stores), Behavior.layer())

/** The simulated engine with browsers that take a minute to launch; every launch and stop is noted. */
const slowBrowsers = (noted: Array<string>) =>
  stateOver().pipe(
    Layer.provide(
      Layer.effect(
        BrowserPool,
        Effect.map(BrowserPool, (pool) => {
          const launch: typeof pool.launch = (browser) =>
            Effect.sleep("1 minute").pipe(
              Effect.andThen(pool.launch(browser)),
              Effect.map((launched) => ({
                ...launched,
                stop: Effect.andThen(
                  Effect.sync(() => noted.push("stop")),
                  launched.stop
                )
              })),
              Effect.onInterrupt(() => Effect.sync(() => noted.push("interrupted")))
            )
          return { launch, resume: (browser) => ResumedBrowser.make(launch(browser)) }
        })
      ).pipe(Layer.provide(ports.browsers))
    ),
    Layer.provide(ports.agent())
  )

/** A store that takes a second for every commit. */
const slowStore = (records: Records) =>
  Layer.effect(
    Store,
    Effect.map(Store, (store) => ({
      ...store,
      commit: (changes) => Effect.andThen(Effect.sleep("1 second"), store.commit(changes))
    }))
  ).pipe(Layer.provide(MemoryStore.layerOf(records)))

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

const anotherEngine = <A, E>(effect: Effect.Effect<A, E, Engine | SimulatedState>) =>
  Effect.provide(effect, simulated, { local: true })

/** An engine in which there is one of everything, at 7 seconds. */
const furnished = Effect.gen(function* () {
  const engine = yield* Engine
  const { session } = yield* create("one")
  yield* say(session.id, "two")
  yield* say(session.id, "three")
  const done = yield* create("done [simulate duration=2s keepAlive=false judge=true suggestions=1 output=[null]]")
  yield* engine.createBrowser({ proxyCountryCode: "no" })
  const stopped = yield* engine.createBrowser({ proxyCountryCode: null })
  yield* engine.stopBrowser(stopped.browser.id)
  yield* TestClock.adjust("4 seconds")
  yield* say(session.id, "now", true)
  yield* TestClock.adjust("2 seconds")
  yield* engine.createSession({ task: "new", modelParams: null, thinkingLevel: "x" }, { key: "a", body: "b" })
  yield* TestClock.adjust("500 millis")
  yield* engine.shareSession(done.session.id)
  return session.id
})

describe("snapshot and restore", () => {
  it.effect("are plain JSON, and equal after a restore, even in another service", () =>
    Effect.gen(function* () {
      yield* furnished
      const taken = yield* SimulatedState.use((state) => state.snapshot)
      const text = JSON.stringify(taken)
      assert.deepStrictEqual(JSON.parse(text), taken)
      yield* anotherEngine(
        Effect.gen(function* () {
          const state = yield* SimulatedState
          yield* create("of the other engine")
          yield* state.restore(JSON.parse(text))
          assert.deepStrictEqual(yield* state.snapshot, taken)
        })
      )
    }).pipe(Effect.provide(simulated))
  )

  it.effect("continue turns for their remaining time, and keep waiting ones in order", () =>
    Effect.gen(function* () {
      const state = yield* SimulatedState
      const sessionId = yield* furnished
      const taken = yield* state.snapshot
      yield* TestClock.adjust("1 hour")
      const first = yield* standing(sessionId)
      assert.deepStrictEqual(first, [
        "one cancelled 4000",
        "two completed 24000",
        "three completed 34000",
        "now completed 14000"
      ])
      const all = yield* Effect.map(state.snapshot, ({ turns }) => turns)
      yield* TestClock.setTime(6500)
      yield* state.restore(taken)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* standing(sessionId), first)
      assert.deepStrictEqual((yield* state.snapshot).turns, all)
    }).pipe(Effect.provide(simulated))
  )

  it.effect("finish a turn immediately that was over by the time of the restore", () =>
    Effect.gen(function* () {
      const state = yield* SimulatedState
      const { session } = yield* create("one")
      yield* TestClock.adjust("500 millis")
      const dispatching = yield* state.snapshot
      yield* TestClock.adjust("1 second")
      const running = yield* state.snapshot
      yield* TestClock.adjust("1 hour")
      for (const snapshot of [dispatching, running]) {
        yield* state.restore(snapshot)
        yield* TestClock.adjust(1)
      }
      assert.match((yield* standing(session.id)).join(), /^one completed/u)
    }).pipe(Effect.provide(simulated))
  )

  it.effect("ignore reports of an agent during a restore, instead of applying them to the restored turn", () => {
    const agent = layerStreamingAgent({
      model: "test",
      version: "test-1",
      perform: ({ status }) =>
        status === "running"
          ? Stream.never
          : Stream.concat(
              Stream.make<[Turn.TurnEvent]>({ _tag: "Started" }),
              Stream.fromEffect(
                Effect.as(Effect.sleep("10 seconds"), { _tag: "Completed", report: {} } satisfies Turn.TurnEvent)
              )
            )
    })
    return Effect.gen(function* () {
      const engine = yield* Engine
      const state = yield* SimulatedState
      const creation = yield* begin(create("one"))
      yield* TestClock.adjust("12500 millis")
      const { session } = yield* Fiber.join(creation)
      const taken = yield* state.snapshot
      // the restore waits for this one to be stored, and the agent for the restore
      const other = yield* begin(create("two"))
      const restore = yield* begin(state.restore(taken))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(other)
      yield* Fiber.join(restore)
      assert.deepStrictEqual(yield* standing(session.id), ["one running null"])
      const stop = yield* begin(engine.stopSession(session.id))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(stop)
    }).pipe(Effect.provide(Layer.provide(stateOver(slowStore), [agent, ports.browsers])))
  })

  it.effect("make new ids after a restore, and keep earlier idempotency keys", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const state = yield* SimulatedState
      const request = { task: "x", modelParams: null, thinkingLevel: null }
      const safe = { key: "a", body: "b" }
      const keyed = { hash: "h", ordinal: 0 }
      const first = yield* engine.createSession(request, safe)
      const derived = yield* Effect.provideService(engine.createSession(request), CreateKey, keyed)
      yield* state.restore(yield* state.snapshot)
      assert.deepStrictEqual(yield* engine.createSession(request, safe), { ...first, replayed: true })
      const second = yield* engine.createSession(request)
      const again = yield* Effect.provideService(engine.createSession(request), CreateKey, keyed)
      assert.strictEqual(new Set([first, derived, second, again].map(({ turn }) => turn.id)).size, 4)
      assert.strictEqual(new Set([first, derived, second, again].map(({ session }) => session.id)).size, 4)
    }).pipe(Effect.provide(simulated))
  )

  it.effect("launch a running browser again, and make connections wait for it", () => {
    const noted: Array<string> = []
    return Effect.gen(function* () {
      const engine = yield* Engine
      const state = yield* SimulatedState
      const creation = yield* begin(engine.createBrowser({ proxyCountryCode: null }))
      yield* TestClock.adjust("1 minute")
      const { browser } = yield* Fiber.join(creation)
      const taken = yield* state.snapshot
      yield* engine.stopBrowser(browser.id)
      yield* state.restore(taken)
      const connection = yield* begin(Effect.scoped(engine.connectBrowser(browser.id)))
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(connection.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(connection)))
      // one that is stopped while it is launched never runs
      yield* state.restore(taken)
      yield* engine.stopBrowser(browser.id)
      assert.deepStrictEqual(noted, ["stop", "stop", "interrupted"])
      assert.strictEqual((yield* Effect.flip(Effect.scoped(engine.connectBrowser(browser.id))))._tag, "BrowserStopped")
    }).pipe(Effect.provide(slowBrowsers(noted)))
  })

  it.effect("refuse an invalid or contradictory snapshot in a sentence, and change nothing", () =>
    Effect.gen(function* () {
      const state = yield* SimulatedState
      yield* furnished
      const taken = yield* state.snapshot
      const [queue] = taken.queues
      if (queue === undefined) return assert.fail("no queue")
      const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
        [null, /Invalid snapshot/u],
        [{ ...taken, version: 2 }, /\["version"\]/u],
        [{ ...taken, turns: [{ ...taken.turns[0], status: "asleep" }] }, /\["turns"\]\[0\]\["status"\]/u],
        [{ ...taken, sessions: [] }, /turn \S+ has no session/u],
        [{ ...taken, queues: [] }, /turn \S+ is not terminal but in no queue/u],
        [{ ...taken, queues: [...taken.queues, queue] }, /must not contain turn \S+/u],
        [{ ...taken, queues: [{ ...queue, running: null, waiting: [queue.running] }] }, /must not contain turn/u],
        [
          { ...taken, sessions: taken.sessions.map((session) => ({ ...session, status: "stopped" })) },
          /its session is stopped/u
        ]
      ]
      for (const [value, sentence] of wrong) {
        const refused = yield* Effect.flip(state.restore(value))
        assert.match(refused.message, sentence)
        assert.notInclude(refused.message, "\n")
      }
      assert.deepStrictEqual(yield* state.snapshot, taken)
    }).pipe(Effect.provide(simulated))
  )
})

describe("reset", () => {
  it.effect("leaves an engine as new, and nothing from before reappears", () =>
    Effect.gen(function* () {
      const state = yield* SimulatedState
      const empty = yield* state.snapshot
      const sessionId = yield* furnished
      yield* state.reset
      assert.deepStrictEqual(yield* state.snapshot, empty)
      assert.deepStrictEqual(yield* state.open, { turns: [], sessions: [], browsers: [] })
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* state.snapshot, empty)
      assert.strictEqual((yield* create("one")).session.id, sessionId)
    }).pipe(Effect.provide(simulated))
  )

  it.effect("never applies reports of an old turn to a new one with its id, at whatever moment it happens", () =>
    Effect.forEach(
      Array.from({ length: 14 }, (_, moment) => moment),
      (moment) =>
        Effect.gen(function* () {
          const engine = yield* Engine
          const state = yield* SimulatedState
          const { turn } = yield* create("old [simulate duration=10ms]")
          yield* TestClock.adjust(moment)
          yield* state.reset
          const next = yield* create("new [simulate duration=1s]")
          assert.strictEqual(next.turn.id, turn.id)
          yield* TestClock.adjust(900)
          assert.strictEqual((yield* engine.turn(turn.id)).status, "running")
          yield* TestClock.adjust(100)
          assert.strictEqual((yield* engine.turn(turn.id)).status, "completed")
          assert.lengthOf((yield* engine.session(next.session.id)).turns, 1)
        }).pipe(anotherEngine)
    )
  )

  it.effect("ignores an agent that doesn't stop, without waiting for it", () => {
    let interrupted = 0
    const deaf = layerStreamingAgent({
      model: "test",
      version: "test-1",
      perform: ({ task }) => {
        const started = Stream.make<[Turn.TurnEvent]>({ _tag: "Started" })
        if (task === "new") return Stream.concat(started, Stream.never)
        const end = Effect.as(Effect.sleep("10 seconds"), { _tag: "Completed", report: {} } satisfies Turn.TurnEvent)
        return Stream.concat(started, Stream.fromEffect(Effect.uninterruptible(end))).pipe(
          Stream.onExit((exit) => Effect.sync(() => void (interrupted += Exit.isSuccess(exit) ? 0 : 1)))
        )
      }
    })
    return Effect.gen(function* () {
      const state = yield* SimulatedState
      yield* create("old")
      yield* TestClock.adjust("1 second")
      yield* state.reset
      const { session } = yield* create("new")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["new running null"])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing(session.id), ["new running null"])
      assert.strictEqual(interrupted, 1)
    }).pipe(Effect.provide(Layer.provide(stateOver(), [deaf, ports.browsers])))
  })

  it.effect("waits for a write that is in progress, and deletes the stored record", () =>
    Effect.gen(function* () {
      const state = yield* SimulatedState
      const creation = yield* begin(create("one"))
      yield* TestClock.adjust("500 millis")
      const reset = yield* begin(state.reset)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(creation)
      yield* Fiber.join(reset)
      assert.deepStrictEqual((yield* state.snapshot).sessions, [])
    }).pipe(Effect.provide(Layer.provide(stateOver(slowStore), [ports.agent(), ports.browsers])))
  )

  it.effect("stops a running browser", () => {
    const noted: Array<string> = []
    return Effect.gen(function* () {
      const engine = yield* Engine
      const state = yield* SimulatedState
      const creation = yield* begin(engine.createBrowser({ proxyCountryCode: null }))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(creation)
      yield* state.reset
      assert.deepStrictEqual(noted, ["stop"])
    }).pipe(Effect.provide(slowBrowsers(noted)))
  })

  it.effect("stops a browser that is launching, and doesn't keep it", () => {
    const noted: Array<string> = []
    return Effect.gen(function* () {
      const engine = yield* Engine
      const state = yield* SimulatedState
      const creation = yield* begin(engine.createBrowser({ proxyCountryCode: null }, { key: "a", body: "b" }))
      yield* TestClock.adjust("30 seconds")
      yield* state.reset
      yield* TestClock.adjust("30 seconds")
      const { browser } = yield* Fiber.join(creation)
      assert.deepStrictEqual(noted, ["stop"])
      assert.strictEqual((yield* Effect.flip(engine.stopBrowser(browser.id)))._tag, "BrowserNotFound")
      const { browsers, idempotencyRecords } = yield* state.snapshot
      assert.deepStrictEqual([browsers, idempotencyRecords], [[], []])
    }).pipe(Effect.provide(slowBrowsers(noted)))
  })
})

it.effect("open lists unfinished records, without idle sessions", () =>
  Effect.gen(function* () {
    const engine = yield* Engine
    const state = yield* SimulatedState
    const sessionId = yield* furnished
    const { browsers, sessions, turns } = yield* state.open
    assert.deepStrictEqual(
      turns.map(({ createdAt_ms, startedAt_ms, status }) => [status, createdAt_ms, startedAt_ms]),
      [
        ["queued", 0, null],
        ["queued", 0, null],
        ["running", 4000, 5000],
        ["dispatching", 6000, null]
      ]
    )
    assert.deepStrictEqual(
      sessions.map(({ createdAt_ms, idle }) => [createdAt_ms, idle]),
      [
        [0, false],
        [6000, false]
      ]
    )
    assert.lengthOf(browsers, 1)
    yield* engine.cancelTurn(turns[3]?.id ?? "")
    const after = yield* state.open
    assert.deepStrictEqual(
      after.sessions.map(({ id, idle }) => [id === sessionId, idle]),
      [
        [true, false],
        [false, true]
      ]
    )
  }).pipe(Effect.provide(simulated))
)
