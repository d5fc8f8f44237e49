import { assert, describe, it } from "@effect/vitest"
import {
  BrowserPool,
  BrowserQueue,
  Engine,
  type LaunchedBrowser,
  LaunchFailed,
  layerStreamingAgent,
  NodeId,
  SharedWork,
  Store,
  TimeOrderedIds
} from "@webagent/engine"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import { type Reader, SqlStore } from "../src/index.ts"

type Launch = BrowserPool["Service"]["launch"]

const browser: LaunchedBrowser = { connect: Effect.never, stop: Effect.void }

const full = new LaunchFailed({ reason: "full", message: "All browsers are in use" })

/** The launch of a pool that never has room. */
const never: Launch = (_, wait) => wait?.over ?? Effect.fail(full)

/** A node over a store that it shares with others. None of them is lost, however busy the machine is. */
const start = (name: string, store: Store["Service"], launch: Launch = () => Effect.succeed(browser)) =>
  Engine.layerOf.pipe(
    Layer.provide(SharedWork.layer({ lifetime: "1 minute" })),
    Layer.provide([
      layerStreamingAgent({ model: "m", version: "1", perform: () => Stream.never }),
      Layer.succeed(BrowserPool, { launch }),
      TimeOrderedIds.layer,
      Layer.succeed(NodeId, name),
      Layer.succeed(Store, store)
    ]),
    Layer.fresh,
    Layer.build,
    Effect.map((context) => Context.get(context, Engine))
  )

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** Lets a create wait for as long as its caller stays. */
const waiting = Effect.provideService(BrowserQueue, { until_ms: Infinity, waitsForRoom: true })

const request = { proxyCountryCode: null }
const safe = { key: "key", body: "body" }

/** Tests of creates with the same key at several nodes over each database. */
export const repeatedCreatesOver = <E>(name: string, database: Layer.Layer<SqlClient.SqlClient | Reader, E>) =>
  describe(`creates with the same key over ${name}`, () => {
    it.live("get the same browser, even if the first create leaves the queue while they wait for it", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const waits = Deferred.makeUnsafe<void>()
        const isForgotten = Deferred.makeUnsafe<void>()
        const isRepeated = Deferred.makeUnsafe<void>()
        /** The store of a node that is slow after it has read that the first browser is gone. */
        const slow: Store["Service"] = {
          ...store,
          browser: (id) =>
            Effect.tap(store.browser(id), (stored) =>
              Option.isSome(stored)
                ? Deferred.succeed(waits, undefined)
                : Effect.andThen(Deferred.succeed(isForgotten, undefined), Deferred.await(isRepeated))
            )
        }
        const [one, two, three] = [
          yield* start("one", store, never),
          yield* start("two", slow),
          yield* start("three", store)
        ]
        const first = yield* begin(waiting(one.createBrowser(request, safe)))
        const isStored = Effect.map(store.idempotencyRecord(safe.key), Option.isSome)
        yield* Effect.repeat(isStored, { until: (is) => is })
        const repeat = yield* begin(two.createBrowser(request, safe))
        yield* Deferred.await(waits)
        yield* Fiber.interrupt(first)
        yield* Deferred.await(isForgotten)
        const made = yield* three.createBrowser(request, safe)
        yield* Deferred.succeed(isRepeated, undefined)
        const repeated = yield* Fiber.join(repeat)
        assert.deepStrictEqual([repeated.browser.id, repeated.replayed], [made.browser.id, true])
        const { rows } = yield* store.lists.browsers({}, null, 10)
        assert.deepStrictEqual(
          rows.map(({ id, status }) => [id, status]),
          [[made.browser.id, "active"]]
        )
      }).pipe(Effect.scoped, Effect.provide(Layer.provide(SqlStore.layer, database)))
    )
  })
