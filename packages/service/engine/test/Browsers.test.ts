import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { AdmissionRefused } from "../src/domain/Errors.ts"
import { Admission } from "../src/ports/Admission.ts"
import { BrowserPool, LaunchFailed } from "../src/ports/BrowserPool.ts"
import * as Browsers from "../src/Browsers.ts"
import { NodeId } from "../src/ports/NodeId.ts"
import { Owner } from "../src/ports/Owner.ts"
import * as MemoryStore from "../src/MemoryStore.ts"
import { type Step, Store, StoreUnavailable } from "../src/ports/Store.ts"
import * as ports from "./ports.ts"

/** A store that takes a second for a commit and notes it. */
const slowStore = (commits: Array<Step>) =>
  Layer.effect(
    Store,
    Effect.map(Store, (store) => ({
      ...store,
      commit: (changes) => {
        commits.push(changes)
        return Effect.andThen(Effect.sleep("1 second"), store.commit(changes))
      }
    }))
  ).pipe(Layer.provide(MemoryStore.layer))

/** The simulated browsers, and in `stops` every stop of one. */
const notingPool = (stops: Array<string>) =>
  Layer.effect(
    BrowserPool,
    Effect.map(BrowserPool, (pool) => ({
      launch: (browser) =>
        Effect.map(pool.launch(browser), (launched) => ({
          ...launched,
          stop: Effect.andThen(
            Effect.sync(() => stops.push(browser.id)),
            launched.stop
          )
        }))
    }))
  ).pipe(Layer.provide(ports.browsers))

const begin = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const unrecorded = () => ({})

const services = (commits: Array<Step>, stops: Array<string>) =>
  Layer.mergeAll(slowStore(commits), notingPool(stops), ports.ids)

