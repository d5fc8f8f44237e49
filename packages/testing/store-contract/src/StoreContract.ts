import { assert, describe, it } from "@effect/vitest"
import {
  Browser,
  Decide,
  type Event,
  type IdempotencyRecord,
  type Node,
  Session,
  type Step,
  Store,
  StoreUnavailable,
  Turn
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

const day_ms = 86_400_000

const newSession = (id: string, createdAt_ms = 0): Session.Session =>
  Session.make({ id, thinkingLevel: null, createdAt_ms, owner: "owner" })

const newTurn = (id: string, sessionId: string, createdAt_ms = 0): Turn.Turn =>
  Turn.make({
    id,
    sessionId,
    task: `task of ${id}`,
    model: "m",
    agentVersion: "1",
    modelParams: { deep: [1, { a: null }] },
    createdAt_ms,
    owner: "owner"
  })

const stepOf = ({ events, session, turnSteps, turns }: Decide.Decision) => ({ session, turns, turnSteps, events })

/** A session `s<name>` with its turn `t<name>`. */
const creation = (name: string, at_ms = 0) =>
  stepOf(Decide.created(newSession(`s${name}`, at_ms), newTurn(`t${name}`, `s${name}`, at_ms)))

const keyed = (key: string, createdAt_ms = 0, id = `b-${key}`): IdempotencyRecord => ({
  key,
  body: "body",
  createdAt_ms,
  made: { _tag: "Browser", browser: Browser.make({ id, proxyCountryCode: null, startedAt_ms: createdAt_ms }) }
})

const browserStep = (browser: Browser.Browser): Step => ({ browser, events: [] })

/** What a commit was refused with; `carried out` when it was not. */
const refusal = (step: Step) =>
  Effect.map(Effect.result(Store.use((store) => store.commit(step))), (committed) =>
    Result.isFailure(committed) ? committed.failure._tag : "carried out"
  )

/** Carries a command out, as an engine does. */
const change = Effect.fnUntraced(function* (sessionId: string, command: Decide.Command, at_ms = 0) {
  const store = yield* Store
  for (;;) {
    const state = Option.getOrThrow(yield* store.sessionState(sessionId))
    const decision = Result.getOrThrow(Decide.decide(state, command, at_ms))
    const committed = yield* Effect.result(store.commit(stepOf(decision)))
    if (Result.isSuccess(committed)) return decision
    assert.strictEqual(committed.failure._tag, "Conflict")
  }
})

const commit = (step: Step) => Store.use((store) => store.commit(step))

/** Ends the only turn of a session, which then stops. */
const finish = Effect.fnUntraced(function* (name: string, at_ms: number) {
  const store = yield* Store
  const taken = yield* change(`s${name}`, { _tag: "Take", node: "n" }, at_ms)
  const token = taken.session.revision
  const settings = { keepAlive: false }
  const report = { _tag: "Report", token, leaves: true, goesOn: true } as const
  yield* change(`s${name}`, { ...report, event: { _tag: "Started", settings } }, at_ms)
  const step = { summary: "look", address: null, picture: null }
  yield* change(`s${name}`, { _tag: "Progress", token, progress: { step } }, at_ms)
  yield* change(`s${name}`, { ...report, event: { _tag: "Completed", report: { output: { found: [name] } } } }, at_ms)
  return yield* store.session(`s${name}`)
})

/** What a node tells of itself. */
const node = (id: string, told: Partial<Node> = {}): Node => ({
  id,
  name: id,
  address: null,
  room: 0,
  draining: false,
  startedAt_ms: 0,
  ...told
})

const untilLost = (node: string): Effect.Effect<void, StoreUnavailable, Store> =>
  Effect.flatMap(
    Store.use((store) => store.isLost(node)),
    (lost) => (lost ? Effect.void : Effect.andThen(Effect.sleep("2 millis"), untilLost(node)))
  )

/**
 * What every store has to do. The layer is built for each test and starts empty. Tests run on the live clock, because
 * a store has its own; none depends on how fast it is.
 */
export const storeContract = <E>(name: string, layer: Layer.Layer<Store, E>): void => {
  const test = (title: string, body: Effect.Effect<unknown, unknown, Store>) =>
    it.live(title, () => Effect.asVoid(body).pipe(Effect.provide(Layer.fresh(layer), { local: true })))

  describe(`${name} as a store`, () => {
    test(
      "gives back what was committed, by id, to the last field",
      Effect.gen(function* () {
        const store = yield* Store
        const made = creation("1")
        const message = { id: "m1", sessionId: "s1", turnId: "t1", owner: null, interrupt: true, createdAt_ms: 5 }
        yield* commit({ ...made, key: keyed("k"), message })
        const browser = Browser.make({ id: "b1", proxyCountryCode: "no", startedAt_ms: 1, node: "n", expiresAt_ms: 9 })
        yield* commit(browserStep(browser))
        assert.deepStrictEqual(Option.getOrThrow(yield* store.session("s1")), made.session)
        assert.deepStrictEqual(Option.toArray(yield* store.turn("t1")), made.turns)
        assert.deepStrictEqual(yield* store.turnsOf("s1"), made.turns)
        assert.deepStrictEqual(yield* store.message("m1"), Option.some(message))
        assert.deepStrictEqual(yield* store.browser("b1"), Option.some(browser))
        assert.deepStrictEqual(yield* store.idempotencyRecord("k"), Option.some(keyed("k")))
        assert.deepStrictEqual(yield* store.records, {
          sessions: [made.session],
          turns: made.turns,
          turnSteps: [],
          messages: [message],
          browsers: [browser],
          idempotencyRecords: [keyed("k")]
        })
        // a path may have any character, and Postgres has no text with this one
        for (const id of ["x", "s1\0"]) {
          const absent: ReadonlyArray<Option.Option<unknown>> = [
            yield* store.session(id),
            yield* store.turn(id),
            yield* store.message(id),
            yield* store.browser(id),
            yield* store.idempotencyRecord(id)
          ]
          assert.isTrue(absent.every(Option.isNone))
        }
        assert.isTrue(Option.isNone(yield* store.sessionState("x")))
        assert.deepStrictEqual([yield* store.turnsOf("x"), yield* store.stepsOf("x")], [[], []])
      })
    )

    test(
      "refuses a step that was decided on another revision, and writes nothing of it",
      Effect.gen(function* () {
        const store = yield* Store
        const first = creation("1")
        yield* commit(first)
        assert.strictEqual(yield* refusal({ ...creation("1"), key: keyed("k") }), "Conflict")
        const state = Option.getOrThrow(yield* store.sessionState("s1"))
        const late = Result.getOrThrow(
          Decide.decide(state, { _tag: "Queue", turn: newTurn("t2", "s1"), interrupt: false }, 1)
        )
        yield* change("s1", { _tag: "Share" })
        const message = { id: "m", sessionId: "s1", turnId: "t2", owner: null, interrupt: false, createdAt_ms: 1 }
        assert.strictEqual(yield* refusal({ ...stepOf(late), key: keyed("k"), message }), "Conflict")
        // one that has not come yet is as wrong
        const early = { ...late.session, revision: 4 }
        assert.strictEqual(yield* refusal({ ...stepOf(late), session: early }), "Conflict")
        assert.isTrue(Option.isNone(yield* store.turn("t2")))
        assert.isTrue(Option.isNone(yield* store.message("m")))
        assert.isTrue(Option.isNone(yield* store.idempotencyRecord("k")))
        assert.lengthOf(yield* store.eventsAfter(0, 10), 2)
        assert.strictEqual(yield* refusal({ ...creation("x"), turns: first.turns }), "Conflict")
        assert.isTrue(Option.isNone(yield* store.session("sx")))
      })
    )

    test(
      "of many at once that change one session each does it once, on what the one before left",
      Effect.gen(function* () {
        const store = yield* Store
        yield* commit(creation("1"))
        yield* Effect.forEach(
          Array.from({ length: 30 }, (_, index) => `q${index}`),
          (id) => change("s1", { _tag: "Queue", turn: newTurn(id, "s1"), interrupt: false }),
          { concurrency: "unbounded" }
        )
        const { session, turns } = Option.getOrThrow(yield* store.sessionState("s1"))
        assert.deepStrictEqual([session.revision, session.turnCount, turns.length], [31, 31, 31])
        assert.deepStrictEqual(
          turns.map(({ seq }) => seq),
          turns.map((_, index) => index + 1)
        )
      })
    )

    test(
      "refuses a stale browser",
      Effect.gen(function* () {
        const store = yield* Store
        const starting = Browser.make({ id: "b", proxyCountryCode: null, startedAt_ms: 0 })
        yield* commit(browserStep(starting))
        assert.strictEqual(yield* refusal(browserStep(starting)), "Conflict")
        const active = Browser.launched(starting)
        yield* commit(browserStep(active))
        const stopped = Result.getOrThrow(Browser.stop(starting, "asked", 1))
        assert.strictEqual(yield* refusal(browserStep(stopped)), "Conflict")
        assert.deepStrictEqual(yield* store.browser("b"), Option.some(active))
      })
    )

    test(
      "lets one create through a key, until the key is expired or forgotten",
      Effect.gen(function* () {
        const store = yield* Store
        yield* commit({ ...creation("1"), key: keyed("k", 1000) })
        // the key comes first: a repeat of a create is told what was made, not that its id is taken
        for (const step of [creation("1"), creation("2")]) {
          const taken = yield* Effect.flip(commit({ ...step, key: keyed("k", 1000 + day_ms - 1, "other") }))
          assert.deepStrictEqual(taken._tag === "KeyTaken" ? taken.record : taken, keyed("k", 1000))
        }
        assert.isTrue(Option.isNone(yield* store.session("s2")))
        yield* commit({ ...creation("3"), key: keyed("k", 1000 + day_ms, "later") })
        assert.deepStrictEqual(yield* store.idempotencyRecord("k"), Option.some(keyed("k", 1000 + day_ms, "later")))
        yield* commit({ events: [], forgetKey: "k" })
        assert.isTrue(Option.isNone(yield* store.idempotencyRecord("k")))
        yield* commit({ ...creation("4"), key: keyed("k", 1000) })
      })
    )

    test(
      "lets one of many creates with one key through, when they come at once",
      Effect.gen(function* () {
        const store = yield* Store
        const told = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, index) => String(index)),
          (each) => Effect.map(refusal({ ...creation(each), key: keyed("k", 0, each) }), (tag) => [each, tag] as const),
          { concurrency: "unbounded" }
        )
        const through = told.filter(([, tag]) => tag === "carried out")
        assert.lengthOf(through, 1)
        assert.isTrue(told.every(([, tag]) => tag === "carried out" || tag === "KeyTaken"))
        const { sessions } = yield* store.records
        assert.deepStrictEqual(
          sessions.map(({ id }) => id),
          through.map(([each]) => `s${each}`)
        )
      })
    )

    test(
      "does what goes with a commit when it is carried out, and undoes the commit when that fails",
      Effect.gen(function* () {
        const store = yield* Store
        let done = 0
        const also = Effect.sync(() => void done++)
        yield* commit({ ...creation("1"), also })
        assert.strictEqual(done, 1)
        assert.strictEqual(yield* refusal({ ...creation("1"), also }), "Conflict")
        assert.strictEqual(done, 1)
        const fails = Effect.fail(new StoreUnavailable({ applied: "no", cause: "a test" }))
        assert.strictEqual(yield* refusal({ ...creation("2"), key: keyed("k"), also: fails }), "StoreUnavailable")
        assert.isTrue(Option.isNone(yield* store.session("s2")))
        assert.isTrue(Option.isNone(yield* store.turn("t2")))
        assert.isTrue(Option.isNone(yield* store.idempotencyRecord("k")))
      })
    )

    test(
      "carries out all of a commit that is interrupted, or nothing",
      Effect.forEach(
        Array.from({ length: 20 }, (_, index) => String(index)),
        (each) =>
          Effect.gen(function* () {
            const store = yield* Store
            const fiber = yield* Effect.forkChild(commit({ ...creation(each), key: keyed(each) }), {
              startImmediately: Number(each) % 2 === 0
            })
            if (Number(each) % 3 === 0) yield* Effect.yieldNow
            yield* Fiber.interrupt(fiber)
            const parts = [
              Option.isSome(yield* store.session(`s${each}`)),
              Option.isSome(yield* store.turn(`t${each}`)),
              Option.isSome(yield* store.idempotencyRecord(each)),
              (yield* store.eventsAfter(0, 100)).some(({ event }) => event.id === `t${each}`)
            ]
            assert.lengthOf([...new Set(parts)], 1)
          })
      )
    )

    test(
      "shows of a session what is open and what its lease names, in the order of creation",
      Effect.gen(function* () {
        const store = yield* Store
        const state = Effect.map(store.sessionState("s1"), (found) => {
          const { session, turns } = Option.getOrThrow(found)
          return [session.lease?.token ?? null, ...turns.map(({ id, status }) => `${id} ${status}`)]
        })
        yield* commit(creation("1"))
        yield* change("s1", { _tag: "Take", node: "n" })
        yield* change("s1", { _tag: "Queue", turn: newTurn("t2", "s1"), interrupt: false })
        yield* change("s1", { _tag: "Queue", turn: newTurn("t3", "s1"), interrupt: true })
        assert.deepStrictEqual(yield* state, [2, "t1 cancelled", "t2 queued", "t3 queued"])
        yield* change("s1", { _tag: "LetGo", token: 2, ending: { _tag: "Cancelled" }, goesOn: true })
        assert.deepStrictEqual(yield* state, [5, "t2 queued", "t3 dispatching"])
        yield* change("s1", { _tag: "Stop" })
        yield* change("s1", { _tag: "LetGo", token: 5, ending: { _tag: "Cancelled" }, goesOn: true })
        assert.deepStrictEqual(yield* state, [null])
        assert.deepStrictEqual((yield* store.unfinished(10)).sessions, [])
        assert.deepStrictEqual(
          (yield* store.turnsOf("s1")).map(({ id, status }) => `${id} ${status}`),
          ["t1 cancelled", "t2 cancelled", "t3 cancelled"]
        )
      })
    )

    test(
      "keeps the steps of a turn in their order",
      Effect.gen(function* () {
        const store = yield* Store
        yield* commit(creation("1"))
        yield* change("s1", { _tag: "Take", node: "n" })
        yield* change("s1", { _tag: "Report", token: 2, event: { _tag: "Started" }, leaves: false, goesOn: true })
        for (const summary of ["one", "two", "three"]) {
          const step = { summary, address: "https://example.com", picture: null }
          yield* change("s1", { _tag: "Progress", token: 2, progress: { step } }, 7)
        }
        assert.deepStrictEqual(
          (yield* store.stepsOf("t1")).map(({ beganAt_ms, ordinal, summary }) => `${ordinal} ${summary} ${beganAt_ms}`),
          ["1 one 7", "2 two 7", "3 three 7"]
        )
        const [, second] = yield* store.stepsOf("t1")
        assert.isDefined(second)
        const ended = { step: second, failure: "no such page" }
        yield* change("s1", { _tag: "Progress", token: 2, progress: { ended } }, 9)
        assert.deepStrictEqual(
          (yield* store.stepsOf("t1")).map(({ ended, summary }) => [summary, ended]),
          [
            ["one", undefined],
            ["two", { at_ms: 9, failure: "no such page" }],
            ["three", undefined]
          ]
        )
      })
    )

    test(
      "counts the time of a node, which is over for good once it is over",
      Effect.gen(function* () {
        const store = yield* Store
        assert.isTrue(yield* store.isLost("a"))
        assert.isTrue(yield* store.renew(node("a"), 3_600_000))
        assert.isTrue(yield* store.renew(node("a"), 3_600_000))
        assert.isTrue(yield* store.renew(node("a"), 3_600_000, true))
        assert.isFalse(yield* store.isLost("a"))
        assert.isFalse(yield* store.renew(node("forgotten"), 3_600_000, true))
        assert.isTrue(yield* store.isLost("forgotten"))
        assert.isTrue(yield* store.renew(node("b"), 1))
        yield* untilLost("b")
        assert.isFalse(yield* store.renew(node("b"), 3_600_000))
        assert.isFalse(yield* store.renew(node("b"), 3_600_000, true))
        assert.isTrue(yield* store.isLost("b"))
        yield* store.leave("a")
        assert.isTrue(yield* store.isLost("a"))
        assert.isFalse(yield* store.renew(node("a"), 3_600_000))
      })
    )

    test(
      "lets a node say late that it lives, unless another one found it lost before",
      Effect.gen(function* () {
        const store = yield* Store
        yield* store.renew(node("late"), 1)
        yield* store.renew(node("later"), 1)
        yield* untilLost("later")
        assert.deepStrictEqual(yield* store.node("later"), Option.none())
        assert.isTrue(yield* store.renew(node("late"), 3_600_000))
        assert.isFalse(yield* store.isLost("late"))
        assert.deepStrictEqual(yield* store.node("late"), Option.some(node("late")))
        assert.isFalse(yield* store.renew(node("later"), 3_600_000))
        assert.isTrue(yield* store.isLost("later"))
      })
    )

    test(
      "knows what a node has at work although it is cancelled",
      Effect.gen(function* () {
        const store = yield* Store
        const cancelled = (name: string) =>
          Effect.map(store.cancelledAt(name), (turns) => turns.map(({ cancel, id }) => `${id} ${cancel?.reason}`))
        for (const each of ["1", "2", "3"]) yield* commit(creation(each))
        for (const each of ["s1", "s2"]) yield* change(each, { _tag: "Take", node: "n" })
        yield* change("s3", { _tag: "Take", node: "other" })
        assert.deepStrictEqual(yield* cancelled("n"), [])
        yield* change("s1", { _tag: "Cancel", turnId: "t1" })
        yield* change("s3", { _tag: "Cancel", turnId: "t3" })
        assert.deepStrictEqual(yield* cancelled("n"), ["t1 asked"])
        yield* change("s1", { _tag: "LetGo", token: 2, ending: { _tag: "Cancelled" }, goesOn: true })
        assert.deepStrictEqual(yield* cancelled("n"), [])
      })
    )

    test(
      "tells of each node that lives what it said last, and of no other",
      Effect.gen(function* () {
        const store = yield* Store
        const first = node("b", { name: "east", address: "http://10.0.0.5:8080", room: 3, startedAt_ms: 7 })
        yield* store.renew(first, 3_600_000)
        yield* store.renew(node("a"), 3_600_000)
        assert.deepStrictEqual(yield* store.nodes, [node("a"), first])
        yield* store.renew({ ...first, room: 2 }, 3_600_000)
        yield* store.renew(node("c"), 1)
        yield* untilLost("c")
        // a node may end before it ever said that it lives
        yield* store.leave("d")
        assert.deepStrictEqual(yield* store.nodes, [node("a"), { ...first, room: 2 }])
        yield* store.leave("b")
        assert.deepStrictEqual(yield* store.nodes, [node("a")])
      })
    )

    test(
      "has a node drain for good that was told to, or says so itself, while it lives",
      Effect.gen(function* () {
        const store = yield* Store
        const draining = Effect.map(store.nodes, (nodes) => nodes.map(({ draining }) => draining))
        yield* store.renew(node("a"), 3_600_000)
        yield* store.renew(node("b"), 3_600_000)
        assert.isTrue(yield* store.drain("a"))
        assert.deepStrictEqual(yield* draining, [true, false])
        yield* store.renew(node("a", { room: 1 }), 3_600_000)
        yield* store.renew(node("b", { draining: true }), 3_600_000)
        assert.deepStrictEqual(yield* draining, [true, true])
        assert.isTrue(yield* store.drain("a"))
        yield* store.renew(node("b"), 3_600_000)
        assert.deepStrictEqual(yield* draining, [true, true])
        yield* store.leave("a")
        assert.deepStrictEqual([yield* store.drain("a"), yield* store.drain("x")], [false, false])
        assert.isFalse(yield* store.renew(node("a"), 3_600_000))
      })
    )

    test(
      "counts that time by its own clock, whatever the clock of a node says",
      Effect.gen(function* () {
        const store = yield* Store
        const clock = yield* Clock.Clock
        const ahead: Clock.Clock = Object.assign(Object.create(clock), {
          currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + day_ms,
          currentTimeMillis: Effect.map(clock.currentTimeMillis, (now_ms) => now_ms + day_ms)
        })
        const fast = Effect.provideService(Clock.Clock, ahead)
        yield* store.renew(node("a"), 3_600_000)
        yield* commit(browserStep(Browser.make({ id: "b", proxyCountryCode: null, startedAt_ms: 0, node: "a" })))
        assert.isFalse(yield* fast(store.isLost("a")))
        assert.deepStrictEqual((yield* fast(store.abandoned(10))).browsers, [])
        assert.isTrue(yield* fast(store.renew(node("a"), 1)))
        yield* untilLost("a")
        yield* fast(store.leave("a"))
        assert.isTrue(yield* store.isLost("a"))
      })
    )

    test(
      "finds what has no node that lives, the longest waiting first, and nothing else",
      Effect.gen(function* () {
        const store = yield* Store
        yield* store.renew(node("alive"), 3_600_000)
        yield* store.renew(node("gone"), 3_600_000)
        for (const [index, each] of ["1", "2", "3", "4", "5"].entries()) yield* commit(creation(each, index))
        yield* change("s2", { _tag: "Take", node: "alive" })
        yield* change("s3", { _tag: "Take", node: "gone" })
        yield* change("s5", { _tag: "Stop" })
        for (const node of ["alive", "gone", null]) {
          yield* commit(browserStep(Browser.make({ id: `b-${node}`, proxyCountryCode: null, startedAt_ms: 0, node })))
        }
        const stopped = Browser.make({ id: "b-over", proxyCountryCode: null, startedAt_ms: 0, node: "gone" })
        yield* commit(browserStep(stopped))
        yield* commit(browserStep(Result.getOrThrow(Browser.stop(stopped, "asked", 1))))
        const before = yield* store.abandoned(10)
        assert.deepStrictEqual(before, { sessions: ["s1", "s4"], browsers: ["b-null"] })
        yield* store.leave("gone")
        const { browsers, sessions } = yield* store.abandoned(10)
        assert.deepStrictEqual(sessions, ["s1", "s3", "s4"])
        assert.sameMembers([...browsers], ["b-gone", "b-null"])
        assert.deepStrictEqual((yield* store.abandoned(2)).sessions, ["s1", "s3"])
        const all = yield* store.unfinished(10)
        assert.deepStrictEqual(all.sessions, ["s1", "s2", "s3", "s4"])
        assert.sameMembers([...all.browsers], ["b-alive", "b-gone", "b-null"])
        assert.lengthOf((yield* store.unfinished(1)).sessions, 1)
      })
    )

    test(
      "tells events after a cursor, each once, in the order of commits",
      Effect.gen(function* () {
        const store = yield* Store
        const told = Effect.fnUntraced(function* (after: number, limit: number) {
          const events = yield* store.eventsAfter(after, limit)
          return events.map(({ cursor, event }) => ({ cursor, move: `${event.id} ${event.from} ${event.to}` }))
        })
        yield* commit(creation("1"))
        yield* change("s1", { _tag: "Take", node: "n" })
        yield* refusal(creation("1"))
        yield* commit(creation("2"))
        const all = yield* told(0, 100)
        assert.deepStrictEqual(
          all.map(({ move }) => move),
          ["s1 null active", "t1 null queued", "t1 queued dispatching", "s2 null active", "t2 null queued"]
        )
        const cursors = all.map(({ cursor }) => cursor)
        assert.deepStrictEqual(
          cursors,
          [...new Set(cursors)].toSorted((left, right) => left - right)
        )
        assert.deepStrictEqual(yield* told(cursors[1] ?? 0, 2), all.slice(2, 4))
        assert.deepStrictEqual(yield* told(cursors[4] ?? 0, 2), [])
        const [first] = yield* store.eventsAfter(0, 1)
        const event: Event = {
          at_ms: 0,
          of: "session",
          id: "s1",
          sessionId: null,
          owner: "owner",
          from: null,
          to: "active"
        }
        assert.deepStrictEqual(first?.event, event)
      })
    )

    test(
      "forgets what is over for long enough, the oldest first, and never what is not over",
      Effect.gen(function* () {
        const store = yield* Store
        for (const [index, each] of ["1", "2", "3", "4"].entries()) {
          yield* commit({ ...creation(each, index), key: keyed(each, index) })
        }
        const message = { id: "m1", sessionId: "s1", turnId: "t1", owner: null, interrupt: false, createdAt_ms: 1 }
        yield* change("s1", { _tag: "Share" })
        const { session } = Option.getOrThrow(yield* store.sessionState("s1"))
        yield* commit({ session: { ...session, revision: session.revision + 1 }, message, events: [] })
        for (const [each, at_ms] of [
          ["3", 30],
          ["1", 10],
          ["2", 20]
        ] as const) {
          yield* finish(each, at_ms)
        }
        const browser = Browser.make({ id: "b", proxyCountryCode: null, startedAt_ms: 0 })
        yield* commit(browserStep(browser))
        yield* commit(browserStep(Result.getOrThrow(Browser.stop(browser, "expired", 15))))
        assert.lengthOf(yield* store.stepsOf("t1"), 1)
        const one = yield* store.prune({ finishedUntil_ms: 20, limit: 1 })
        assert.deepStrictEqual([one.sessions, one.browsers, one.keys, one.events], [1, 1, 0, 0])
        assert.isTrue(Option.isNone(yield* store.session("s1")))
        assert.isTrue(Option.isNone(yield* store.turn("t1")))
        assert.isTrue(Option.isNone(yield* store.message("m1")))
        assert.deepStrictEqual([yield* store.stepsOf("t1"), yield* store.turnsOf("s1")], [[], []])
        assert.isTrue(Option.isNone(yield* store.browser("b")))
        yield* store.prune({ finishedUntil_ms: 20, limit: 10 })
        const left = yield* store.records
        assert.deepStrictEqual(
          left.sessions.map(({ id }) => id),
          ["s3", "s4"]
        )
        const keys = yield* store.prune({ keysUntil_ms: 1, limit: 10 })
        assert.strictEqual(keys.keys, 2)
        assert.isTrue(Option.isSome(yield* store.idempotencyRecord("3")))
        const cursors = (yield* store.eventsAfter(0, 100)).map(({ cursor }) => cursor)
        yield* store.prune({ eventsUntil: cursors[2] ?? 0, limit: 100 })
        assert.strictEqual((yield* store.eventsAfter(0, 1))[0]?.cursor, cursors[3])
        // one that is stopped, but whose agent has not let go, is at work
        yield* commit(creation("5"))
        yield* change("s5", { _tag: "Take", node: "n" }, 1)
        yield* change("s5", { _tag: "Stop" }, 1)
        yield* store.prune({ finishedUntil_ms: 1, turnsUntil_ms: 1, limit: 10 })
        assert.lengthOf(Option.getOrThrow(yield* store.sessionState("s5")).turns, 1)
        // of a session that goes on, old turns can go alone
        const turns = yield* store.prune({ turnsUntil_ms: 30, limit: 10 })
        assert.strictEqual(turns.turns, 1)
        assert.isTrue(Option.isSome(yield* store.turn("t4")))
        assert.deepStrictEqual(yield* store.turnsOf("s3"), [])
      })
    )

    test(
      "forgets no more than asked of what ended in one millisecond, and up to the named turn",
      Effect.gen(function* () {
        const store = yield* Store
        for (const each of ["1", "2", "3", "4"]) {
          yield* commit({ ...creation(each), key: keyed(each, 5) })
          yield* finish(each, 10)
          const browser = Browser.make({ id: `b${each}`, proxyCountryCode: null, startedAt_ms: 0 })
          yield* commit(browserStep(browser))
          yield* commit(browserStep(Result.getOrThrow(Browser.stop(browser, "asked", 10))))
        }
        const named = yield* store.prune({ turnsUntil_ms: 10, turnsUntilId: "t2", limit: 10 })
        assert.strictEqual(named.turns, 2)
        assert.deepStrictEqual(
          (yield* store.records).turns.map(({ id }) => id),
          ["t3", "t4"]
        )
        const some = yield* store.prune({ finishedUntil_ms: 10, keysUntil_ms: 10, turnsUntil_ms: 10, limit: 1 })
        assert.deepStrictEqual([some.browsers, some.keys], [1, 1])
        const left = yield* store.records
        assert.deepStrictEqual([left.browsers.length, left.idempotencyRecords.length], [3, 3])
      })
    )

    test(
      "replaces everything by other records, and goes on from there",
      Effect.gen(function* () {
        const store = yield* Store
        yield* commit(creation("old"))
        yield* store.renew(node("n"), 3_600_000)
        const made = creation("1")
        const records = {
          sessions: [made.session],
          turns: made.turns,
          turnSteps: [],
          messages: [],
          browsers: [],
          idempotencyRecords: [keyed("k")]
        }
        yield* store.replace(records)
        assert.deepStrictEqual(yield* store.records, records)
        assert.deepStrictEqual(yield* store.eventsAfter(0, 10), [])
        assert.isTrue(yield* store.isLost("n"))
        assert.deepStrictEqual(yield* store.unfinished(10), { sessions: ["s1"], browsers: [] })
        yield* finish("1", 5)
        assert.deepStrictEqual((yield* store.unfinished(10)).sessions, [])
      })
    )

    test(
      "finds each of many",
      Effect.gen(function* () {
        const store = yield* Store
        const names = Array.from({ length: 1000 }, (_, index) => `n${index}`)
        yield* Effect.forEach(names, (each, index) => commit(creation(each, index)), { discard: true })
        for (const each of ["n0", "n499", "n999"]) {
          assert.strictEqual(Option.getOrThrow(yield* store.turn(`t${each}`)).task, `task of t${each}`)
          assert.lengthOf(yield* store.turnsOf(`s${each}`), 1)
        }
        assert.deepStrictEqual((yield* store.abandoned(3)).sessions, ["sn0", "sn1", "sn2"])
        assert.lengthOf((yield* store.unfinished(5000)).sessions, 1000)
      })
    )
  })
}
