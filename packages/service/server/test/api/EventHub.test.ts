import { assert, describe, it } from "@effect/vitest"
import { Engine, type Event, makeEventHints, MemoryStore, Store } from "@webagent/engine"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Caller } from "../../src/api/Caller.ts"
import { LinkOwners } from "../../src/api/LinkOwners.ts"
import { type EventFilter, EventHub, EventIntervals, type HubItem, mostStreams } from "../../src/api/EventHub.ts"

const event = (change: Partial<Event> = {}): Event => ({
  at_ms: 0,
  of: "browser",
  id: "b",
  sessionId: null,
  owner: null,
  from: null,
  to: "active",
  ...change
})

const ofTurn = (id: string, from: string | null, to: string) => event({ of: "turn", id, from, to })

/** A log whose store can be replaced, and the number of reads of its newest position. */
const makeLog = Effect.map(Effect.context<Store>(), (first) => {
  let store = Effect.runSync(Effect.provideContext(Effect.service(Store), first))
  let polls = 0
  const hints = makeEventHints()
  const log: Engine["Service"]["events"] = {
    eventsAfter: (...args) => Effect.suspend(() => store.eventsAfter(...args)),
    eventsOf: (...args) => Effect.suspend(() => store.eventsOf(...args)),
    newestEvent: Effect.suspend(() => {
      polls++
      return store.newestEvent
    }),
    oldestEvent: Effect.suspend(() => store.oldestEvent),
    hints: hints.heardEvents
  }
  return {
    log,
    lists: store.lists,
    polls: () => polls,
    hint: hints.tellEvents,
    replace: (other: Store["Service"]) => (store = other),
    add: (...events: ReadonlyArray<Event>) => Effect.orDie(Effect.suspend(() => store.commit({ events }))),
    prune: (eventsUntil: number) => Effect.orDie(Effect.suspend(() => store.prune({ eventsUntil, limit: 1_000_000 })))
  }
})

/** A hub over a log of its own. */
const withHub = <A, E>(
  intervals: { readonly poll?: Duration.Input; readonly keepAlive?: Duration.Input },
  use: (
    parts: Effect.Success<typeof makeLog> & {
      readonly events: (after: number | null, filter?: EventFilter) => Stream.Stream<HubItem>
    }
  ) => Effect.Effect<A, E>
) =>
  Effect.flatMap(makeLog, (log) =>
    EventHub.use((hub) => use({ ...log, events: (after, filter) => Stream.orDie(hub.events(after, filter)) })).pipe(
      Effect.provide(
        Layer.fresh(
          EventHub.layer.pipe(
            Layer.provide([
              Layer.mock(Engine, { events: log.log, lists: log.lists }),
              Layer.succeed(EventIntervals, { poll: "2 millis", gather: 0, keepAlive: "15 seconds", ...intervals })
            ])
          )
        )
      )
    )
  ).pipe(Effect.provide(Layer.fresh(MemoryStore.layer)))

const count = (total: number, of: (index: number) => Event = () => event()) =>
  Array.from({ length: total }, (_, index) => of(index))

const shown = (items: ReadonlyArray<HubItem>) => items.map(({ _tag, cursor }) => `${_tag} ${cursor}`)

const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (condition() ? Effect.void : Effect.andThen(Effect.sleep("2 millis"), until(condition))))

const Action = Schema.Struct({
  add: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 })),
  meanwhile: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 })),
  read: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 })),
  /** Number of the newest events that are not pruned, if it is below 20. */
  keep: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 }))
})

