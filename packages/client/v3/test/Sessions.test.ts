import { assert, describe, it } from "@effect/vitest"
import { Ledger, LedgerMemory } from "@webagent/core"
import { PollSchedule } from "@webagent/polling"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
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
  it.live.each([200, 201, 202])("accept %i and keep unknown fields", (status) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const json = { id: "s-1", status: "pondering", later: [1] }
      server.script = () => ({ status, json })
      const sessions = yield* Sessions
      const session = { id: "s-1", status: "pondering", raw: { later: [1] } }
      const created = yield* sessions.create({ task: "t", thinkingLevel: "high" }, { extraBody: { beta: 1 } })
      assert.deepStrictEqual<unknown>(created, session)
      assert.deepStrictEqual<unknown>(yield* sessions.get("s/1"), session)
      const [create, get] = server.requests
      assert.deepStrictEqual([create?.method, create?.url], ["POST", "/api/v3/sessions"])
      assert.deepStrictEqual(JSON.parse(create?.body ?? ""), { task: "t", thinkingLevel: "high", beta: 1 })
      assert.deepStrictEqual([get?.method, get?.url], ["GET", "/api/v3/sessions/s%2F1"])
    }).pipe(Effect.provide(layer()))
  )

  it.live("fail with SessionNotFoundError after a 404, unless the session is new", () =>
    Effect.gen(function* () {
      const { reads } = yield* service({ status: 404, json: { detail: "No session" } }, session({ status: "idle" }))
      const sessions = yield* Sessions
      const error = yield* Effect.flip(sessions.get("s-1"))
      assert.deepStrictEqual(
        [error._tag, "detail" in error && error.detail, reads()],
        ["SessionNotFoundError", "No session", 1]
      )
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
  it.live.each(["idle", "stopped", "timed_out", "error"])(
    "ends with the status %s, and not with an unknown one",
    (status) =>
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

  it.live("waits for the result if no status is sent", () =>
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
  it.live("share one poll loop, poll first without a delay, and emit each status as it changes", () =>
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
      // the first poll of the schedule alone would come after an hour
      const schedule = PollSchedule.every("1 hour")
      yield* Effect.provideService(sessions.untilTerminal("s-1"), PollSchedule.Current, schedule)
      assert.strictEqual(reads(), 5)
      yield* sessions.untilTerminal("s-1", { schedule })
      yield* sessions.watch("s-1", { schedule }).pipe(Stream.runDrain)
      assert.strictEqual(reads(), 7)
    }).pipe(Effect.provide(layer()))
  )
})

describe("Sessions with a result schema", () => {
  const result = Schema.Struct({ total: Schema.Number })

  it.live("return the session with its result, or fail with the reason", () =>
    Effect.gen(function* () {
      yield* service(
        session({ status: "idle", result: '{"total":42}' }),
        session({ status: "idle", result: { total: 42 } }),
        session({ status: "idle", result: "a mug" }),
        session({ status: "error" })
      )
      const sessions = yield* Sessions
      assert.strictEqual((yield* sessions.createAndWait({ task: "t" }, { result })).result.total, 42)
      assert.strictEqual((yield* sessions.untilTerminal("s-1", { result })).result.total, 42)
      const mismatch = yield* Effect.flip(sessions.untilTerminal("s-1", { result }))
      assert.deepInclude(mismatch, {
        _tag: "ResultMismatchError",
        session: { id: "s-1", status: "idle", result: "a mug" }
      })
      assert.strictEqual((yield* Effect.flip(sessions.untilTerminal("s-1", { result })))._tag, "SessionFailedError")
    }).pipe(Effect.provide(layer()))
  )
})

describe("a session that the client created", () => {
  const open = Effect.gen(function* () {
    const ledger = yield* Ledger.Current
    return (yield* ledger.open).map(({ id, key, kind, state }) => [kind, id, key, state])
  })
  const layerLedger = layer().pipe(Layer.provideMerge(LedgerMemory.layer))

  it.live("is open in the ledger under its key until it's finished", () =>
    Effect.gen(function* () {
      const { server } = yield* service(session({ status: "running" }), session({ status: "idle" }))
      const sessions = yield* Sessions
      yield* sessions.create({ task: "t" }, { idempotencyKey: "order-7" })
      assert.strictEqual(server.requests[0]?.headers["idempotency-key"], "order-7")
      const expected = [["session", "s-1", "order-7", "opened"]]
      yield* sessions.get("s-1")
      assert.deepStrictEqual(yield* open, expected)
      yield* sessions.get("s-1")
      assert.deepStrictEqual(yield* open, [])
      yield* sessions.createAndWait({ task: "t" }, { idempotencyKey: "order-8" })
      assert.deepStrictEqual(yield* open, [])
      assert.lengthOf(server.requests, 5)
    }).pipe(Effect.provide(layerLedger))
  )

  it.live("is closed in the ledger when it's deleted", () =>
    Effect.gen(function* () {
      const { server } = yield* service({ status: 409, json: { detail: "The agent runs" } }, { status: 204 })
      const sessions = yield* Sessions
      yield* sessions.create({ task: "t" }, { idempotencyKey: "order-7" })
      assert.strictEqual((yield* Effect.flip(sessions.delete("s-1")))._tag, "ConflictError")
      assert.deepStrictEqual(yield* open, [["session", "s-1", "order-7", "opened"]])
      yield* sessions.delete("s-1")
      assert.deepStrictEqual(yield* open, [])
      assert.lengthOf(server.requests, 3)
    }).pipe(Effect.provide(layerLedger))
  )

  it.live("may have an unknown outcome, and then its key is in the error and in the ledger", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => (response) => response.destroy()
      const sessions = yield* Sessions
      const error = yield* Effect.flip(sessions.createAndWait({ task: "t" }, { idempotencyKey: "order-7" }))
      assert.strictEqual(error._tag === "CreateOutcomeUnknown" && error.key, "order-7")
      assert.deepStrictEqual(yield* open, [["session", undefined, "order-7", "unknown"]])
      assert.lengthOf(server.requests, 1)
    }).pipe(Effect.provide(layerLedger))
  )

  it.live("is canceled at the deadline by the caller's function, and continues without one", () =>
    Effect.gen(function* () {
      const status = { now: "running" }
      const server = yield* ScriptedServer
      server.script = ({ method }) => ({ json: { id: "s-1", ...(method === "POST" ? {} : { status: status.now }) } })
      const sessions = yield* Sessions
      const timeout = "20 millis"
      assert.strictEqual(
        (yield* Effect.flip(sessions.createAndWait({ task: "t" }, { timeout })))._tag,
        "WaitTimeoutError"
      )
      const cancel = ({ id }: { readonly id: string }) =>
        Effect.sync(() => (status.now = id === "s-1" ? "stopped" : ""))
      assert.strictEqual((yield* sessions.createAndWait({ task: "t" }, { timeout, cancel })).status, "stopped")
    }).pipe(Effect.provide(layer()))
  )

  it.live("is named in a warning when its wait is interrupted", () => {
    const warnings: Array<string> = []
    const logger = Logger.make(({ message }) => void warnings.push(String(message)))
    return Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      yield* service(() => Deferred.doneUnsafe(arrived, Exit.void))
      const sessions = yield* Sessions
      const fiber = yield* Effect.forkChild(sessions.createAndWait({ task: "t" }))
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(warnings, ["The wait for session s-1 has ended: it may continue and cost money"])
    }).pipe(Effect.provide(layer()), Effect.provide(Logger.layer([logger])))
  })
})

