import { assert, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { LaunchFailed, type LaunchWait } from "../src/ports/BrowserPool.ts"
import * as WaitingLaunches from "../src/WaitingLaunches.ts"

const full = new LaunchFailed({ reason: "full", message: "All browsers are in use" })

/** Places with a queue, and in `served` the launches that got one, in order. */
const open = Effect.fnUntraced(function* (most: number, share = Infinity) {
  const owned = new Map<string | null, number>()
  const served: Array<string> = []
  let taken = 0
  const release = (owner: string | null) => {
    taken -= 1
    owned.set(owner, (owned.get(owner) ?? 0) - 1)
    queue.look()
  }
  const queue = yield* WaitingLaunches.make({
    within: "30 seconds",
    release,
    // a check of the share reads the store
    admit: (owner) =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.suspend(() => {
          if (taken >= most || (owned.get(owner) ?? 0) >= share) return Effect.fail(full)
          taken += 1
          owned.set(owner, (owned.get(owner) ?? 0) + 1)
          return Effect.void
        })
      )
  })
  const take = (owner: string, name: string, wait: Partial<LaunchWait> = {}) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.tap(
        queue.take(owner, { onRefused: () => {}, onPlace: () => {}, over: Effect.never, ...wait }, restore),
        (hasPlace) => Effect.sync(() => void (hasPlace && served.push(name)))
      )
    )
  return { release, served, taken: () => taken, take: (...args: Parameters<typeof take>) => begin(take(...args)) }
})

const begin = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

/** Lets all fibers run as far as they can without time passing. */
const settle = Effect.repeat(Effect.yieldNow, { times: 100 })

it.effect("give a waiting launch a slot as soon as one is released", () =>
  Effect.gen(function* () {
    const places = yield* open(1)
    yield* Fiber.join(yield* places.take("a", "first"))
    const second = yield* places.take("a", "second")
    yield* TestClock.adjust("29 seconds")
    assert.isUndefined(second.pollUnsafe())
    places.release("a")
    yield* settle
    assert.deepStrictEqual(second.pollUnsafe(), Exit.succeed(true))
    assert.strictEqual(places.taken(), 1)
  }).pipe(Effect.scoped)
)

it.effect("fail a launch that waits for 30 seconds, and remove it from the queue", () =>
  Effect.gen(function* () {
    const places = yield* open(1)
    yield* Fiber.join(yield* places.take("a", "first"))
    const late = yield* places.take("a", "late")
    yield* TestClock.adjust("30 seconds")
    assert.isFalse(yield* Fiber.join(late))
    places.release("a")
    yield* settle
    assert.strictEqual(places.taken(), 0)
  }).pipe(Effect.scoped)
)

it.effect("serve owners in turn, and aren't held up by an owner at its share", () =>
  Effect.gen(function* () {
    const places = yield* open(2, 2)
    yield* Fiber.join(yield* places.take("a", "a1"))
    yield* Fiber.join(yield* places.take("a", "a2"))
    for (const name of ["a3", "a4", "a5"]) yield* places.take("a", name)
    for (const name of ["b1", "b2"]) yield* places.take("b", name)
    for (const owner of ["a", "a", "b", "a"]) {
      places.release(owner)
      yield* settle
    }
    assert.deepStrictEqual(places.served, ["a1", "a2", "a3", "b1", "a4", "b2"])

    const shared = yield* open(2, 1)
    yield* shared.take("a", "a1")
    yield* shared.take("a", "a2")
    yield* shared.take("b", "b1")
    yield* settle
    assert.deepStrictEqual(shared.served, ["a1", "b1"])
  }).pipe(Effect.scoped)
)

it.effect("remove an interrupted launch from the queue immediately, and one whose wait has ended", () =>
  Effect.gen(function* () {
    const places = yield* open(1)
    yield* Fiber.join(yield* places.take("a", "first"))
    const interrupted = yield* places.take("a", "interrupted")
    const over = yield* places.take("a", "over", { over: Effect.andThen(Effect.sleep("1 second"), Effect.fail(full)) })
    const last = yield* places.take("a", "last")
    yield* Fiber.interrupt(interrupted)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* Effect.flip(Fiber.join(over)), full)
    places.release("a")
    yield* settle
    assert.deepStrictEqual(last.pollUnsafe(), Exit.succeed(true))
    assert.deepStrictEqual(places.served, ["first", "last"])
  }).pipe(Effect.scoped)
)

it.effect("keep or release the slot of a launch that is interrupted as it gets it", () =>
  Effect.gen(function* () {
    const places = yield* open(1)
    yield* Fiber.join(yield* places.take("a", "first"))
    const interrupted: Fiber.Fiber<boolean, LaunchFailed> = yield* places.take("a", "interrupted", {
      onPlace: () => interrupted.interruptUnsafe()
    })
    places.release("a")
    yield* settle
    const exit = yield* Fiber.await(interrupted)
    assert.strictEqual(places.taken(), Exit.isSuccess(exit) && exit.value ? 1 : 0)
  }).pipe(Effect.scoped)
)

const upTo = (most: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most }))

/** Something that happens next, to a launch or to the clock. */
const Action = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("take"), owner: Schema.Literals(["a", "b", "c"]) }),
  Schema.Struct({ _tag: Schema.Literal("interrupt"), at: upTo(12) }),
  Schema.Struct({ _tag: Schema.Literal("release"), at: upTo(12) }),
  Schema.Struct({ _tag: Schema.Literal("yield"), times: upTo(4) }),
  Schema.Struct({ _tag: Schema.Literal("sleep"), ms: Schema.Literals([0, 1000, 15_000, 30_000]) })
])
const Actions = Schema.Array(Action).check(Schema.isMinLength(20), Schema.isMaxLength(60))

