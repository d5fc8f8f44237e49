import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Decide from "../src/domain/Decide.ts"
import type { Engine } from "../src/Engine.ts"
import { BrowserPool } from "../src/ports/BrowserPool.ts"
import { Store, StoreUnavailable } from "../src/ports/Store.ts"
import * as SharedWork from "../src/SharedWork.ts"
import * as ports from "./ports.ts"
import { completed, type Parts, request, standing, start, started, test } from "./starts.ts"

/** A node over a store that can be away for it alone. */
const join = Effect.fnUntraced(function* (node: string, parts: Parts = {}) {
  const store = yield* Store
  let state: "there" | "away" | "silent" | "read-only" | "forgetful" = "there"
  const gate = <A, E>(call: Effect.Effect<A, E>, writes = false): Effect.Effect<A, E | StoreUnavailable> =>
    Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> => {
      if (state === "silent") return Effect.never
      return state === "there" || state === "forgetful" || (state === "read-only" && !writes)
        ? call
        : Effect.fail(new StoreUnavailable({ applied: "no", cause: "a test" }))
    })
  const gated = Layer.succeed(Store, {
    ...store,
    commit: (step) => gate(store.commit(step), true),
    session: (id) => gate(store.session(id)),
    sessionState: (id) => gate(store.sessionState(id)),
    browser: (id) => gate(store.browser(id)),
    renew: (self, ttl_ms, isKnown) =>
      // a store that does not have the node accepts it only if it never renewed before
      gate(state === "forgetful" ? Effect.succeed(isKnown !== true) : store.renew(self, ttl_ms, isKnown), true),
    node: (id) => gate(store.node(id)),
    leave: (id) => gate(store.leave(id)),
    isLost: (id) => gate(store.isLost(id)),
    cancelledAt: (id) => gate(store.cancelledAt(id)),
    leasedTo: (id) => gate(store.leasedTo(id)),
    startingAt: (id) => gate(store.startingAt(id)),
    abandoned: (limit) => gate(store.abandoned(limit))
  })
  const started = start(node, { work: SharedWork.layer(), ...parts })
  const { close, engine } = yield* Effect.provide(started, gated, { local: true })
  return {
    engine,
    close,
    /** Its store fails, is there again, or never answers: to the others, that is as if it was killed. */
    become: (next: typeof state) =>
      Effect.sync(() => {
        state = next
      })
  }
})

/** Works until it is told to stop. */
const working: Parts["perform"] = () => Stream.concat(Stream.make(started), Stream.never)

const brief: Parts["perform"] = () => Stream.make(started, completed)

/** Each turn works for ten seconds. */
const tenSeconds: Parts["perform"] = () =>
  Stream.concat(Stream.make(started), Stream.fromEffect(Effect.as(Effect.sleep("10 seconds"), completed)))

const create = (task: string) => ({ ...request, task })

