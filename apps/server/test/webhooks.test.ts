import { assert, describe, it } from "@effect/vitest"
import { ApiKeys, type KeyScope } from "@webagent/engine"
import { Database, SqlApiKeys } from "@webagent/sql"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { join } from "node:path"
import { node } from "./node.ts"
import { folder, ready, send, start, until } from "./program.ts"
import { receiver, untilTrue } from "./receiver.ts"

const adminOf = (at: string) => at.replace("/api/v4", "/admin/v1")

const createHook = (at: string, url: string, rest: object = {}, key = "K") =>
  Effect.map(send(adminOf(at), key, "POST", "/webhooks", { url, ...rest }), ({ body, status }) => {
    assert.strictEqual(status, 201, JSON.stringify(body))
    return String((body["webhook"] as { readonly id: string }).id)
  })

const createRun = (at: string, script: string, key = "K") =>
  Effect.map(send(at, key, "POST", "/runs", { task: `Find a red mug [simulate ${script}]` }), ({ body }) =>
    String(body["id"])
  )

const range = (length: number) => Array.from({ length }, (_, index) => index)

describe("webhooks of webagent-server", () => {
  it.live("are sent once by two nodes of one Postgres, and by the remaining one", () =>
    Effect.gen(function* () {
      const { database } = yield* TestPostgres
      const data = yield* database
      const [east, west] = [yield* node(data, "east"), yield* node(data, "west")]
      const { received, url } = yield* receiver()
      yield* createHook(east.at, url, { events: ["run.completed"] })
      const ids = yield* Effect.forEach(
        range(40),
        (index) => createRun(index % 2 === 0 ? east.at : west.at, "duration=10ms steps=0"),
        { concurrency: 8 }
      )
      yield* untilTrue(() => received.length >= 40)
      yield* Effect.sleep("500 millis")
      assert.sameMembers(
        received.map(({ subject }) => subject),
        ids
      )
      assert.lengthOf(new Set(received.map(({ id }) => id)), 40)
      yield* east.close
      const last = yield* createRun(west.at, "duration=10ms steps=0")
      yield* untilTrue(() => received.length === 41)
      assert.strictEqual(received.at(-1)?.subject, last)
    }).pipe(Effect.provide(TestPostgres.layer))
  )

  it.live("wait only for a message about the same run while a request has no response", () =>
    Effect.gen(function* () {
      const { at } = yield* node(join(yield* folder, "server.db"), "east")
      let isOver = false
      const { received, url } = yield* receiver((response, count) => {
        if (count === 1) response.on("close", () => (isOver = true))
        else response.end()
      })
      yield* createHook(at, url, { events: ["run.completed"] })
      yield* createRun(at, "duration=10ms steps=0")
      yield* untilTrue(() => received.length === 1)
      yield* Effect.forEach(range(20), () => createRun(at, "duration=10ms steps=0"))
      yield* untilTrue(() => received.length === 21)
      assert.isFalse(isOver)
      // the sender gives up after 10 seconds, and sends it again 5 seconds later
      yield* untilTrue(() => isOver)
      yield* untilTrue(() => received.length === 22)
      assert.deepStrictEqual(received[21], received[0])
    })
  )

  it.live("don't wait for webhooks without a response, even if they are more than the server sends at once", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "server.db")
      const { at } = yield* node(file, "east")
      const limits = { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: null }
      const keys = yield* Effect.forEach(["dev", "ops"], (name) =>
        Effect.provide(
          Effect.flatMap(ApiKeys, (all) => all.create({ name, scopes: ["admin"], limits })),
          Layer.provide(SqlApiKeys.layer, Database.layer({ file }))
        )
      )
      let isOver = false
      const { url: silent } = yield* receiver((response) => void response.on("close", () => (isOver = true)))
      const { received, url } = yield* receiver()
      // more than 512 messages for the silent receiver
      for (const { secret } of keys) {
        for (const _ of range(20)) {
          yield* createHook(at, silent, { everyKey: true, events: ["run.completed"] }, Redacted.value(secret))
        }
      }
      yield* createHook(at, url, { events: ["run.completed"] })
      const count = 18
      yield* Effect.forEach(range(count), () => createRun(at, "duration=10ms steps=0"), { concurrency: 6 })
      yield* untilTrue(() => received.length === count)
      assert.isFalse(isOver)
    })
  )

  it.live("are sent again with the same id if they were sent but not stored before a kill", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "server.db")
      const flags = ["--browsers", "simulated", "--api-key=K", "--allow-private-webhooks"]
      const serve = Effect.gen(function* () {
        const program = yield* start(["serve", "--port", "0", "--data", file, ...flags])
        const { v4 = "" } = yield* ready(program)
        return { program, at: v4 }
      })
      const first = yield* serve
      // the response comes after the kill, so its outcome isn't stored
      const { received, url } = yield* receiver((response, count) => {
        if (count > 1) return void response.end()
        first.program.process.kill("SIGKILL")
      })
      const hook = yield* createHook(first.at, url, { events: ["run.completed"] })
      const run = yield* createRun(first.at, "duration=10ms steps=0")
      yield* first.program.ended
      assert.lengthOf(received, 1)
      const second = yield* serve
      // the lease of the sender that was killed is over after 30 seconds
      yield* untilTrue(() => received.length === 2)
      assert.deepStrictEqual(received[1], received[0])
      assert.strictEqual(received[0]?.subject, run)
      const log = yield* until(send(adminOf(second.at), "K", "GET", `/webhooks/${hook}/deliveries`), ({ body }) =>
        (body["rows"] as ReadonlyArray<{ readonly status: string }>).every(({ status }) => status === "delivered")
      )
      assert.lengthOf(log.body["rows"] as ReadonlyArray<unknown>, 1)
      yield* Effect.sleep("1 second")
      assert.lengthOf(received, 2)
    })
  )

  it.live("are for the key of the change, report its spending limit once, and end when it is revoked", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "server.db")
      const { at } = yield* node(file, "east")
      const withKeys = <A, E>(use: (keys: ApiKeys["Service"]) => Effect.Effect<A, E>) =>
        Effect.provide(Effect.flatMap(ApiKeys, use), Layer.provide(SqlApiKeys.layer, Database.layer({ file })))
      const keyOf = (name: string, usdPerDay: number | null, scopes: ReadonlyArray<KeyScope>) =>
        withKeys((keys) =>
          Effect.map(
            keys.create({ name, scopes, limits: { runs: null, browsers: null, requestsPerMinute: null, usdPerDay } }),
            ({ secret }) => Redacted.value(secret)
          )
        )
      const mine = yield* keyOf("mine", 1, ["read", "runs", "browsers"])
      const theirs = yield* keyOf("theirs", null, ["read", "runs", "browsers"])
      const ops = yield* keyOf("ops", null, ["admin"])
      const { received: own, url } = yield* receiver()
      const { received: all, url: everywhere } = yield* receiver()
      const hook = yield* createHook(at, url, {}, mine)
      yield* createHook(at, everywhere, { everyKey: true, events: ["run.completed"] }, ops)
      const refused = yield* send(adminOf(at), mine, "POST", "/webhooks", { url, everyKey: true })
      assert.strictEqual(refused.status, 403)
      // only its key and the operator see it
      for (const [method, path] of [
        ["GET", ""],
        ["DELETE", ""],
        ["GET", "/deliveries"],
        ["POST", "/test"]
      ] as const) {
        assert.strictEqual((yield* send(adminOf(at), theirs, method, `/webhooks/${hook}${path}`)).status, 404)
      }
      const listed = yield* send(adminOf(at), theirs, "GET", "/webhooks")
      assert.strictEqual(listed.body["text"], "[]")
      assert.strictEqual((yield* send(adminOf(at), ops, "GET", `/webhooks/${hook}`)).status, 200)

      const foreign = yield* createRun(at, "duration=10ms steps=0 cost=5", theirs)
      const cheap = yield* createRun(at, "duration=10ms steps=0 cost=0.5", mine)
      yield* untilTrue(() => all.length === 2)
      const dear = yield* createRun(at, "duration=10ms steps=0 cost=0.35", mine)
      yield* untilTrue(() => own.length === 3)
      assert.deepStrictEqual(
        own.map(({ subject, type }) => [type, subject]),
        [
          ["run.completed", cheap],
          ["run.completed", dear],
          ["spend.alert", "mine"]
        ]
      )
      const third = yield* createRun(at, "duration=10ms steps=0 cost=0.01", mine)
      yield* untilTrue(() => own.length === 4)
      assert.strictEqual(own[3]?.subject, third)
      yield* untilTrue(() => all.length === 4)
      assert.includeMembers(
        all.map(({ subject }) => subject),
        [foreign, cheap, dear, third]
      )
      const long = yield* createRun(at, "duration=300ms steps=0 cost=0.01", mine)
      yield* withKeys((keys) => keys.revoke("mine"))
      yield* untilTrue(() => all.some(({ subject }) => subject === long))
      yield* Effect.sleep("300 millis")
      assert.lengthOf(own, 4)
    })
  )

  it.live("of an admin key for all keys end with it, even if a new key without the scope has its name", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "server.db")
      const withKeys = <A, E>(use: (keys: ApiKeys["Service"]) => Effect.Effect<A, E>) =>
        Effect.provide(Effect.flatMap(ApiKeys, use), Layer.provide(SqlApiKeys.layer, Database.layer({ file })))
      const keyOf = (name: string, scopes: ReadonlyArray<KeyScope>) =>
        withKeys((keys) =>
          Effect.map(
            keys.create({
              name,
              scopes,
              limits: { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: null }
            }),
            ({ secret }) => Redacted.value(secret)
          )
        )
      const serve = (...keys: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const flags = ["--browsers", "simulated", "--allow-private-webhooks", ...keys]
          const program = yield* start(["serve", "--port", "0", "--data", file, ...flags])
          const { v4 = "" } = yield* ready(program)
          return { program, at: v4 }
        })
      const { received: every, url: everywhere } = yield* receiver()
      const { received: admins, url: ofAdmin } = yield* receiver()
      const { received: own, url } = yield* receiver()
      const first = yield* serve("--api-key=K", "--admin-key=A")
      const ops = yield* keyOf("ops", ["admin"])
      const hook = yield* createHook(first.at, everywhere, { everyKey: true, events: ["run.completed"] }, ops)
      yield* createHook(first.at, ofAdmin, { everyKey: true, events: ["run.completed"] }, "A")
      yield* createHook(first.at, url, { events: ["run.completed"] })
      yield* createRun(first.at, "duration=10ms steps=0")
      yield* untilTrue(() => every.length === 1 && admins.length === 1 && own.length === 1)

      yield* withKeys((keys) => keys.revoke("ops"))
      const again = yield* keyOf("ops", ["read", "runs"])
      for (const [method, path, body] of [
        ["GET", ""],
        ["PATCH", "", { active: true }],
        ["DELETE", ""],
        ["GET", "/deliveries"],
        ["POST", "/test"],
        ["POST", "/rotate"]
      ] as const) {
        const { status } = yield* send(adminOf(first.at), again, method, `/webhooks/${hook}${path}`, body)
        assert.strictEqual(status, 404, `${method} ${path}`)
      }
      assert.strictEqual((yield* send(adminOf(first.at), again, "GET", "/webhooks")).body["text"], "[]")
      // a message that an operator queues fails, and isn't tried again
      yield* send(adminOf(first.at), "A", "POST", `/webhooks/${hook}/test`)
      const log = yield* until(send(adminOf(first.at), "A", "GET", `/webhooks/${hook}/deliveries`), ({ body }) =>
        (body["rows"] as ReadonlyArray<{ readonly status: string }>).every(({ status }) => status !== "queued")
      )
      assert.deepInclude((log.body["rows"] as ReadonlyArray<object>)[0], {
        status: "failed",
        error: "Not sent: the webhook's API key was revoked"
      })
      first.program.process.kill("SIGTERM")
      yield* first.program.ended

      const second = yield* serve("--api-key=K")
      yield* createRun(second.at, "duration=10ms steps=0")
      yield* untilTrue(() => own.length === 2)
      yield* Effect.sleep("300 millis")
      assert.lengthOf(every, 1)
      assert.lengthOf(admins, 1)
    })
  )
})