describe("EventHub", () => {
  it.live("sends events from now on or from a given position", () =>
    withHub({}, ({ add, events }) =>
      Effect.gen(function* () {
        yield* add(...count(3))
        assert.deepStrictEqual(shown(yield* Stream.runCollect(Stream.take(events(1), 2))), ["Event 2", "Event 3"])
        const live = yield* Effect.forkChild(Stream.runCollect(Stream.take(events(null), 1)))
        yield* Effect.sleep("50 millis")
        yield* add(event({ id: "new" }))
        assert.deepStrictEqual(shown(yield* Fiber.join(live)), ["Event 4"])
      })
    )
  )

  it.live("reads the log after a hint, and rarely without one", () =>
    withHub({ poll: "1 hour" }, ({ add, events, hint, polls }) =>
      Effect.gen(function* () {
        const live = yield* Effect.forkChild(Stream.runCollect(Stream.take(events(null), 2)))
        yield* until(() => polls() > 1)
        yield* Effect.sleep("50 millis")
        const before = polls()
        yield* add(event())
        yield* Effect.sleep("50 millis")
        assert.strictEqual(polls(), before)
        yield* hint
        yield* until(() => polls() > before)
        yield* Effect.andThen(add(event()), hint)
        assert.deepStrictEqual(shown(yield* Fiber.join(live)), ["Event 1", "Event 2"])
        // without hints it would wait for the poll
      }).pipe(Effect.timeout("1 minute"))
    )
  )

  it.live("limits the streams of a key, and opens another one when a stream ends", () =>
    Effect.gen(function* () {
      const { ofCaller } = yield* EventHub
      const as = (name: string) =>
        Effect.provideService(ofCaller(Stream.never), Caller, { name, isAdmin: false, owner: name, key: null })
      const run = (stream: Stream.Stream<never>) =>
        Effect.forkChild(Stream.runDrain(stream), { startImmediately: true })
      const open = yield* Effect.replicateEffect(Effect.flatMap(as("shop"), run), mostStreams)
      const failure = yield* Effect.flip(as("shop"))
      assert.match(failure.message, /close some/iu)
      yield* as("blog")
      yield* Fiber.interrupt(open[0] ?? (yield* Effect.die("no stream")))
      const unused = yield* as("shop")
      yield* Effect.flatMap(as("shop"), run)
      // it began when there was no more room
      yield* Stream.runDrain(unused)
      yield* Fiber.interruptAll(open)
    }).pipe(
      Effect.provide(
        Layer.fresh(
          EventHub.layer.pipe(
            Layer.provide(Layer.mock(Engine, { events: undefined as never, lists: undefined as never }))
          )
        )
      )
    )
  )

  it.live("ends the streams of a revoked key", () =>
    Effect.gen(function* () {
      const { ofCaller } = yield* EventHub
      const key = { name: "shop" } as NonNullable<Caller["key"]>
      const stream = yield* Effect.provideService(ofCaller(Stream.never), Caller, {
        name: "shop",
        isAdmin: false,
        owner: "shop",
        key
      })
      yield* Stream.runDrain(stream)
    }).pipe(
      Effect.provideService(LinkOwners, {
        mayOpen: () => Effect.succeed(true),
        revoked: (name) => (name === "shop" ? Effect.void : Effect.never)
      }),
      Effect.provide(
        Layer.fresh(
          EventHub.layer.pipe(
            Layer.provide(Layer.mock(Engine, { events: undefined as never, lists: undefined as never }))
          )
        )
      )
    )
  )

  it.live.prop(
    "sends each event once and in order to clients that reconnect with their last position, or a reset",
    [Schema.Array(Action).check(Schema.isMinLength(3), Schema.isMaxLength(12))],
    ([actions]) =>
      withHub({ keepAlive: "3 millis" }, ({ add, events, log, prune }) =>
        Effect.gen(function* () {
          let position = 0
          let pruned = 0
          const received: Array<number> = []
          const resets: Array<number> = []
          const follow = (wanted: number) => {
            let left = wanted
            return Stream.runForEachWhile(events(position), (item) =>
              Effect.sync(() => {
                assert.isAtLeast(item.cursor, position)
                position = item.cursor
                if (item._tag === "Event") received.push(item.cursor)
                if (item._tag === "Reset") resets.push(item.cursor)
                if (item._tag === "Event") left--
                return left > 0
              })
            )
          }
          const available = Effect.map(log.newestEvent, (newest) => newest - Math.max(position, pruned))
          for (const { add: added, keep, meanwhile, read } of actions) {
            yield* add(...count(added))
            const newest = Effect.runSync(log.newestEvent)
            if (keep < 20) {
              pruned = Math.max(pruned, newest - keep)
              yield* prune(pruned)
            }
            const wanted = Math.min(read, yield* available)
            if (wanted > 0) {
              const writer = yield* Effect.forkChild(
                Effect.forEach(count(meanwhile), (each) => Effect.andThen(Effect.yieldNow, add(each)))
              )
              yield* follow(wanted)
              yield* Fiber.join(writer)
            }
          }
          yield* add(event())
          yield* follow(yield* available)
          const newest = yield* log.newestEvent
          assert.strictEqual(received.at(-1), newest)
          let last = 0
          for (const cursor of received) {
            assert.isAbove(cursor, last)
            if (cursor > last + 1) assert.include(resets, cursor - 1)
            last = cursor
          }
          // what is still stored was never reset
          assert.isTrue(resets.every((cursor) => cursor <= pruned))
        })
      ),
    { arbitrary: { runs: 60 } }
  )

  it.live("sends a slow client its missed events from the store without delaying other clients", () =>
    withHub({}, ({ add, events }) =>
      Effect.gen(function* () {
        yield* add(event())
        const read = yield* Queue.unbounded<number>()
        const gate = yield* Queue.unbounded<void>()
        yield* Effect.forkChild(
          Stream.runForEach(Stream.take(events(0), 9001), ({ cursor }) =>
            Effect.andThen(Queue.offer(read, cursor), cursor === 1 ? Queue.take(gate) : Effect.void)
          )
        )
        assert.strictEqual(yield* Queue.take(read), 1)
        const fast = yield* Effect.forkChild(Stream.runCollect(Stream.take(events(1), 9000)))
        for (let page = 0; page < 90; page++) yield* add(...count(100))
        assert.lengthOf(yield* Fiber.join(fast), 9000)
        yield* Queue.offer(gate, undefined)
        for (let cursor = 2; cursor <= 9001; cursor++) assert.strictEqual(yield* Queue.take(read), cursor)
      })
    )
  )

  it.live("doesn't repeat an event that a client read before the reader did", () =>
    withHub({ poll: "300 millis" }, ({ add, events }) =>
      Effect.gen(function* () {
        yield* Effect.forkChild(Stream.runDrain(events(null)))
        yield* Effect.sleep("50 millis")
        yield* add(...count(5))
        const clients = yield* Effect.forEach([0, 5], (after) =>
          Effect.forkChild(Stream.runCollect(Stream.take(events(after), 6 - after)))
        )
        yield* Effect.sleep("50 millis")
        yield* add(event())
        const items = yield* Effect.forEach(clients, Fiber.join)
        assert.deepStrictEqual(items.map(shown), [count(6).map((_, index) => `Event ${index + 1}`), ["Event 6"]])
      })
    )
  )

  it.live("advances the position by other keys' events, and sends it to idle clients", () =>
    withHub({ keepAlive: "20 millis" }, ({ add, events }) =>
      Effect.gen(function* () {
        yield* add(...count(5, (index) => event({ owner: index === 1 ? "mine" : "theirs" })))
        const mine = events(0, { fits: ({ owner }) => owner === "mine" })
        assert.deepStrictEqual(shown(yield* Stream.runCollect(Stream.take(mine, 2))), ["Event 2", "Position 5"])
      })
    )
  )

  it.live("finds the events of one turn, and reports whether earlier ones were pruned", () =>
    withHub({}, ({ add, events, prune }) =>
      Effect.gen(function* () {
        yield* add(event(), ofTurn("a", null, "queued"), ofTurn("b", null, "queued"), ofTurn("a", "queued", "running"))
        yield* add(event({ of: "step", id: "a", step: 1, to: "running" }))
        const first = (turnId: string, after: number, most: number) =>
          Effect.map(Stream.runCollect(Stream.take(events(after, { turnId }), most)), shown)
        assert.deepStrictEqual(yield* first("a", 0, 3), ["Event 2", "Event 4", "Event 5"])
        yield* prune(1)
        assert.deepStrictEqual(yield* first("a", 0, 3), ["Event 2", "Event 4", "Event 5"])
        yield* prune(2)
        assert.deepStrictEqual(yield* first("a", 0, 3), ["Reset 3", "Event 4", "Event 5"])
        assert.deepStrictEqual(yield* first("a", 2, 2), ["Event 4", "Event 5"])
        yield* prune(5)
        assert.deepStrictEqual(yield* first("a", 0, 1), ["Reset 5"])
      })
    )
  )

  it.live("resets clients whose log starts again", () =>
    withHub({}, ({ add, events, replace }) =>
      Effect.gen(function* () {
        yield* add(...count(10))
        const live = yield* Effect.forkChild(Stream.runCollect(Stream.take(events(9), 3)))
        yield* Effect.sleep("30 millis")
        replace(yield* Effect.provide(Effect.service(Store), Layer.fresh(MemoryStore.layer)))
        yield* Effect.sleep("30 millis")
        yield* add(event())
        assert.deepStrictEqual(shown(yield* Fiber.join(live)), ["Event 10", "Reset 0", "Event 1"])
        assert.deepStrictEqual(shown(yield* Stream.runCollect(Stream.take(events(10), 1))), ["Reset 1"])
      })
    )
  )

  it.live("reads the log only while clients are connected", () =>
    withHub({}, ({ add, events, polls }) =>
      Effect.gen(function* () {
        yield* add(event())
        assert.strictEqual(polls(), 0)
        const clients = yield* Effect.forEach(count(3), () =>
          Effect.forkChild(Stream.runDrain(Stream.take(events(0), 2)))
        )
        yield* until(() => polls() > 20)
        yield* Effect.forEach(clients, Fiber.interrupt)
        const before = polls()
        yield* Effect.sleep("50 millis")
        assert.isAtMost(polls(), before + 1)
        assert.lengthOf(yield* Stream.runCollect(Stream.take(events(0), 1)), 1)
      })
    )
  )

  it.live("ends its streams when the server stops", () =>
    Effect.gen(function* () {
      const live = yield* withHub({}, ({ events }) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkDetach(Stream.runCollect(events(null)))
          yield* Effect.sleep("50 millis")
          return fiber
        })
      )
      assert.deepStrictEqual(shown(yield* Fiber.join(live)), [])
    })
  )
})
