import { assert, describe, it } from "@effect/vitest"
import {
  BrowserPool,
  Engine,
  Hints,
  NodeId,
  SharedWork,
  Store,
  TimeOrderedIds,
  type Turn,
  layerStreamingAgent
} from "@webagent/engine"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import { Postgres, PostgresDatabase, PostgresHints, SqlStore } from "../src/index.ts"
import { startPostgres } from "./postgres.ts"

const { address, postgres } = startPostgres()

/** A node that looks by itself once an hour, so that it does what other nodes tell it to. */
const start = Effect.fnUntraced(function* (url: Redacted.Redacted, name: string) {
  const begun = yield* Queue.unbounded<string>()
  const letGo = yield* Queue.unbounded<string>()
  const stopped = yield* Queue.unbounded<string>()
  const drained = yield* Deferred.make<void>()
  const started: Turn.TurnEvent = { _tag: "Started" }
  const parts = Layer.mergeAll(
    layerStreamingAgent({
      model: "m",
      version: "1",
      perform: (turn) =>
        Stream.concat(Stream.make(started), Stream.fromEffectDrain(Queue.offer(begun, turn.id))).pipe(
          Stream.concat(Stream.never),
          Stream.ensuring(Queue.offer(letGo, turn.id))
        )
    }),
    Layer.succeed(BrowserPool, {
      launch: ({ id }) =>
        Effect.succeed({
          connect: Effect.die("no test connects"),
          stop: Effect.asVoid(Queue.offer(stopped, id))
        })
    }),
    TimeOrderedIds.layer,
    Layer.succeed(NodeId, name)
  )
  const layer = Engine.layerOf.pipe(
    Layer.provideMerge(
      SharedWork.layer({ look: "1 hour", drained: Effect.asVoid(Deferred.succeed(drained, undefined)) })
    ),
    Layer.provide(parts),
    Layer.provideMerge(PostgresHints.layer(url)),
    Layer.provideMerge(SqlStore.layer),
    Layer.provide(PostgresDatabase.layer({ url }))
  )
  const context = yield* Layer.build(Layer.fresh(layer))
  return {
    engine: Context.get(context, Engine),
    drain: Effect.andThen(Context.get(context, Store).drain(name), Deferred.await(drained)),
    begun: Queue.take(begun),
    letGo: Queue.take(letGo),
    stopped: Queue.take(stopped)
  }
})

/** The hints of a node. */
const hintsOf = (url: Redacted.Redacted) =>
  Effect.map(
    Layer.build(Layer.fresh(Layer.provide(PostgresHints.layer(url), PostgresDatabase.layer({ url })))),
    (context) => Context.get(context, Hints)
  )

const request = { task: "t", modelParams: null, thinkingLevel: null }

/** Waits until as many connections listen besides those that end, and gives their processes. */
const listeners = (
  count: number,
  ending: ReadonlyArray<number> = []
): Effect.Effect<ReadonlyArray<number>, never, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* Effect.orDie(
      sql<{ readonly pid: number }>`SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%' AND state = 'idle' ORDER BY pid`
    )
    const pids = found.map(({ pid }) => pid).filter((pid) => !ending.includes(pid))
    if (pids.length === count) return pids
    yield* Effect.sleep("20 millis")
    return yield* listeners(count, ending)
  })

const withNodes = <A, E, R>(
  use: (
    a: Effect.Success<ReturnType<typeof start>>,
    b: Effect.Success<ReturnType<typeof start>>
  ) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const url = yield* address
    const a = yield* start(url, "a")
    const b = yield* start(url, "b")
    return yield* Effect.provide(Effect.andThen(listeners(2), use(a, b)), Postgres.layer({ url, connections: 1 }))
  })