describe("nodes that share a store", () => {
  test(
    "stop all their browsers if they are closed while they stop them because they are lost",
    Effect.gen(function* () {
      const stops: Array<string> = []
      const browsers = Layer.succeed(BrowserPool, {
        launch: ({ id }) =>
          Effect.succeed({
            ...ports.browser,
            stop: Effect.andThen(
              Effect.sleep("2 seconds"),
              Effect.sync(() => void stops.push(id))
            )
          })
      })
      const { become, close, engine } = yield* join("a", { browsers })
      const createBrowser = Effect.map(engine.createBrowser({ proxyCountryCode: null }), ({ browser }) => browser.id)
      const ids = [yield* createBrowser, yield* createBrowser]
      yield* become("away")
      yield* TestClock.adjust("61 seconds")
      assert.deepStrictEqual(stops, [])
      const closed = yield* Effect.forkChild(close, { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(closed)
      assert.deepStrictEqual(stops, ids)
    })
  )

  test(
    "take over from a lost node within six seconds: waiting runs start, and running ones and their browsers get a reason",
    Effect.gen(function* () {
      const lost = yield* join("a", {
        perform: (_, attempt) =>
          Stream.make(started).pipe(
            Stream.concat(Stream.fromEffectDrain(attempt.used({ cost: "0.42" }))),
            Stream.concat(Stream.never)
          )
      })
      const said: Array<string> = []
      yield* join("b", { perform: brief, said })
      // the worst moment: right after it said that it lives
      yield* TestClock.adjust("3 seconds")
      const { session } = yield* lost.engine.createSession(create("runs"))
      yield* lost.engine.queue({ sessionId: session.id, text: "waits", interrupt: false })
      const { browser } = yield* lost.engine.createBrowser({ proxyCountryCode: null })
      yield* Effect.yieldNow
      yield* lost.become("silent")
      yield* TestClock.adjust("4900 millis")
      assert.deepStrictEqual(yield* standing(session.id), ["runs running 0.42", "waits queued"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["runs failed node_lost 0.42", "waits completed"])
      const stored = Option.getOrThrow(yield* Store.use((store) => store.browser(browser.id)))
      assert.deepStrictEqual([stored.status, stored.stopReason], ["stopped", "node_lost"])
      assert.deepStrictEqual(said, ["Node a is lost. Its work ends here, and waiting work starts."])
    })
  )

  test(
    "end the runs of a lost node even if only another one has room for a browser",
    Effect.gen(function* () {
      const store = yield* Store
      const other = { name: "", address: null, draining: false, startedAt_ms: 0 }
      // it has just started, and finds no node lost yet
      yield* store.renew({ ...other, id: "new", room: 1 }, 60_000)
      const lost = yield* join("a", { perform: working })
      yield* join("b", { work: SharedWork.layer({ about: Effect.succeed({ ...other, room: 0 }) }) })
      yield* TestClock.adjust("3 seconds")
      const { session } = yield* lost.engine.createSession(create("runs"))
      yield* Effect.yieldNow
      yield* lost.become("silent")
      yield* TestClock.adjust("6 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["runs failed node_lost"])
    })
  )

  test(
    "check their browsers again right after a failed read",
    Effect.gen(function* () {
      let isStopped = false
      const launch = () => Effect.succeed({ ...ports.browser, stop: Effect.sync(() => void (isStopped = true)) })
      const a = yield* join("a", { browsers: Layer.succeed(BrowserPool, { launch }) })
      const b = yield* join("b")
      const { browser } = yield* a.engine.createBrowser({ proxyCountryCode: null })
      // the last look was at 5 seconds or before
      yield* TestClock.adjust("5200 millis")
      yield* b.engine.stopBrowser(browser.id)
      assert.isFalse(isStopped)
      yield* a.become("away")
      yield* TestClock.adjust("1 second")
      yield* a.become("there")
      assert.isFalse(isStopped)
      yield* TestClock.adjust("1 second")
      assert.isTrue(isStopped)
    })
  )

  test(
    "release and retake a session that is leased to them without their knowledge, after a take was stored late",
    Effect.gen(function* () {
      const said: Array<string> = []
      const { engine } = yield* join("a", { perform: brief, said })
      const { session, turn } = yield* engine.createSession(create("first"))
      const store = yield* Store
      const late = { ...turn, id: "late", task: "late" }
      for (const command of [
        { _tag: "Queue", turn: late, interrupt: false },
        { _tag: "Take", node: "a" }
      ] as const) {
        const state = Option.getOrThrow(yield* store.sessionState(session.id))
        yield* store.commit(Result.getOrThrow(Decide.decide(state, command, 0)))
      }
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["first completed", "late dispatching"])
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["first completed", "late completed"])
      assert.deepStrictEqual(said, [
        `Session ${session.id} was leased to this node without its knowledge. The lease was released.`
      ])
      assert.deepStrictEqual(yield* store.leasedTo("a"), [])
    })
  )

  test(
    "refuse a browser that was launching when its node was lost, because its key is lost as well",
    Effect.gen(function* () {
      const launch = () => Effect.as(Effect.sleep("4 seconds"), ports.browser)
      const { become, engine } = yield* join("a", { browsers: Layer.succeed(BrowserPool, { launch }) })
      const creating = yield* Effect.forkChild(Effect.flip(engine.createBrowser({ proxyCountryCode: null })), {
        startImmediately: true
      })
      yield* TestClock.adjust("500 millis")
      yield* become("forgetful")
      yield* TestClock.adjust("4 seconds")
      assert.deepInclude(yield* Fiber.join(creating), { _tag: "LaunchFailed", reason: "lost" })
    })
  )

  const begins: Record<string, (engine: Engine["Service"]) => Effect.Effect<unknown, unknown>> = {
    create: ({ createSession }) => createSession(request),
    message: ({ openSession, queue }) =>
      Effect.flatMap(openSession({}), ({ session }) => queue({ sessionId: session.id, text: "one", interrupt: false }))
  }
  for (const [by, begin] of Object.entries(begins))
    test(
      `start a run of a ${by} once even if confirming its take lasts longer than two checks`,
      Effect.gen(function* () {
        const store = yield* Store
        let isSlow = false
        let starts = 0
        const slow: Store["Service"] = {
          ...store,
          sessionState: (id) =>
            Effect.andThen(
              Effect.suspend(() => (isSlow ? Effect.sleep("20 seconds") : Effect.void)),
              store.sessionState(id)
            ),
          commit: (step) =>
            Effect.suspend(() => {
              if (isSlow || (step.session?.lease ?? null) === null) return store.commit(step)
              isSlow = true
              const failure = new StoreUnavailable({ applied: "unknown", cause: "a test" })
              return Effect.andThen(store.commit(step), Effect.fail(failure))
            })
        }
        const perform: Parts["perform"] = () =>
          Stream.unwrap(
            Effect.sync(() => {
              starts++
              return Stream.make(started, completed)
            })
          )
        const node = start("a", { work: SharedWork.layer(), perform })
        const { engine } = yield* Effect.provideService(node, Store, slow)
        yield* Effect.ignore(begin(engine))
        const [sessionId = ""] = (yield* store.unfinished(1)).sessions
        yield* TestClock.adjust("5 minutes")
        assert.strictEqual(starts, 1)
        assert.deepStrictEqual(yield* standing(sessionId), ["one completed"])
      })
    )

  test(
    "keep the agent of a later step if the response to an earlier step is late",
    Effect.gen(function* () {
      const store = yield* Store
      const starts: Array<string> = []
      const slow: Store["Service"] = {
        ...store,
        commit: (step) =>
          Effect.tap(store.commit(step), () => (step.message === undefined ? Effect.void : Effect.sleep("400 millis")))
      }
      const perform: Parts["perform"] = ({ task }) =>
        Stream.unwrap(
          Effect.sync(() => {
            starts.push(task)
            const works = Effect.sleep(task === "one" ? "1 second" : "30 seconds")
            return Stream.concat(Stream.make(started), Stream.fromEffect(Effect.as(works, completed)))
          })
        )
      const node = start("a", { work: SharedWork.layer(), perform })
      const { engine } = yield* Effect.provideService(node, Store, slow)
      const { session } = yield* engine.createSession(request)
      yield* TestClock.adjust("900 millis")
      yield* Effect.forkChild(engine.queue({ sessionId: session.id, text: "two", interrupt: false }))
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(starts, ["one", "two"])
      assert.deepStrictEqual(yield* standing(session.id), ["one completed", "two completed"])
    })
  )

  test(
    "release an unknown lease while they drain, so that another node takes the session",
    Effect.gen(function* () {
      const said: Array<string> = []
      const { engine } = yield* join("a", { perform: brief, said })
      const { session, turn } = yield* engine.createSession(create("first"))
      yield* TestClock.adjust("1 second")
      const store = yield* Store
      const late = { ...turn, id: "late", task: "late" }
      for (const command of [
        { _tag: "Queue", turn: late, interrupt: false },
        { _tag: "Take", node: "a" }
      ] as const) {
        const state = Option.getOrThrow(yield* store.sessionState(session.id))
        yield* store.commit(Result.getOrThrow(Decide.decide(state, command, 0)))
      }
      yield* store.drain("a")
      yield* join("b", { perform: brief })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing(session.id), ["first completed", "late completed"])
      assert.strictEqual(said.filter((line) => line.includes("without its knowledge")).length, 1)
    })
  )

  test(
    "stop a browser whose create is stored long after it failed",
    Effect.gen(function* () {
      const store = yield* Store
      const slow: Store["Service"] = {
        ...store,
        commit: (step) =>
          step.browser?.status === "starting"
            ? Effect.andThen(
                Effect.forkDetach(Effect.delay(store.commit(step), "20 seconds")),
                Effect.fail(new StoreUnavailable({ applied: "unknown", cause: "a test" }))
              )
            : store.commit(step)
      }
      const node = start("a", { work: SharedWork.layer() })
      const { engine } = yield* Effect.provideService(node, Store, slow)
      assert.strictEqual(
        (yield* Effect.flip(engine.createBrowser({ proxyCountryCode: null })))._tag,
        "StoreUnavailable"
      )
      yield* TestClock.adjust("20 seconds")
      const open = Effect.map(store.unfinished(10), ({ browsers }) => browsers)
      assert.lengthOf(yield* open, 1)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* open, [])
    })
  )

  test(
    "log once that their database doesn't respond, and why, and once that it responds again",
    Effect.gen(function* () {
      const said: Array<string> = []
      const node = yield* join("a", { said })
      for (let outage = 0; outage < 2; outage++) {
        yield* TestClock.adjust("2 seconds")
        assert.lengthOf(said, 2 * outage)
        yield* node.become("away")
        yield* TestClock.adjust("30 seconds")
        yield* node.become("there")
      }
      yield* TestClock.adjust("2 seconds")
      const lines = [
        "The database does not respond: a test. Trying again until it does.",
        "The database responds again."
      ]
      assert.deepStrictEqual(said, [...lines, ...lines])
    })
  )

  test(
    "log it once, even if their database still serves reads but refuses writes",
    Effect.gen(function* () {
      const said: Array<string> = []
      const node = yield* join("a", { said })
      yield* TestClock.adjust("2 seconds")
      yield* node.become("read-only")
      yield* TestClock.adjust("30 seconds")
      yield* node.become("there")
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(said, [
        "The database does not respond: a test. Trying again until it does.",
        "The database responds again."
      ])
    })
  )

  test(
    "are lost once their store has forgotten them, as it forgets a node after a day of silence",
    Effect.gen(function* () {
      const said: Array<string> = []
      const node = yield* join("a", { said })
      yield* TestClock.adjust("2 seconds")
      yield* node.become("forgetful")
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(said, ["Node a is lost: it was silent for too long, and other nodes took over its work."])
    })
  )

  test(
    "take no session while their lease has expired, so a session that reaches a waking node isn't lost with it",
    Effect.gen(function* () {
      const late = yield* join("a", { perform: tenSeconds })
      yield* join("b", { perform: tenSeconds })
      yield* TestClock.adjust("2 seconds")
      yield* late.become("away")
      yield* TestClock.adjust("6100 millis")
      yield* late.become("there")
      // it says that it lives in 900 ms, and the other one looks in 400
      const { session } = yield* late.engine.createSession(create("late"))
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["late completed"])
    })
  )

  test(
    "start no turn while their lease has expired, so the next turn starts on a live node",
    Effect.gen(function* () {
      const late = yield* join("a", { perform: tenSeconds })
      yield* TestClock.adjust("2 seconds")
      const { session } = yield* late.engine.createSession(create("first"))
      yield* late.engine.queue({ sessionId: session.id, text: "second", interrupt: false })
      yield* TestClock.adjust("5 seconds")
      yield* late.become("away")
      yield* TestClock.adjust("6 seconds")
      yield* late.become("there")
      // it ends the first one before it says that it lives
      for (let step = 0; step < 100 && (yield* standing(session.id))[0] !== "first completed"; step++) {
        yield* TestClock.adjust("10 millis")
      }
      // another node looks at this moment
      assert.isTrue(yield* Store.use((store) => store.isLost("a")))
      yield* join("b", { perform: brief })
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["first completed", "second completed"])
    })
  )

  for (const phase_ms of [0, 300, 600])
    test(
      `lose nothing in an outage of half a minute, whichever node reads the store first ${phase_ms} ms later`,
      Effect.gen(function* () {
        const nodes = [yield* join("a", { perform: tenSeconds }), yield* join("b", { perform: tenSeconds })] as const
        // not at the same moment as the other one
        yield* TestClock.adjust("700 millis")
        const late = yield* join("c", { perform: working })
        const made = yield* late.engine.createSession(create("long"))
        const { browser } = yield* late.engine.createBrowser({ proxyCountryCode: null })
        const others = yield* Effect.forEach(nodes, ({ engine }) => engine.createSession(create("short")))
        yield* TestClock.adjust(1000 + phase_ms)
        for (const node of [...nodes, late]) yield* node.become("away")
        yield* TestClock.adjust("30 seconds")
        for (const node of [...nodes, late]) yield* node.become("there")
        yield* TestClock.adjust("20 seconds")
        assert.deepStrictEqual(yield* standing(made.session.id), ["long running"])
        for (const { session } of others) assert.deepStrictEqual(yield* standing(session.id), ["short completed"])
        const stored = Option.getOrThrow(yield* Store.use((store) => store.browser(browser.id)))
        assert.strictEqual(stored.status, "active")
        // and they notice each other as before
        yield* late.become("silent")
        yield* TestClock.adjust("6 seconds")
        assert.deepStrictEqual(yield* standing(made.session.id), ["long failed node_lost"])
      })
    )

  test(
    "take over from their own earlier start when its lease expires, and from others one lease after joining",
    Effect.gen(function* () {
      const nodes = yield* Effect.forEach(["east.1", "west.1"], (node) => join(node, { perform: working }))
      yield* TestClock.adjust("3 seconds")
      const made = yield* Effect.forEach(nodes, ({ engine }) => engine.createSession(create("runs")))
      yield* Effect.yieldNow
      for (const node of nodes) yield* node.become("silent")
      yield* TestClock.adjust("3 seconds")
      yield* join("east.2", { perform: brief })
      const all = Effect.forEach(made, ({ session }) => standing(session.id))
      // the leases of both are not over yet
      yield* TestClock.adjust("1900 millis")
      assert.deepStrictEqual(yield* all, [["runs running"], ["runs running"]])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* all, [["runs failed node_lost"], ["runs running"]])
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* all, [["runs failed node_lost"], ["runs failed node_lost"]])
    })
  )

  test(
    "notice a cancellation on another node within half a second",
    Effect.gen(function* () {
      let letGo = false
      const holder = yield* join("a", {
        perform: () =>
          Stream.concat(Stream.make(started), Stream.never).pipe(
            Stream.ensuring(Effect.sync(() => void (letGo = true)))
          )
      })
      const other = yield* join("b", { perform: brief })
      yield* TestClock.adjust("3 seconds")
      const { session, turn } = yield* holder.engine.createSession(create("cancelled"))
      yield* other.engine.cancelTurn(turn.id)
      assert.isFalse(letGo)
      yield* TestClock.adjust("500 millis")
      assert.isTrue(letGo)
      assert.deepStrictEqual(yield* standing(session.id), ["cancelled cancelled"])
    })
  )

  test(
    "leave a closing node's waiting runs and a draining node's new runs to another node immediately",
    Effect.gen(function* () {
      const told: Array<string> = []
      const said: Array<string> = []
      const leaving = yield* join("a", {
        said,
        perform: tenSeconds,
        work: SharedWork.layer({ drained: Effect.sync(() => void told.push("drained")) })
      })
      yield* join("b", { perform: brief })
      const first = yield* leaving.engine.createSession(create("runs"))
      yield* leaving.engine.queue({ sessionId: first.session.id, text: "waits", interrupt: false })
      yield* TestClock.adjust("3 seconds")
      assert.isTrue(yield* Store.use((store) => store.drain("a")))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(told, ["drained"])
      assert.deepStrictEqual(said, ["Draining, as another process asked: stop this server when its runs are over."])
      const second = yield* leaving.engine.createSession(create("comes"))
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(yield* standing(second.session.id), ["comes completed"])
      assert.deepStrictEqual(yield* standing(first.session.id), ["runs running", "waits queued"])
      yield* TestClock.adjust("6 seconds")
      assert.deepStrictEqual(yield* standing(first.session.id), ["runs completed", "waits completed"])
      yield* leaving.close
      const nodes = yield* Store.use((store) => store.nodes)
      assert.deepStrictEqual(
        nodes.map(({ id }) => id),
        ["b"]
      )
    })
  )

  test(
    "take sessions again when their drain is undone",
    Effect.gen(function* () {
      const told: Array<string> = []
      const tell = (what: string) => Effect.sync(() => void told.push(what))
      const { engine } = yield* join("a", {
        perform: brief,
        work: SharedWork.layer({ drained: tell("drained"), undrained: tell("undrained") })
      })
      yield* Store.use((store) => store.drain("a"))
      yield* TestClock.adjust("1 second")
      const { session } = yield* engine.createSession(create("waits"))
      const refused = yield* Effect.flip(engine.createBrowser({ proxyCountryCode: null }))
      assert.strictEqual(refused.message, "This server is draining and starts no browser. Try again in a moment")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing(session.id), ["waits queued"])
      yield* Store.use((store) => store.drain("a", false))
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(told, ["drained", "undrained"])
      assert.deepStrictEqual(yield* standing(session.id), ["waits completed"])
      assert.strictEqual((yield* engine.createBrowser({ proxyCountryCode: null })).browser.status, "active")
    })
  )

  test(
    "take nothing before the other nodes know them",
    Effect.gen(function* () {
      const store = yield* Store
      const slow = Layer.succeed(Store, {
        ...store,
        renew: (...told) => Effect.delay(store.renew(...told), "3 seconds")
      })
      const begun = start("a", { work: SharedWork.layer() })
      const fiber = yield* Effect.forkScoped(Effect.provide(begun, slow, { local: true }))
      yield* TestClock.adjust("2 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      assert.lengthOf(yield* store.nodes, 1)
    })
  )

  test(
    "move no session when a node joins",
    Effect.gen(function* () {
      const first = yield* join("a", { perform: tenSeconds })
      const made = yield* Effect.forEach(Array.from({ length: 60 }), () => first.engine.createSession(create("long")))
      yield* join("b", { perform: () => Stream.die("nothing is to come here") })
      yield* TestClock.adjust("9 seconds")
      const held = yield* Store.use((store) => store.records)
      assert.isTrue(held.sessions.every(({ lease }) => lease?.node === "a"))
      yield* TestClock.adjust("2 seconds")
      for (const { session } of made) assert.deepStrictEqual(yield* standing(session.id), ["long completed"])
    })
  )

  test(
    "create one run if all of them get the same create at once",
    Effect.gen(function* () {
      const nodes = yield* Effect.forEach(["a", "b", "c"], (name) => join(name, { perform: brief }))
      for (let round = 0; round < 20; round++) {
        const safe = { key: `k${round}`, body: "b" }
        const made = yield* Effect.forEach(nodes, ({ engine }) => engine.createSession(create(`${round}`), safe), {
          concurrency: "unbounded"
        })
        assert.lengthOf([...new Set(made.map(({ turn }) => turn.id))], 1)
        assert.lengthOf(
          made.filter(({ replayed }) => !replayed),
          1
        )
      }
      yield* TestClock.adjust("1 second")
      const { turns } = yield* Store.use((store) => store.records)
      assert.lengthOf(turns, 20)
      assert.isTrue(turns.every(({ status }) => status === "completed"))
    })
  )

  test(
    "log once that they are lost, and take nothing afterwards",
    Effect.gen(function* () {
      const told: Array<string> = []
      const frozen = yield* join("a", {
        perform: working,
        work: SharedWork.layer({ lost: Effect.sync(() => void told.push("lost")) })
      })
      yield* join("b", { perform: brief })
      yield* frozen.engine.createSession(create("held"))
      yield* frozen.become("away")
      yield* TestClock.adjust("8 seconds")
      assert.deepStrictEqual(told, [])
      yield* frozen.become("there")
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(told, ["lost"])
      const late = yield* frozen.engine.createSession(create("late"))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(late.session.id), ["late completed"])
    })
  )

  test(
    "release everything after an outage of over a minute, and start again when the store responds",
    Effect.gen(function* () {
      const told: Array<string> = []
      const said: Array<string> = []
      let stopped = 0
      const node = yield* join("a", {
        perform: () =>
          Stream.ensuring(
            Stream.never,
            Effect.sync(() => stopped++)
          ),
        work: SharedWork.layer({ lost: Effect.sync(() => void told.push("lost")) }),
        said
      })
      yield* node.engine.createSession(create("held"))
      yield* node.become("away")
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(stopped, 0)
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual([stopped, told], [1, []])
      yield* node.become("there")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(told, ["lost"])
      assert.deepStrictEqual(
        said.map((line) => line.split(":")[0]),
        ["The database does not respond", "Node a is lost"]
      )
    })
  )
})
