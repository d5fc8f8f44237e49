import { assert, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { QueuePlace } from "../src/domain/BrowserQueue.ts"
import * as PlaceReports from "../src/PlaceReports.ts"

/** Reports of runs with these positions, and each place that is stored, in order. */
const open = Effect.fnUntraced(function* (positions: ReadonlyArray<number>) {
  const commits: Array<QueuePlace> = []
  const places = yield* PlaceReports.make
  const runs = positions.map((position) => {
    const { report } = places.open(null, (place) => Effect.sync(() => void commits.push(place)))
    return (reason: QueuePlace["reason"]) => report({ position, reason })
  })
  return {
    commits,
    tell: (reason: QueuePlace["reason"]) => runs.forEach((report) => report(reason))
  }
})

/** Lets all fibers run as far as they can without time passing. */
const settle = Effect.repeat(Effect.yieldNow, { times: 4000 })

const range = (length: number) => Array.from({ length }, (_, index) => index + 1)

it.effect("store the first place of each run immediately", () =>
  Effect.gen(function* () {
    const { commits, tell } = yield* open(range(1000))
    tell("browsers")
    yield* settle
    assert.sameMembers(
      commits.map(({ position }) => position),
      range(1000)
    )
  }).pipe(Effect.scoped)
)

it.effect(
  "store a reason that changes for 2,000 runs immediately near the front, and at 50 runs per second further back",
  () =>
    Effect.gen(function* () {
      const { commits, tell } = yield* open(range(2000))
      tell("browsers")
      yield* settle
      assert.lengthOf(commits, 2000)
      commits.length = 0
      tell("memory")
      yield* settle
      assert.includeMembers(
        commits.map(({ position }) => position),
        range(10)
      )
      assert.isAtMost(commits.length, 11)
      yield* TestClock.adjust("10 seconds")
      assert.closeTo(commits.length, 510, 2)
      // it's undone: only the stored changes are
      tell("browsers")
      yield* TestClock.adjust("1 hour")
      assert.isAtMost(commits.length, 2 * 512)
      assert.strictEqual(commits.at(-1)?.reason, "browsers")
    }).pipe(Effect.scoped)
)

it.effect("don't store a place again that the record already has", () =>
  Effect.gen(function* () {
    const commits: Array<QueuePlace> = []
    const places = yield* PlaceReports.make
    const stored = { position: 40, reason: "browsers" } as const
    const { report } = places.open(stored, (place) => Effect.sync(() => void commits.push(place)))
    report({ position: 39, reason: "browsers" })
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(commits, [])
    report({ position: 20, reason: "browsers" })
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(commits, [{ position: 20, reason: "browsers" }])
  }).pipe(Effect.scoped)
)

it.effect("store nothing after closing, which interrupts a commit that hangs", () =>
  Effect.gen(function* () {
    const ended: Array<string> = []
    const hangs = yield* Deferred.make<void>()
    const places = yield* PlaceReports.make
    const { close, report } = places.open(null, () =>
      Deferred.await(hangs).pipe(Effect.onInterrupt(() => Effect.sync(() => void ended.push("interrupted"))))
    )
    report({ position: 1, reason: "browsers" })
    yield* settle
    yield* close
    assert.deepStrictEqual(ended, ["interrupted"])
    report({ position: 2, reason: "memory" })
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(ended, ["interrupted"])
    // other runs don't wait for it
    const { commits, tell } = yield* open([1])
    tell("key")
    yield* settle
    assert.lengthOf(commits, 1)
  }).pipe(Effect.scoped)
)
