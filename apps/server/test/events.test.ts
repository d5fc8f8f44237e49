import { assert, describe, it } from "@effect/vitest"
import { ApiKeys, keyScopes } from "@webagent/engine"
import { Database, SqlApiKeys } from "@webagent/sql"
import { follow, followThrough } from "@webagent/test-fixtures/EventStreams"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { join } from "node:path"
import { node } from "./node.ts"
import { folder, ready, send, start } from "./program.ts"

const task = (script: string) => ({ task: `Find a red mug [simulate ${script}]` })

const create = (at: string, script: string, key = "K") =>
  Effect.map(send(at, key, "POST", "/runs", task(script)), ({ body }) => String(body["id"]))

const eventsOf = (at: string, id: string) => `${at}/runs/${id}/events`

const keyed = (key = "K") => ({ "x-service-api-key": key })

const range = (length: number) => Array.from({ length }, (_, index) => index)

const listed = (at: string, id: string) =>
  Effect.map(send(at, "K", "GET", `/runs/${id}/events`), ({ body }) => body["events"] as ReadonlyArray<object>)

describe("the events of runs", () => {
  it.live("are the same on each node of one Postgres, and none is lost or duplicated when connections break", () =>
    Effect.gen(function* () {
      const { database } = yield* TestPostgres
      const data = yield* database
      const nodes = [yield* node(data, "east"), yield* node(data, "west")] as const
      const follower = (index: number) =>
        Effect.gen(function* () {
          const [here, there] = index % 2 === 0 ? nodes : [nodes[1], nodes[0]]
          const id = yield* create(here.at, `duration=${200 + 40 * index}ms steps=0`)
          let round = index
          const followed = yield* Effect.promise(() =>
            followThrough(eventsOf(there.at, id), keyed(), () => 1 + (round++ % 3))
          )
          assert.deepStrictEqual(
            followed.map(({ event }) => event),
            ["run.queued", "run.dispatching", "run.running", "run.completed"]
          )
          for (const { at } of nodes) {
            assert.deepStrictEqual<unknown>(
              yield* listed(at, id),
              followed.map(({ data }) => data)
            )
          }
        })
      yield* Effect.forEach(range(20), follower, { concurrency: "unbounded" })
    }).pipe(Effect.provide(TestPostgres.layer))
  )

  it.live("are only for the run's key", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "server.db")
      const { at } = yield* node(file, "east")
      const limits = { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: null }
      const keyOf = (name: string) =>
        ApiKeys.use((keys) => keys.create({ name, scopes: keyScopes, limits })).pipe(
          Effect.map(({ secret }) => Redacted.value(secret)),
          Effect.provide(Layer.provide(SqlApiKeys.layer, Database.layer({ file })))
        )
      const [mine, theirs] = [yield* keyOf("mine"), yield* keyOf("theirs")]
      const id = yield* create(at, "duration=1m", mine)
      const first = yield* Effect.promise(() => follow(eventsOf(at, id), keyed(mine), 1))
      assert.deepInclude(first.events[0], { event: "run.queued" })
      assert.strictEqual((yield* Effect.promise(() => follow(eventsOf(at, id), keyed(theirs), 1))).status, 404)
      assert.strictEqual((yield* send(at, theirs, "GET", `/runs/${id}/events`)).status, 404)
    })
  )

  it.live("can have a hundred readers, and a server with them stops immediately", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "server.db")
      const flags = ["--browsers", "simulated", "--api-key=K", "--drain-within", "0s"]
      const program = yield* start(["serve", "--port", "0", "--data", file, ...flags])
      const { v4: at = "" } = yield* ready(program)
      const ids = yield* Effect.forEach(range(10), () => create(at, "duration=1m"))
      let events = 0
      const readers = yield* Effect.forEach(range(100), (index) =>
        Effect.forkChild(
          Effect.promise(async (signal) => {
            await follow(eventsOf(at, ids[index % 10] ?? ""), keyed(), 3, signal)
            events += 3
            await follow(eventsOf(at, ids[index % 10] ?? ""), keyed(), Infinity, signal).catch(() => undefined)
          })
        )
      )
      yield* Effect.repeat(
        Effect.delay(
          Effect.sync(() => events),
          "20 millis"
        ),
        { until: (count) => count === 300 }
      )
      const metrics = yield* send(new URL(at).origin, "", "GET", "/metrics")
      const [, bytes] = /^process_resident_memory_bytes\S* (\S+)$/mu.exec(String(metrics.body["text"])) ?? []
      assert.isBelow(Number(bytes), 300_000_000)
      program.process.kill("SIGTERM")
      assert.strictEqual((yield* program.ended).code, 0)
      yield* Effect.forEach(readers, Fiber.join)
    })
  )
})
