import { assert, describe, it } from "@effect/vitest"
import { PollSchedule } from "@webagent/polling"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { once } from "node:events"
import { Sessions } from "../src/index.ts"
import { layer } from "./client.ts"
import { type Answer, ScriptedServer } from "@webagent/scripted-server"

/** A service with one session whose reads answer one after the other, the last for ever. */
const service = (...answers: ReadonlyArray<Answer>) =>
  Effect.map(ScriptedServer, (server) => {
    let reads = 0
    server.script = ({ method }) =>
      method === "POST" ? { status: 201, json: { id: "s-1" } } : (answers[Math.min(reads++, answers.length - 1)] ?? {})
    return { server, reads: () => reads }
  })

const session = (fields: object) => ({ json: { id: "s-1", ...fields } })

describe("Sessions.create and Sessions.get", () => {
  it.live.each([200, 201, 202])("accept %i and keep what they do not know", (status) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const json = { id: "s-1", status: "pondering", later: [1] }
      server.script = () => ({ status, json })
      const sessions = yield* Sessions
      assert.deepStrictEqual(yield* sessions.create({ task: "t", thinkingLevel: "high", beta: 1 }), json)
      assert.deepStrictEqual(yield* sessions.get("s/1"), json)
      const [create, get] = server.requests
      assert.deepStrictEqual([create?.method, create?.url], ["POST", "/api/v3/sessions"])
      assert.deepStrictEqual(JSON.parse(create?.body ?? ""), { task: "t", thinkingLevel: "high", beta: 1 })
      assert.deepStrictEqual([get?.method, get?.url], ["GET", "/api/v3/sessions/s%2F1"])
    }).pipe(Effect.provide(layer()))
  )

  it.live("404 is a SessionNotFoundError, unless the session was created just now", () =>
    Effect.gen(function* () {
      const { reads } = yield* service({ status: 404, json: { detail: "No session" } }, session({ status: "idle" }))
      const sessions = yield* Sessions
      const error = yield* Effect.flip(sessions.get("s-1"))
      assert.deepStrictEqual([error._tag, error.message, reads()], ["SessionNotFoundError", "No session", 1])
      yield* service({ status: 404, json: {} }, session({ status: "idle" }))
      const { id } = yield* sessions.create({ task: "t" })
      assert.strictEqual((yield* sessions.get(id)).status, "idle")
    }).pipe(Effect.provide(layer()))
  )

  it.live("create is sent once", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status: 503 })
      const sessions = yield* Sessions
      yield* Effect.flip(sessions.create({ task: "t" }))
      assert.strictEqual(server.requests.length, 1)
    }).pipe(Effect.provide(layer()))
  )
})

describe("Sessions.createAndWait", () => {
  it.live.each(["idle", "stopped", "timed_out", "error"])("%s is terminal, an unknown status is not", (status) =>
    Effect.gen(function* () {
      const { reads } = yield* service(
        session({ status: "running" }),
        session({ status: "pondering", result: "half" }),
        session({ status, result: { total: 42 } })
      )
      const sessions = yield* Sessions
      assert.deepStrictEqual((yield* sessions.createAndWait({ task: "t" })).result, { total: 42 })
      assert.strictEqual(reads(), 3)
    }).pipe(Effect.provide(layer()))
  )

  it.live("where no status is sent, waits for the result", () =>
    Effect.gen(function* () {
      const { reads } = yield* service(session({}), session({ result: null }), session({ result: "a mug" }))
      const sessions = yield* Sessions
      assert.strictEqual((yield* sessions.createAndWait({ task: "t" })).result, "a mug")
      assert.strictEqual(reads(), 3)
    }).pipe(Effect.provide(layer()))
  )

  it.live("survives an outage longer than a call's retries", () =>
    Effect.gen(function* () {
      const cut: Answer = (response) => response.destroy()
      const { reads } = yield* service(...Array.from({ length: 9 }, () => cut), session({ status: "idle" }))
      const sessions = yield* Sessions
      assert.strictEqual((yield* sessions.createAndWait({ task: "t" })).status, "idle")
      assert.strictEqual(reads(), 10)
    }).pipe(Effect.provide(layer()))
  )

  it.live("fails at its deadline with the session's id and last status", () =>
    Effect.gen(function* () {
      yield* service(session({ status: "running" }))
      const sessions = yield* Sessions
      const error = yield* Effect.flip(sessions.createAndWait({ task: "t" }, { timeout: "30 millis" }))
      if (error._tag !== "WaitTimeoutError") return assert.fail(error.message)
      assert.deepStrictEqual([error.kind, error.id, error.lastStatus], ["session", "s-1", "running"])
    }).pipe(Effect.provide(layer()))
  )

  it.live("is interrupted at once, and closes the poll in flight", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<Promise<unknown>>()
      yield* service((response) => void Deferred.doneUnsafe(arrived, Exit.succeed(once(response, "close"))))
      const sessions = yield* Sessions
      const fiber = yield* Effect.forkChild(sessions.createAndWait({ task: "t" }))
      const closed = yield* Deferred.await(arrived)
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => closed)
    }).pipe(Effect.provide(layer()))
  )
})

describe("Sessions.untilTerminal and Sessions.watch", () => {
  it.live("share one poll loop, look at once, and emit each status as it changes", () =>
    Effect.gen(function* () {
      const statuses = ["created", "running", "running", "idle"]
      const { reads } = yield* service(...statuses.map((status) => session({ status })))
      const sessions = yield* Sessions
      const waits = Array.from({ length: 50 }, () => sessions.untilTerminal("s-1"))
      const { seen } = yield* Effect.all(
        { seen: Stream.runCollect(sessions.watch("s-1")), waits: Effect.all(waits, { concurrency: "unbounded" }) },
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        seen.map(({ status }) => status),
        ["created", "running", "idle"]
      )
      assert.strictEqual(reads(), 4)
      // the first poll of the usual schedule would come after 2 s
      yield* sessions
        .untilTerminal("s-1")
        .pipe(Effect.provideService(PollSchedule.Current, PollSchedule.standard), Effect.timeout("1 second"))
      assert.strictEqual(reads(), 5)
      const schedule = PollSchedule.every("1 hour")
      yield* sessions.untilTerminal("s-1", { schedule }).pipe(Effect.timeout("1 second"))
      yield* sessions.watch("s-1", { schedule }).pipe(Stream.runDrain, Effect.timeout("1 second"))
      assert.strictEqual(reads(), 7)
    }).pipe(Effect.provide(layer()))
  )
})
