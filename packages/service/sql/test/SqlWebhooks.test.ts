import { assert, it } from "@effect/vitest"
import { TimeOrderedIds, Webhooks } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { Database, SqlWebhooks } from "../src/index.ts"
import { file } from "./files.ts"
import { webhooksOver } from "./webhooks.ts"

const database = Layer.unwrap(Effect.map(file, (path) => Database.layer({ file: path })))

webhooksOver("SQLite", database)

/** Lets all fibers run as far as they can without time passing. */
const settle = Effect.repeat(Effect.yieldNow, { times: 200 })

it.effect("deleting a webhook or old messages lets other commits run after each 500 messages", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const webhooks = (yield* Webhooks) ?? assert.fail("There are no webhooks")
    const fields = {
      url: "https://app.example",
      description: null,
      events: ["run.completed"],
      everyKey: false
    } as const
    const hook = yield* webhooks.create(fields, 0)
    const other = yield* webhooks.create(fields, 0)
    const fill = (id: string, count: number, finishedAt_ms: number | null) =>
      sql`WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${count})
        INSERT INTO webhook_deliveries (id, hook, subject, attempts, finished_at_ms, record)
        SELECT ${`${id} ${finishedAt_ms} `} || i, ${id}, 'run ' || i, 1, ${finishedAt_ms}, '{}' FROM numbers`
    const count = (id: string) =>
      Effect.map(sql`SELECT count(*) AS count FROM webhook_deliveries WHERE hook = ${id}`, ([row]) =>
        Number(row?.["count"])
      )
    yield* fill(hook.id, 1200, 7)
    yield* fill(hook.id, 40, null)
    yield* fill(other.id, 700, 8)
    yield* webhooks.remove(hook.id)
    const left = []
    for (let look = 0; look < 4; look++) {
      yield* settle
      left.push(yield* count(hook.id))
      yield* TestClock.adjust("5 millis")
    }
    assert.deepStrictEqual(left, [700, 200, 0, 0])
    assert.strictEqual(yield* count(other.id), 700)
    const pruning = yield* Effect.forkChild(webhooks.prune(8, 600), { startImmediately: true })
    yield* settle
    assert.strictEqual(yield* count(other.id), 200)
    yield* TestClock.adjust("5 millis")
    assert.strictEqual(yield* Fiber.join(pruning), 600)
    assert.strictEqual(yield* count(other.id), 100)
  }).pipe(
    Effect.provide(Layer.provideMerge(Layer.provide(SqlWebhooks.layer, TimeOrderedIds.layer), Layer.orDie(database)))
  )
)
