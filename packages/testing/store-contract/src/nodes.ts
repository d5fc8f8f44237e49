import { assert } from "@effect/vitest"
import { Browser, Store } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { browserStep, change, commit, creation, day_ms, node, untilLost, type StoreTest } from "./steps.ts"

const drains = (test: StoreTest): void => {
  test("drains a node until that is undone, or for good if the node itself reports it", function* () {
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
    assert.isTrue(yield* store.drain("a", false))
    yield* store.renew(node("a"), 3_600_000, true)
    assert.deepStrictEqual(yield* draining, [false, true])
    yield* store.renew(node("a", { draining: true }), 3_600_000, true)
    assert.deepStrictEqual(yield* draining, [true, true])
    yield* store.leave("a")
    assert.deepStrictEqual([yield* store.drain("a"), yield* store.drain("x")], [false, false])
    assert.isFalse(yield* store.renew(node("a"), 3_600_000))
  })
}

const starting = (test: StoreTest): void => {
  test("returns a node's browsers that are still starting", function* () {
    const store = yield* Store
    const put = (id: string, node: string) => {
      const browser = Browser.make({ id, node, proxyCountryCode: null, startedAt_ms: 0 })
      return Effect.as(commit({ browser, events: [] }), browser)
    }
    yield* put("b1", "n")
    yield* put("b2", "other")
    const launched = Browser.launched(yield* put("b3", "n"))
    yield* commit({ browser: launched, events: [] })
    assert.deepStrictEqual(yield* store.startingAt("n"), ["b1"])
  })
}

/** Nodes: their time, what they said last, and what a lost one left. */
export const nodes = (test: StoreTest): void => {
  drains(test)
  starting(test)
  test("expires a node's lease for good", function* () {
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

  test("accepts a late renewal unless another node has found it lost", function* () {
    const store = yield* Store
    yield* store.renew(node("late"), 1)
    yield* store.renew(node("later"), 1)
    yield* untilLost("later")
    assert.deepStrictEqual(yield* store.node("later"), Option.none())
    // one that is lost is not only late
    assert.deepStrictEqual([yield* store.nodes, yield* store.silent], [[], [node("late")]])
    assert.isTrue(yield* store.renew(node("late"), 3_600_000))
    assert.isFalse(yield* store.isLost("late"))
    assert.deepStrictEqual(yield* store.node("late"), Option.some(node("late")))
    assert.isFalse(yield* store.renew(node("later"), 3_600_000))
    assert.isTrue(yield* store.isLost("later"))
  })

  test("lists a node's running turns even if they are cancelled", function* () {
    const store = yield* Store
    const cancelled = (name: string) =>
      Effect.map(store.cancelledAt(name), (turns) => turns.map(({ cancel, id }) => `${id} ${cancel?.reason}`))
    for (const each of ["1", "2", "3"]) yield* commit(creation(each))
    for (const each of ["s1", "s2"]) yield* change(each, { _tag: "Take", node: "n" })
    yield* change("s3", { _tag: "Take", node: "other" })
    assert.deepStrictEqual(yield* cancelled("n"), [])
    const leased = Effect.map(store.leasedTo("n"), (sessions) =>
      sessions.map(({ id, lease }) => `${id} ${lease?.token}`).toSorted()
    )
    assert.deepStrictEqual(yield* leased, ["s1 2", "s2 2"])
    yield* change("s1", { _tag: "Cancel", turnId: "t1" })
    yield* change("s3", { _tag: "Cancel", turnId: "t3" })
    assert.deepStrictEqual(yield* cancelled("n"), ["t1 asked"])
    yield* change("s1", { _tag: "LetGo", token: 2, ending: { _tag: "Cancelled" }, goesOn: true })
    assert.deepStrictEqual(yield* cancelled("n"), [])
    assert.deepStrictEqual(yield* leased, ["s2 2"])
  })

  test("returns each live node's latest report, and no other", function* () {
    const store = yield* Store
    const first = node("b", { name: "east", address: "http://10.0.0.5:8080", room: 3, idle: 1, startedAt_ms: 7 })
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

  test("measures leases by its own clock, whatever a node's clock says", function* () {
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

  test("returns the records of dead nodes, the longest waiting first, and no others", function* () {
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
}