describe("Browsers", () => {
  it.effect("stops a browser at the end of its requested lifetime", () => {
    const stops: Array<string> = []
    return Effect.gen(function* () {
      const browsers = yield* Browsers.make(() => Effect.succeed(true))
      const make = (lifetime_ms?: number) =>
        browsers.create({ proxyCountryCode: null, ...(lifetime_ms === undefined ? {} : { lifetime_ms }) }, unrecorded)
      const { browser: short } = yield* make(60_000)
      const { browser: stopped } = yield* make(60_000)
      const { browser: unlimited } = yield* make()
      yield* browsers.stop(stopped.id)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual((yield* browsers.find(short.id)).status, "active")
      yield* TestClock.adjust("10 seconds")
      const { finishedAt_ms, startedAt_ms, status, stopReason } = yield* browsers.find(short.id)
      assert.deepStrictEqual([status, stopReason, (finishedAt_ms ?? 0) - startedAt_ms], ["stopped", "expired", 60_000])
      assert.strictEqual((yield* browsers.find(stopped.id)).stopReason, "asked")
      assert.strictEqual((yield* browsers.find(unlimited.id)).status, "active")
      assert.deepStrictEqual(stops, [stopped.id, short.id])
    }).pipe(Effect.scoped, Effect.provide(Layer.mergeAll(MemoryStore.layer, notingPool(stops), ports.ids)))
  })

  it.effect("refuses a lifetime above the pool's limit", () =>
    Effect.gen(function* () {
      const browsers = yield* Browsers.make(() => Effect.succeed(true))
      const failure = yield* Effect.flip(browsers.create({ proxyCountryCode: null, lifetime_ms: 60_001 }, unrecorded))
      assert.deepInclude(failure, { _tag: "LifetimeTooLong", most_ms: 60_000 })
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Layer.mergeAll(
          MemoryStore.layer,
          Layer.mock(BrowserPool, { launch: () => Effect.never, lifetime_ms: 60_000 }),
          ports.ids
        )
      )
    )
  )

  it.effect("merges overlapping stops of one browser into one, at the time of the first", () => {
    const commits: Array<Step> = []
    const stops: Array<string> = []
    return Effect.gen(function* () {
      const browsers = yield* Browsers.make(() => Effect.succeed(true))
      const creation = yield* begin(browsers.create({ proxyCountryCode: null }, unrecorded))
      yield* TestClock.adjust("2 seconds")
      const { id } = (yield* Fiber.join(creation)).browser
      const first = yield* begin(browsers.stop(id))
      yield* TestClock.adjust("500 millis")
      const second = yield* begin(browsers.stop(id))
      yield* TestClock.adjust("1 minute")
      const stopped = yield* Fiber.join(first)
      assert.deepStrictEqual([stopped.status, stopped.finishedAt_ms], ["stopped", 2000])
      assert.deepStrictEqual(yield* Fiber.join(second), stopped)
      assert.deepStrictEqual(yield* browsers.stop(id), stopped)
      assert.deepStrictEqual(
        commits.map(({ browser }) => browser?.status),
        ["starting", "active", "stopped"]
      )
      assert.deepStrictEqual(stops, [id])
    }).pipe(Effect.scoped, Effect.provide(services(commits, stops)))
  })

  it.effect("doesn't delay the stop of one browser by the stop of another", () =>
    Effect.gen(function* () {
      const browsers = yield* Browsers.make(() => Effect.succeed(true))
      const creations = yield* begin(
        Effect.all([
          browsers.create({ proxyCountryCode: null }, unrecorded),
          browsers.create({ proxyCountryCode: "no" }, unrecorded)
        ])
      )
      yield* TestClock.adjust("4 seconds")
      const [one, other] = (yield* Fiber.join(creations)).map(({ browser }) => browser)
      const first = yield* begin(browsers.stop(one?.id ?? ""))
      yield* TestClock.adjust("500 millis")
      const second = yield* begin(browsers.stop(other?.id ?? ""))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(first)).finishedAt_ms, 4000)
      assert.strictEqual((yield* Fiber.join(second)).finishedAt_ms, 4500)
    }).pipe(Effect.scoped, Effect.provide(services([], [])))
  )

  it.effect(
    "keeps a browser running if its stop couldn't be stored, and stops it at the next stop or with its node",
    () => {
      const stops: Array<string> = []
      return Effect.gen(function* () {
        const store = yield* Store
        let away = false
        const scope = yield* Scope.make()
        const browsers = yield* Scope.provide(
          Browsers.make(() => Effect.succeed(true)),
          scope
        ).pipe(
          Effect.provideService(Store, {
            ...store,
            commit: (step) =>
              away ? Effect.fail(new StoreUnavailable({ applied: "no", cause: "away" })) : store.commit(step)
          })
        )
        const create = Effect.map(browsers.create({ proxyCountryCode: null }, unrecorded), ({ browser }) => browser.id)
        const [one, other] = [yield* create, yield* create]
        away = true
        assert.strictEqual((yield* Effect.flip(browsers.stop(one)))._tag, "StoreUnavailable")
        assert.deepStrictEqual(stops, [])
        away = false
        yield* browsers.stop(one)
        assert.deepStrictEqual(stops, [one])
        away = true
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(stops, [one, other])
      }).pipe(Effect.scoped, Effect.provide([MemoryStore.layer, notingPool(stops), ports.ids]))
    }
  )

  it.effect("stops a browser that its session refuses, and delays an interrupt until the session has decided", () => {
    const stops: Array<string> = []
    const taken: Array<string> = []
    return Effect.gen(function* () {
      const browsers = yield* Browsers.make(() => Effect.succeed(true))
      const ofSession = (use: (id: string) => Effect.Effect<void, string>) =>
        begin(
          Effect.scoped(
            browsers.ofSession({ id: "s", owner: null, profileId: null, recording: false }, Effect.succeed(null), use)
          )
        )
      const refused = yield* ofSession(() => Effect.fail("lost"))
      assert.lengthOf(stops, 1)
      assert.isDefined(refused.pollUnsafe())
      const interrupted = yield* ofSession((id) =>
        Effect.andThen(
          Effect.sleep("1 second"),
          Effect.sync(() => void taken.push(id))
        )
      )
      interrupted.interruptUnsafe()
      yield* TestClock.adjust("1 second")
      assert.isDefined(interrupted.pollUnsafe())
      assert.lengthOf(taken, 1)
      assert.lengthOf(stops, 1)
      // a store that waits for the clock would keep the scope from closing where an assertion fails
    }).pipe(Effect.scoped, Effect.provide([MemoryStore.layer, notingPool(stops), ports.ids]))
  })

  it.effect("waits for a browser that another node launches for as long as that node is alive", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const launching = Effect.fnUntraced(function* (node: string) {
        const browsers = yield* Effect.provide(Browsers.make(store.isLost), [
          Layer.succeed(NodeId, node),
          Layer.succeed(BrowserPool, { launch: () => Effect.never })
        ])
        yield* store.renew(ports.node(node), 30_000)
        yield* begin(browsers.create({ proxyCountryCode: null }, unrecorded))
        return (yield* store.unfinished(10)).browsers.at(-1) ?? ""
      })
      const silent = yield* launching("silent")
      const alive = yield* launching("alive")
      const { isLaunched } = yield* Effect.provideService(Browsers.make(store.isLost), NodeId, "here")
      const waits = [yield* begin(isLaunched(silent, "k")), yield* begin(isLaunched(alive, "k"))] as const
      yield* TestClock.adjust("29 seconds")
      yield* store.renew(ports.node("alive"), 600_000)
      assert.deepStrictEqual(
        waits.map((wait) => wait.pollUnsafe()),
        [undefined, undefined]
      )
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(waits[0].pollUnsafe(), Exit.succeed(false))
      assert.isUndefined(waits[1].pollUnsafe())
      yield* TestClock.adjust("9 minutes")
      assert.isUndefined(waits[1].pollUnsafe())
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(waits[1].pollUnsafe(), Exit.succeed(false))
      const { browsers } = yield* store.records
      assert.deepStrictEqual(
        browsers.map(({ stopReason }) => stopReason),
        ["launch_failed", "launch_failed"]
      )
    }).pipe(Effect.scoped, Effect.provide([MemoryStore.layer, ports.browsers, ports.ids], { local: true }))
  )

  it.effect("records the browser of a session with recording enabled", () =>
    Effect.gen(function* () {
      const browsers = yield* Browsers.make(() => Effect.succeed(true))
      const used: Array<string> = []
      for (const recording of [true, false]) {
        const use = (id: string) => Effect.sync(() => void used.push(id))
        yield* Effect.scoped(
          browsers.ofSession({ id: "s", owner: null, profileId: null, recording }, Effect.succeed(null), use)
        )
      }
      const made = yield* Effect.forEach(used, browsers.find)
      assert.deepStrictEqual(
        made.map(({ recording }) => recording),
        [true, false]
      )
      assert.strictEqual((yield* Effect.flip(browsers.find("other")))._tag, "BrowserNotFound")
    }).pipe(Effect.scoped, Effect.provide([MemoryStore.layer, notingPool([]), ports.ids]))
  )

  it.effect(
    "frees a slot in a full pool by stopping the least recently used browser of a session without a running turn",
    () => {
      const stops: Array<string> = []
      const launched = new Set<string>()
      const room = Layer.succeed(BrowserPool, {
        launch: ({ id }) =>
          launched.size >= 2
            ? Effect.fail(new LaunchFailed({ reason: "full", message: "2 browsers are in use" }))
            : Effect.sync(() => {
                launched.add(id)
                const stop = Effect.sync(() => {
                  launched.delete(id)
                  stops.push(id)
                })
                return { connect: Effect.never, connectPage: () => Effect.never, stop }
              })
      })
      return Effect.gen(function* () {
        const browsers = yield* Browsers.make(() => Effect.succeed(true))
        let newest = ""
        const launch = (known: string | null, scope: Scope.Scope) => {
          const use = (id: string) => Effect.sync(() => void (newest = id))
          const opened = browsers.ofSession(
            { id: "s", owner: null, profileId: null, recording: false },
            Effect.succeed(known),
            use
          )
          return begin(Effect.provideService(opened, Scope.Scope, scope))
        }
        const ended = Effect.fnUntraced(function* (known: string | null) {
          const scope = yield* Scope.make()
          yield* launch(known, scope)
          yield* Scope.close(scope, Exit.void)
          return newest
        })
        const one = yield* ended(null)
        const two = yield* ended(null)
        yield* ended(one)
        const held = yield* Scope.make()
        yield* launch(null, held)
        assert.deepStrictEqual(stops, [two])
        assert.strictEqual((yield* browsers.find(two)).stopReason, "idle")
        const { browser } = yield* browsers.create({ proxyCountryCode: null }, unrecorded)
        assert.deepStrictEqual(stops, [two, one])
        assert.strictEqual(
          (yield* Effect.flip(browsers.create({ proxyCountryCode: null }, unrecorded)))._tag,
          "LaunchFailed"
        )
        assert.strictEqual(browser.status, "active")
        yield* Scope.close(held, Exit.void)
      }).pipe(Effect.scoped, Effect.provide([MemoryStore.layer, room, ports.ids]))
    }
  )

  it.effect("stops the browser of a session without a running turn if a key limit would refuse a create", () =>
    Effect.gen(function* () {
      const browsers = yield* Browsers.make(() => Effect.succeed(true))
      const store = yield* Store
      const admit = Effect.gen(function* () {
        const { rows } = yield* store.lists.browsers({ owner: "ann", statuses: ["starting", "active"] }, null, 10)
        // this store admits a create before it writes it
        if (rows.length === 0) return
        const limit = { of: "browsers", most: 1, used: 1 } as const
        return yield* new AdmissionRefused({ message: "1 of 1 browsers", limit, retryAfter_ms: 1000 })
      })
      const create = Effect.provideService(browsers.create({ proxyCountryCode: null }, unrecorded), Admission, admit)
      let ofSession = ""
      const session = { id: "s", owner: "ann", profileId: null, recording: false }
      const open = browsers.ofSession(session, Effect.succeed(null), (id) => Effect.sync(() => void (ofSession = id)))
      const turn = yield* Scope.make()
      yield* Effect.provideService(open, Scope.Scope, turn)
      assert.strictEqual((yield* Effect.flip(create))._tag, "AdmissionRefused")
      yield* Scope.close(turn, Exit.void)
      assert.strictEqual((yield* create).browser.status, "active")
      assert.strictEqual((yield* browsers.find(ofSession)).stopReason, "idle")
      assert.strictEqual((yield* Effect.flip(create))._tag, "AdmissionRefused")
    }).pipe(
      Effect.provideService(Owner, "ann"),
      Effect.scoped,
      Effect.provide([MemoryStore.layer, notingPool([]), ports.ids])
    )
  )

  it.effect("frees a slot for an owner at its limit only by stopping one of the owner's browsers", () => {
    const owners = new Map<string, string | null>()
    const stops: Array<string | null> = []
    const onePerOwner = Layer.succeed(BrowserPool, {
      launch: ({ id, owner }) => {
        if (owner !== null && [...owners.values()].includes(owner)) {
          return Effect.fail(new LaunchFailed({ reason: "full", message: "This key has 1 browser", owner }))
        }
        owners.set(id, owner)
        const stop = Effect.sync(() => {
          owners.delete(id)
          stops.push(owner)
        })
        return Effect.succeed({ connect: Effect.never, connectPage: () => Effect.never, stop })
      }
    })
    return Effect.gen(function* () {
      const browsers = yield* Browsers.make(() => Effect.succeed(true))
      const perform = Effect.fnUntraced(function* (owner: string) {
        const scope = yield* Scope.make()
        const opened = browsers.ofSession(
          { id: "s", owner, profileId: null, recording: false },
          Effect.succeed(null),
          () => Effect.void
        )
        yield* begin(Effect.provideService(opened, Scope.Scope, scope))
        yield* Scope.close(scope, Exit.void)
      })
      const create = Effect.provideService(browsers.create({ proxyCountryCode: null }, unrecorded), Owner, "shop")
      yield* perform("other")
      yield* perform("shop")
      yield* create
      assert.deepStrictEqual(stops, ["shop"])
      assert.strictEqual((yield* Effect.flip(create))._tag, "LaunchFailed")
      assert.deepStrictEqual(stops, ["shop"])
    }).pipe(Effect.scoped, Effect.provide([MemoryStore.layer, onePerOwner, ports.ids]))
  })
})
