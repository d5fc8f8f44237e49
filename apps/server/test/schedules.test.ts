import { assert, describe, it } from "@effect/vitest"
import { ApiKeys, type ScheduleChanges, Schedules, TimeOrderedIds } from "@webagent/engine"
import { Database, PostgresDatabase, SqlApiKeys, SqlSchedules } from "@webagent/sql"
import { TestPostgres } from "@webagent/test-postgres"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { join } from "node:path"
import { node } from "./node.ts"
import { folder, send, until } from "./program.ts"

const hour_ms = 3_600_000

const adminOf = (at: string) => at.replace("/api/v4", "/admin/v1")

const create = (at: string, fields: object = {}, key = "K") =>
  Effect.map(
    send(adminOf(at), key, "POST", "/schedules", {
      name: "Prices",
      cron: "0 6 1 1 *",
      timeZone: "Europe/Berlin",
      run: { task: "Find a red mug [simulate duration=10ms steps=0]" },
      ...fields
    }),
    ({ body, status }) => {
      assert.strictEqual(status, 201, JSON.stringify(body))
      return String(body["id"])
    }
  )

const read = (at: string, id: string, key = "K") => send(adminOf(at), key, "GET", `/schedules/${id}`)

/** Waits until a due time has its outcome. */
const settled = (at: string, id: string, key = "K") =>
  Effect.map(
    until(read(at, id, key), ({ body }) => body["lastDueAt"] !== null),
    ({ body }) => body
  )

const runsOf = (at: string, key = "K") =>
  Effect.map(send(at, key, "GET", "/runs"), ({ body }) => body["runs"] as ReadonlyArray<{ readonly id: string }>)

const schedulesOver = <E>(database: Layer.Layer<Layer.Success<ReturnType<typeof Database.layer>>, E>) => {
  const layer = Layer.provide(Layer.provide(SqlSchedules.layer, TimeOrderedIds.layer), database)
  return (id: string, changes: ScheduleChanges) =>
    Effect.flatMap(Schedules, (schedules) => schedules?.update(id, changes) ?? Effect.void).pipe(
      Effect.provide(layer, { local: true }),
      Effect.orDie
    )
}