it.effect.prop(
  "neither lose a slot nor use one too many, however launches, interrupts and releases interleave",
  [Actions],
  ([steps]) =>
    Effect.gen(function* () {
      const places = yield* open(2, 2)
      const fibers: Array<{ readonly owner: string; readonly fiber: Fiber.Fiber<boolean, LaunchFailed> }> = []
      const released = new Set<number>()
      const holds = (at: number) => {
        const exit = fibers[at]?.fiber.pollUnsafe()
        return exit !== undefined && Exit.isSuccess(exit) && exit.value && !released.has(at)
      }
      const release = (at: number) => {
        if (!holds(at)) return
        released.add(at)
        places.release(fibers[at]?.owner ?? "")
      }
      for (const action of steps) {
        if (action._tag === "take") fibers.push({ owner: action.owner, fiber: yield* places.take(action.owner, "") })
        else if (action._tag === "interrupt") fibers[action.at]?.fiber.interruptUnsafe()
        else if (action._tag === "release") release(action.at)
        else if (action._tag === "sleep") yield* TestClock.adjust(action.ms)
        else for (let time = 0; time < action.times; time++) yield* Effect.yieldNow
        assert.isAtMost(places.taken(), 2)
      }
      yield* settle
      assert.strictEqual(places.taken(), fibers.filter((_, at) => holds(at)).length)
      // every waiting launch still gets a place, and all places are free afterwards
      while (fibers.some(({ fiber }) => fiber.pollUnsafe() === undefined) || fibers.some((_, at) => holds(at))) {
        assert.isTrue(fibers.some((_, at) => holds(at)))
        fibers.forEach((_, at) => release(at))
        yield* settle
      }
      assert.strictEqual(places.taken(), 0)
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer(), { local: true })),
  { arbitrary: { seed: 1 } }
)

it.effect("report positions in the order of service, and again as they change", () =>
  Effect.gen(function* () {
    const places = yield* open(1)
    yield* Fiber.join(yield* places.take("a", "first"))
    const positions = new Map<string, ReadonlyArray<number>>()
    const waiting = (owner: string, name: string) =>
      places.take(owner, name, {
        onRefused: (_, position) => void positions.set(name, [...(positions.get(name) ?? []), position])
      })
    for (const name of ["a1", "a2", "a3"]) yield* waiting("a", name)
    yield* settle
    assert.deepStrictEqual(
      [...positions],
      [
        ["a1", [1]],
        ["a2", [2]],
        ["a3", [3]]
      ]
    )
    // launches of another key come in between
    for (const name of ["b1", "b2"]) yield* waiting("b", name)
    yield* TestClock.adjust("1 second")
    yield* settle
    assert.deepStrictEqual(
      [...positions].map(([name, seen]) => [name, seen.at(-1)]),
      [
        ["a1", 1],
        ["a2", 3],
        ["a3", 5],
        ["b1", 2],
        ["b2", 4]
      ]
    )
    places.release("a")
    yield* TestClock.adjust("1 second")
    yield* settle
    assert.deepStrictEqual(
      [...positions].map(([name, seen]) => [name, seen.at(-1)]),
      [
        ["a1", 1],
        ["a2", 2],
        ["a3", 4],
        ["b1", 1],
        ["b2", 3]
      ]
    )
  }).pipe(Effect.scoped)
)

it.effect("report positions to a thousand waiting launches once per second each", () =>
  Effect.gen(function* () {
    const places = yield* open(0)
    let calls = 0
    for (let n = 0; n < 1000; n++) yield* places.take(`key ${n % 50}`, `${n}`, { onRefused: () => void calls++ })
    yield* settle
    assert.strictEqual(calls, 1000)
    for (let second = 0; second < 3; second++) {
      yield* TestClock.adjust("1 second")
      yield* settle
    }
    assert.strictEqual(calls, 4000)
  }).pipe(Effect.scoped)
)

it.effect("report a new launch's position among all owners while others wait", () =>
  Effect.gen(function* () {
    const places = yield* open(0)
    const first = new Map<string, number>()
    const waiting = (owner: string, name: string) =>
      Effect.andThen(
        places.take(owner, name, { onRefused: (_, position) => void (first.has(name) || first.set(name, position)) }),
        settle
      )
    // a1 b1 c1 a2 c2 a3 is the order in the end
    for (const name of ["a1", "a2", "b1", "a3", "c1", "c2"]) yield* waiting(name.slice(0, 1), name)
    assert.deepStrictEqual(Object.fromEntries(first), { a1: 1, a2: 2, b1: 2, a3: 4, c1: 3, c2: 5 })
  }).pipe(Effect.scoped)
)

it.effect("give a place that becomes free during the check of an owner to the owner before it", () =>
  Effect.gen(function* () {
    let taken = 1
    const checked = Deferred.makeUnsafe<void>()
    const served: Array<string> = []
    const room = Effect.suspend(() => {
      if (taken >= 1) return Effect.fail(full)
      taken += 1
      return Effect.void
    })
    const release = () => {
      taken -= 1
      queue.look()
    }
    const queue = yield* WaitingLaunches.make({
      within: "30 seconds",
      release,
      // a check of the share reads the store
      admit: (owner) => (owner === "b" ? Effect.andThen(Deferred.await(checked), room) : room)
    })
    for (const owner of ["a", "b"]) {
      yield* begin(
        Effect.uninterruptibleMask((restore) =>
          Effect.tap(
            queue.take(owner, { onRefused: () => {}, onPlace: () => {}, over: Effect.never }, restore),
            (hasPlace) => Effect.sync(() => void (hasPlace && served.push(owner)))
          )
        )
      )
    }
    yield* settle
    release()
    yield* Deferred.succeed(checked, undefined)
    yield* settle
    assert.deepStrictEqual(served, ["a"])
  })
)