describe("nodes of a Postgres database with notifications", () => {
  it.live("release sessions that another node cancelled, and stop their browsers, before their next check", () =>
    withNodes(
      Effect.fnUntraced(function* (a, b) {
        const { session, turn } = yield* a.engine.createSession(request)
        assert.strictEqual(yield* a.begun, turn.id)
        yield* b.engine.cancelTurn(turn.id)
        assert.strictEqual(yield* a.letGo, turn.id)
        const second = yield* a.engine.queue({ sessionId: session.id, text: "again", interrupt: false })
        yield* a.begun
        yield* b.engine.stopSession(session.id)
        assert.strictEqual(yield* a.letGo, second.turn.id)
        for (let round = 0; round < 2; round++) {
          const { browser } = yield* a.engine.createBrowser({ proxyCountryCode: null })
          yield* b.engine.stopBrowser(browser.id)
          assert.strictEqual(yield* a.stopped, browser.id)
        }
      })
    )
  )

  it.live("take runs that arrive at a draining node", () =>
    withNodes(
      Effect.fnUntraced(function* (a, b) {
        const { session, turn } = yield* a.engine.createSession(request)
        yield* a.begun
        const waiting = yield* a.engine.queue({ sessionId: session.id, text: "waits", interrupt: false })
        yield* a.drain
        const late = yield* a.engine.createSession(request)
        assert.strictEqual(yield* b.begun, late.turn.id)
        yield* a.engine.cancelTurn(turn.id)
        assert.strictEqual(yield* b.begun, waiting.turn.id)
      })
    )
  )

  it.live("lose nothing if their connections break: they listen again, and check for missed notifications", () =>
    withNodes(
      Effect.fnUntraced(function* (a, b) {
        const sql = yield* SqlClient.SqlClient
        for (let round = 0; round < 2; round++) {
          const { turn } = yield* a.engine.createSession(request)
          yield* a.begun
          const before = yield* listeners(2)
          for (const pid of before) yield* sql`SELECT pg_terminate_backend(${pid})`
          // neither listens right now
          yield* b.engine.cancelTurn(turn.id)
          assert.strictEqual(yield* a.letGo, turn.id)
          yield* listeners(2, before)
          const { turn: next } = yield* a.engine.createSession(request)
          yield* a.begun
          yield* b.engine.cancelTurn(next.id)
          assert.strictEqual(yield* a.letGo, next.id)
        }
      })
    )
  )

  it.live("receive notifications for themselves and for all", () =>
    Effect.gen(function* () {
      const url = yield* address
      const told = yield* Queue.unbounded<string>()
      const listening = Effect.gen(function* () {
        const { heard, tell } = yield* Hints
        yield* Effect.forkScoped(Stream.runForEach(heard("a"), () => Queue.offer(told, "a")))
        yield* Effect.forkScoped(Stream.runForEach(heard("b"), () => Queue.offer(told, "b")))
        yield* listeners(2)
        // each looks once as it begins to listen
        assert.sameMembers([yield* Queue.take(told), yield* Queue.take(told)], ["a", "b"])
        yield* tell("b")
        assert.strictEqual(yield* Queue.take(told), "b")
        yield* tell(null)
        assert.sameMembers([yield* Queue.take(told), yield* Queue.take(told)], ["a", "b"])
        yield* tell("c")
        yield* tell("a")
        assert.strictEqual(yield* Queue.take(told), "a")
      })
      yield* listening.pipe(
        Effect.provide(Layer.provideMerge(PostgresHints.layer(url), Postgres.layer({ url, connections: 2 })))
      )
    })
  )

  it.live("stop listening immediately while their database doesn't respond, so that a server can stop", () =>
    Effect.gen(function* () {
      const { freeze, thaw } = yield* postgres
      const url = yield* address
      const stopping = Effect.gen(function* () {
        const { heard } = yield* Hints
        const listening = yield* Effect.forkChild(Stream.runDrain(heard("a")))
        yield* listeners(1)
        // the client reads the response: it can't be interrupted before that
        yield* Effect.sleep("200 millis")
        yield* freeze
        yield* Fiber.interrupt(listening)
      })
      yield* stopping.pipe(
        Effect.ensuring(thaw),
        Effect.provide(Layer.provideMerge(PostgresHints.layer(url), Postgres.layer({ url, connections: 1 })))
      )
    })
  )

  it.live("notify event log readers on every node of commits, once for simultaneous ones", () =>
    Effect.gen(function* () {
      const url = yield* address
      const [here, there] = [yield* hintsOf(url), yield* hintsOf(url)]
      const heard = { here: 0, there: 0 }
      const count = (name: keyof typeof heard, hints: typeof here) =>
        Effect.forkScoped(Stream.runForEach(hints.heardEvents, () => Effect.sync(() => void heard[name]++)))
      yield* count("here", here)
      yield* count("there", there)
      // each begins with a hint, because those before it was there were lost
      while (heard.here === 0 || heard.there === 0) yield* Effect.sleep("5 millis")
      const before = { ...heard }
      const [elapsed] = yield* Effect.timed(Effect.repeat(here.tellEvents, { times: 99 }))
      yield* Effect.yieldNow
      assert.isAbove(heard.here, before.here)
      while (heard.there === before.there) yield* Effect.sleep("5 millis")
      yield* Effect.sleep("100 millis")
      // those of 25 ms together, and one more where a moment began before
      assert.isAtMost(heard.there - before.there, 2 + Math.floor(Duration.toMillis(elapsed) / 25))
    }).pipe(Effect.scoped)
  )
})
