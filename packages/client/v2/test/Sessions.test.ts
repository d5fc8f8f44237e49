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

const id = "6f9619ff-8b86-d011-b42d-00c04fc964ff"

const task = (status: string) => ({
  id,
  sessionId: id,
  llm: "any",
  task: "Buy the red mug",
  status,
  createdAt: "2026-05-01T09:30:00.123456"
})

const session = (...tasks: ReadonlyArray<string>) => ({
  json: { id, status: "active", startedAt: "2026-05-01T09:30:00Z", tasks: tasks.map(task) }
})

/** A service with one session whose reads answer one after the other, the last for ever. */
const service = (...answers: ReadonlyArray<Answer>) =>
  Effect.map(ScriptedServer, (server) => {
    server.script = (_, count) => answers[Math.min(count, answers.length) - 1] ?? {}
    return server
  })

describe("Sessions.get", () => {
  it.live.each([200, 201, 202])(
    "accepts %i, fills in the described defaults and keeps unknown fields as raw",
    (status) =>
      Effect.gen(function* () {
        const { json } = session("started")
        const server = yield* service({ status, json: { ...json, later: { kept: true } } })
        const sessions = yield* Sessions
        const view = yield* sessions.get(id)
        assert.deepStrictEqual(
          [view.keepAlive, view.proxyCost, view.recordingUrl, view.raw?.["later"]],
          [true, "0", null, { kept: true }]
        )
        assert.deepStrictEqual([view.tasks[0]?.status, view.tasks[0]?.output], ["started", null])
        assert.deepStrictEqual([server.requests[0]?.method, server.requests[0]?.url], ["GET", `/api/v2/sessions/${id}`])
      }).pipe(Effect.provide(layer()))
  )

  it.live("fails for a 204, because the session is missing", () =>
    Effect.gen(function* () {
      yield* service({ status: 204 })
      const sessions = yield* Sessions
      const error = yield* Effect.flip(sessions.get(id))
      assert.strictEqual(error._tag === "TransportError" && error.reason._tag, "UndecodableAnswer")
    }).pipe(Effect.provide(layer()))
  )

  it.live("fails with typed errors", () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      yield* service({ status: 404, json: { detail: "Session not found" } })
      assert.strictEqual((yield* Effect.flip(sessions.get(id)))._tag, "SessionNotFoundError")
      const detail = [{ loc: ["path", "session_id"], msg: "not a uuid", type: "uuid_parsing" }]
      yield* service({ status: 422, json: { detail } })
      const error = yield* Effect.flip(sessions.get(id))
      assert.deepStrictEqual(error._tag === "HTTPValidationError" && error.detail, detail)
    }).pipe(Effect.provide(layer()))
  )

  it.live("refuses an id that isn't a UUID before anything is sent", () =>
    Effect.gen(function* () {
      const server = yield* service({})
      const sessions = yield* Sessions
      for (const wrong of ["", "..", "7", `${id}x`, `${id}/..`]) {
        for (const call of [sessions.get(wrong), sessions.untilTerminal(wrong)]) {
          const error = yield* Effect.flip(call)
          assert.strictEqual(error._tag === "TransportError" && error.reason._tag, "InvalidRequest", wrong)
        }
      }
      assert.strictEqual(server.requests.length, 0)
    }).pipe(Effect.provide(layer()))
  )

  it.live("is retried", () =>
    Effect.gen(function* () {
      const server = yield* service({ status: 503 }, { status: 429 }, session("started"))
      const sessions = yield* Sessions
      yield* sessions.get(id)
      assert.strictEqual(server.requests.length, 3)
    }).pipe(Effect.provide(layer()))
  )
})

describe("Sessions.untilTerminal", () => {
  it.live("waits until every task is finished, failed or stopped, and not for an unknown status", () =>
    Effect.gen(function* () {
      const server = yield* service(
        session("started", "created", "created"),
        session("finished", "failed", "pondering"),
        session("finished", "failed", "stopped")
      )
      const sessions = yield* Sessions
      // the first poll of the schedule alone would come after an hour
      const schedule = PollSchedule.withFirst(PollSchedule.every("1 millis"), "1 hour")
      const view = yield* Effect.provideService(sessions.untilTerminal(id), PollSchedule.Current, schedule)
      assert.deepStrictEqual(
        view.tasks.map((task) => task.status),
        ["finished", "failed", "stopped"]
      )
      assert.strictEqual(server.requests.length, 3)
    }).pipe(Effect.provide(layer()))
  )

  it.live("polls first without a delay, whatever the schedule", () =>
    Effect.gen(function* () {
      const server = yield* service(session("finished"))
      const sessions = yield* Sessions
      const schedule = PollSchedule.every("1 hour")
      yield* sessions.untilTerminal(id, { schedule })
      yield* sessions.watch(id, { schedule }).pipe(Stream.runDrain)
      assert.strictEqual(server.requests.length, 2)
    }).pipe(Effect.provide(layer()))
  )

  it.live("waits for a session without tasks until it's stopped", () =>
    Effect.gen(function* () {
      const stopped = { json: { ...session().json, status: "stopped" } }
      const server = yield* service(session(), session(), stopped)
      const sessions = yield* Sessions
      assert.strictEqual((yield* sessions.untilTerminal(id)).status, "stopped")
      assert.strictEqual(server.requests.length, 3)
    }).pipe(Effect.provide(layer()))
  )

  it.live("survives an outage longer than a call's retries", () =>
    Effect.gen(function* () {
      const cut: Answer = (response) => response.destroy()
      const server = yield* service(...Array.from({ length: 9 }, () => cut), session("finished"))
      const sessions = yield* Sessions
      yield* sessions.untilTerminal(id)
      assert.strictEqual(server.requests.length, 10)
    }).pipe(Effect.provide(layer()))
  )

  it.live("fails at its deadline with the session's id and the last statuses", () =>
    Effect.gen(function* () {
      yield* service(session("finished", "started"))
      const sessions = yield* Sessions
      const error = yield* Effect.flip(sessions.untilTerminal(id, { timeout: "30 millis" }))
      if (error._tag !== "WaitTimeoutError") return assert.fail(error.message)
      assert.deepStrictEqual([error.kind, error.id, error.lastStatus], ["session", id, "active, finished, started"])
    }).pipe(Effect.provide(layer()))
  )

  it.live("is interrupted at once, and closes the poll in flight", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<Promise<unknown>>()
      yield* service((response) => void Deferred.doneUnsafe(arrived, Exit.succeed(once(response, "close"))))
      const sessions = yield* Sessions
      const fiber = yield* Effect.forkChild(sessions.untilTerminal(id))
      const closed = yield* Deferred.await(arrived)
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => closed)
    }).pipe(Effect.provide(layer()))
  )
})

describe("Sessions.watch", () => {
  it.live("shares the poll loop and emits the session whenever a status has changed", () =>
    Effect.gen(function* () {
      const server = yield* service(
        session("started", "created"),
        session("started", "created"),
        session("finished", "started"),
        session("finished", "finished")
      )
      const sessions = yield* Sessions
      const waits = Array.from({ length: 50 }, () => sessions.untilTerminal(id))
      const { seen } = yield* Effect.all(
        { seen: Stream.runCollect(sessions.watch(id)), waits: Effect.all(waits, { concurrency: "unbounded" }) },
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        seen.map(({ tasks }) => tasks.map(({ status }) => status)),
        [
          ["started", "created"],
          ["finished", "started"],
          ["finished", "finished"]
        ]
      )
      assert.strictEqual(server.requests.length, 4)
    }).pipe(Effect.provide(layer()))
  )
})
