import { assert, describe, it } from "@effect/vitest"
import { ApiKeys, keyScopes, Store } from "@webagent/engine"
import { Database, DatabaseError, SqlApiKeys, SqlStore } from "@webagent/sql"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { join } from "node:path"
import { restartWhenLost } from "../src/node.ts"
import { node } from "./node.ts"
import { folder, send, until } from "./program.ts"

const database = Effect.map(folder, (path) => join(path, "server.db"))

const using = <A, E>(file: string, effect: Effect.Effect<A, E, Store | ApiKeys>) =>
  Effect.provide(effect, Layer.provide(Layer.merge(SqlStore.layer, SqlApiKeys.layer), Database.layer({ file })))

const task = (script: string) => ({ task: `Find a red mug [simulate ${script}]` })

const isOver = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
  ["completed", "failed", "cancelled"].includes(String(body["status"]))

const readiness = (address: string) => send(address, "K", "GET", "/ready")

describe("nodes with one database", () => {
  it.live("are drained one by one without losing a run: waiting runs continue on the other node", () =>
    Effect.gen(function* () {
      const file = yield* database
      const first = yield* node(file, "east", Duration.seconds(20))
      const second = yield* node(file, "west")
      const [east] = yield* using(
        file,
        Store.use((store) => store.nodes)
      )
      assert.deepInclude(east, { name: "east", address: first.address, draining: false })
      assert.match(east?.id ?? "", /^east\.[0-9a-f-]{36}$/u)
      const run = yield* send(first.at, "K", "POST", "/runs", task("output=a duration=6s"))
      const waiting = yield* send(first.at, "K", "POST", `/sessions/${String(run.body["sessionId"])}/queue`, {
        text: "And a blue one [simulate output=b duration=10ms]",
        interrupt: false
      })
      yield* using(
        file,
        Store.use((store) => store.drain(east?.id ?? ""))
      )
      const draining = yield* until(readiness(first.address), ({ status }) => status === 503)
      assert.deepInclude(draining.body, { status: "draining", ready: false, node: east?.id })
      const metrics = String((yield* send(first.address, "", "GET", "/metrics")).body["text"])
      assert.match(metrics, /^webagent_node_sessions\{node="east"\} 1$/mu)
      assert.match(metrics, /^webagent_http_requests_total\{.*node="east".*\} /mu)
      assert.strictEqual((yield* readiness(second.address)).status, 200)
      // what comes to it is another one's
      const late = yield* send(first.at, "K", "POST", "/runs", task("output=c duration=10ms"))
      const ends = [run.body["id"], waiting.body["runId"], late.body["id"]].map((id) =>
        until(send(second.at, "K", "GET", `/runs/${String(id)}`), isOver)
      )
      const ended = yield* Effect.all(ends, { concurrency: 3 })
      assert.deepStrictEqual(
        ended.map(({ body }) => [body["status"], body["result"]]),
        [
          ["completed", "a"],
          ["completed", "b"],
          ["completed", "c"]
        ]
      )
      yield* first.close
      const left = yield* using(
        file,
        Store.use((store) => store.nodes)
      )
      assert.deepStrictEqual(
        left.map(({ name }) => name),
        ["west"]
      )
    })
  )

  it.live("all refuse a revoked key immediately, and sum up its usage", () =>
    Effect.gen(function* () {
      const file = yield* database
      const nodes = [yield* node(file, "east"), yield* node(file, "west"), yield* node(file, "north")]
      const limits = { runs: 4, browsers: 2, requestsPerMinute: null, usdPerDay: null }
      const { secret } = yield* using(
        file,
        ApiKeys.use((keys) => keys.create({ name: "app", scopes: keyScopes, limits }))
      )
      const key = Redacted.value(secret)
      const all = (path: string, body: unknown) =>
        Effect.forEach(
          Array.from({ length: 12 }, (_, index) => nodes[index % nodes.length]),
          (one) => Effect.map(send(one?.at, key, "POST", path, body), ({ status }) => status),
          { concurrency: "unbounded" }
        )
      const count = (statuses: ReadonlyArray<number>) => [
        statuses.filter((status) => status < 300).length,
        statuses.filter((status) => status === 429).length
      ]
      assert.deepStrictEqual(count(yield* all("/runs", task("duration=1m"))), [4, 8])
      assert.deepStrictEqual(count(yield* all("/browsers", {})), [2, 10])
      yield* using(
        file,
        ApiKeys.use((keys) => keys.revoke("app"))
      )
      for (const { at } of nodes) assert.strictEqual((yield* send(at, key, "POST", "/runs", task(""))).status, 401)
    })
  )

  it.live("create one run if all of them get the same create at once", () =>
    Effect.gen(function* () {
      const file = yield* database
      const nodes = [yield* node(file, "east"), yield* node(file, "west"), yield* node(file, "north")]
      for (let round = 0; round < 10; round++) {
        const answers = yield* Effect.forEach(
          nodes,
          ({ at }) => send(at, "K", "POST", "/runs", task("duration=10ms"), { "idempotency-key": `k${round}` }),
          { concurrency: "unbounded" }
        )
        assert.lengthOf([...new Set(answers.map(({ body }) => body["id"]))], 1)
        assert.deepStrictEqual(answers.map(({ headers }) => headers.get("idempotency-replayed")).toSorted(), [
          null,
          "true",
          "true"
        ])
      }
    })
  )
})

describe("a lost node", () => {
  const away = new DatabaseError({ database: "d", message: "Cannot use d: it is away.", isAway: true })
  const newer = new DatabaseError({ database: "d", message: "d was written by a newer version." })

  /** Each start ends like this, the first one first; those after the last one go on. */
  const startsOf = (...ends: ReadonlyArray<DatabaseError | "lost">) => {
    let starts = 0
    const once = Effect.suspend(() => {
      const end = ends[starts++]
      if (end === "lost") return Effect.void
      return end === undefined ? Effect.never : Effect.fail(end)
    })
    return { once: Effect.provide(once, Logger.layer([])), count: () => starts }
  }

  it.effect("restarts, and waits for a database that is unavailable then", () =>
    Effect.gen(function* () {
      const starts = startsOf("lost", away, away, "lost", away)
      const fiber = yield* Effect.forkChild(restartWhenLost(starts.once), { startImmediately: true })
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(starts.count(), 2)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(starts.count(), 6)
      assert.isUndefined(fiber.pollUnsafe())
    })
  )

  it.effect("exits if waiting is pointless: at its first start, and with an unreadable database", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Effect.flip(restartWhenLost(startsOf(away).once)), away)
      assert.strictEqual(yield* Effect.flip(restartWhenLost(startsOf("lost", newer).once)), newer)
    })
  )
})