describe("a program that is interrupted", () => {
  it.live.each(["continue", "cancel"] as const)("names or stops each session once: %s", (onInterrupt) => {
    const warnings: Array<string> = []
    const logger = Logger.make(({ message }) => {
      warnings.push(String(Array.isArray(message) ? message[0] : message))
    })
    return Effect.gen(function* () {
      const server = yield* ScriptedServer
      const waiting = yield* Deferred.make<void>()
      let created = 0
      const stopped = new Set<string>()
      server.script = ({ method, url }) => {
        const [, id = ""] = /sessions\/([^/]+)/u.exec(url) ?? []
        if (method === "POST" && id === "") return { status: 201, json: { id: `s-${++created}`, status: "running" } }
        if (url.endsWith("/stop")) stopped.add(id)
        else Deferred.doneUnsafe(waiting, Exit.void)
        return session({ id, status: stopped.has(id) ? "stopped" : "running" })
      }
      const program = Effect.gen(function* () {
        const sessions = yield* Sessions
        yield* sessions.create({ task: "t" })
        return yield* sessions.createAndWait({ task: "t" }, { first: 0 })
      })
      const client = layer({ baseUrl: server.address, onInterrupt })
      const fiber = yield* Effect.forkChild(
        program.pipe(Effect.provide(client), Effect.provide(Logger.layer([logger])))
      )
      yield* Deferred.await(waiting)
      yield* Fiber.interrupt(fiber)
      const wait = "The wait for session s-2 has ended: it may continue and cost money"
      const end = {
        continue: "These may continue and cost money: session s-1",
        cancel: "Canceled: session s-1, session s-2"
      }
      assert.deepStrictEqual(warnings, [wait, end[onInterrupt]])
      assert.deepStrictEqual([...stopped].toSorted(), onInterrupt === "cancel" ? ["s-1", "s-2"] : [])
    }).pipe(Effect.provide(ScriptedServer.layer))
  })
})