describe("schedules of webagent-server", () => {
  it.live("start one run for each due time, with two nodes of one Postgres", () =>
    Effect.gen(function* () {
      const { database } = yield* TestPostgres
      const data = yield* database
      const change = schedulesOver(PostgresDatabase.layer({ url: Redacted.make(data) }))
      const nodes = [yield* node(data, "east"), yield* node(data, "west")] as const
      const [{ at }] = nodes
      const ids = yield* Effect.forEach([1, 2, 3, 4, 5], () => create(at))
      const due_ms = (yield* Clock.currentTimeMillis) + 6000
      // both nodes look for it at the same time
      for (const id of ids) yield* change(id, { dueAt_ms: due_ms })
      const outcomes = yield* Effect.forEach(ids, (id) => settled(at, id))
      yield* Effect.sleep("1 second")
      const runs = yield* runsOf(nodes[1].at)
      assert.sameMembers(
        runs.map(({ id }) => id),
        outcomes.map(({ lastRunId }) => String(lastRunId))
      )
      for (const { lastDueAt, lastError, nextAt } of outcomes) {
        assert.deepStrictEqual([lastDueAt, lastError], [new Date(due_ms).toISOString(), null])
        assert.match(String(nextAt), /^\d{4}-01-01T05:00:00\.000Z$/u)
      }
    }).pipe(Effect.provide(TestPostgres.layer))
  )

  it.live("skip missed times, or run once for all of them", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "server.db")
      const first = yield* node(file, "east")
      const skipping = yield* create(first.at)
      const once = yield* create(first.at, { missed: "once", cron: "0 * * * *" })
      const paused = yield* create(first.at)
      yield* send(adminOf(first.at), "K", "PATCH", `/schedules/${paused}`, { active: false })
      yield* first.close
      const change = schedulesOver(Database.layer({ file }))
      const due_ms = (yield* Clock.currentTimeMillis) - 5 * hour_ms
      for (const id of [skipping, once]) yield* change(id, { dueAt_ms: due_ms })
      const { at } = yield* node(file, "east")
      const skipped = yield* settled(at, skipping)
      assert.isNull(skipped["lastRunId"])
      assert.match(String(skipped["lastError"]), /^No run, because the time was missed by 5h/u)
      const made = yield* settled(at, once)
      assert.isNull(made["lastError"])
      yield* Effect.sleep("500 millis")
      assert.deepStrictEqual(
        (yield* runsOf(at)).map(({ id }) => id),
        [made["lastRunId"]]
      )
      const next_ms = Date.parse(String(made["nextAt"]))
      assert.isAbove(next_ms, yield* Clock.currentTimeMillis)
      assert.isAtMost(next_ms, (yield* Clock.currentTimeMillis) + hour_ms)
      assert.deepInclude((yield* read(at, paused)).body, { active: false, nextAt: null, lastDueAt: null })
    })
  )

  it.live("run within their key's limits, are visible only to it, and stop when it is revoked", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "server.db")
      const { at } = yield* node(file, "east")
      const withKeys = <A, E>(use: (keys: ApiKeys["Service"]) => Effect.Effect<A, E>) =>
        Effect.provide(Effect.flatMap(ApiKeys, use), Layer.provide(SqlApiKeys.layer, Database.layer({ file })))
      const keyOf = (name: string, runs: number | null, isAdmin = false, requestsPerMinute: number | null = null) =>
        withKeys((keys) =>
          Effect.map(
            keys.create({
              name,
              scopes: isAdmin ? ["admin"] : ["read", "runs"],
              limits: { runs, browsers: null, requestsPerMinute, usdPerDay: null }
            }),
            ({ secret }) => Redacted.value(secret)
          )
        )
      const [mine, full, gone] = [yield* keyOf("mine", 5), yield* keyOf("full", 0), yield* keyOf("gone", null)]
      const ops = yield* keyOf("ops", null, true)
      // creating the schedule is the one request that it may make
      const busy = yield* keyOf("busy", null, false, 1)
      const ids = [
        yield* create(at, {}, mine),
        yield* create(at, {}, full),
        yield* create(at, {}, gone),
        yield* create(at, {}, busy)
      ] as const
      for (const method of ["GET", "PATCH", "DELETE"]) {
        const { status } = yield* send(
          adminOf(at),
          full,
          method,
          `/schedules/${ids[0]}`,
          method === "PATCH" ? { active: false } : undefined
        )
        assert.strictEqual(status, 404, method)
      }
      assert.strictEqual((yield* send(adminOf(at), full, "POST", `/schedules/${ids[0]}/run`)).status, 404)
      yield* withKeys((keys) => keys.revoke("gone"))
      const change = schedulesOver(Database.layer({ file }))
      const now_ms = yield* Clock.currentTimeMillis
      for (const id of ids) yield* change(id, { dueAt_ms: now_ms })
      const [run, refused, revoked, limited] = yield* Effect.forEach(ids, (id) => settled(at, id, ops))
      assert.isNull(run?.["lastError"])
      assert.deepStrictEqual(
        (yield* runsOf(at, mine)).map(({ id }) => id),
        [run?.["lastRunId"]]
      )
      assert.strictEqual(
        refused?.["lastError"],
        "The API key full has reached its limit of 0 open runs. Raise its limit runs, or choose another time"
      )
      assert.strictEqual(
        revoked?.["lastError"],
        "The API key gone was revoked. Create the schedule again with another key"
      )
      assert.strictEqual(
        limited?.["lastError"],
        "The API key busy has reached its limit of 1 request per minute. Raise its limit requestsPerMinute, or choose another time"
      )
      assert.deepStrictEqual(
        [refused, revoked, limited].map((body) => body?.["lastRunId"]),
        [null, null, null]
      )
      // a run that its key asks for
      const now = yield* send(adminOf(at), mine, "POST", `/schedules/${ids[0]}/run`)
      assert.strictEqual(now.status, 201)
      assert.strictEqual((yield* send(adminOf(at), full, "POST", `/schedules/${ids[1]}/run`)).status, 429)
    })
  )

  it.live("keep their next time when other fields change", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "server.db")
      const { at } = yield* node(file, "east")
      const id = yield* create(at)
      const due_ms = (yield* Clock.currentTimeMillis) + hour_ms
      yield* schedulesOver(Database.layer({ file }))(id, { dueAt_ms: due_ms })
      const nextAfter = (body: object) =>
        Effect.map(send(adminOf(at), "K", "PATCH", `/schedules/${id}`, body), ({ body }) => body["nextAt"])
      const due = new Date(due_ms).toISOString()
      assert.strictEqual(yield* nextAfter({ name: "Mugs", missed: "once", active: true }), due)
      assert.strictEqual(yield* nextAfter({ cron: "0 6 1 1 *" }), due)
      assert.notStrictEqual(yield* nextAfter({ timeZone: "UTC" }), due)
      assert.isNull(yield* nextAfter({ active: false }))
    })
  )
})
