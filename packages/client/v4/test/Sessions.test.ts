import { assert, describe, it } from "@effect/vitest"
import { LedgerMemory, Ledger } from "@webagent/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { type FollowUpError, Runs, Sessions } from "../src/index.ts"
import { layer } from "./client.ts"
import { warned } from "./virtual.ts"
import { ScriptedServer } from "@webagent/scripted-server"

describe("Sessions.queue", () => {
  it.live("sends the message, by default for the next turn", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status: 201, json: { id: "m-1", runId: "r-2", later: true } })
      const sessions = yield* Sessions
      assert.deepStrictEqual<unknown>(yield* sessions.queue("s/1", { text: "And June?" }), {
        id: "m-1",
        runId: "r-2",
        raw: { later: true }
      })
      yield* sessions.queue("s/1", { text: "Stop that", interrupt: true })
      assert.deepStrictEqual(
        server.requests.map(({ body, method, url }) => [method, url, JSON.parse(body)]),
        [
          ["POST", "/api/v4/sessions/s%2F1/queue", { text: "And June?", interrupt: false }],
          ["POST", "/api/v4/sessions/s%2F1/queue", { text: "Stop that", interrupt: true }]
        ]
      )
    }).pipe(Effect.provide(layer()))
  )

  it.live.each([200, 201, 202, 204])("accepts %i without a body", (status) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status })
      const sessions = yield* Sessions
      assert.deepStrictEqual(yield* sessions.queue("s-1", { text: "t" }), {})
    }).pipe(Effect.provide(layer()))
  )

  it.live.each([
    [404, "SessionNotFoundError"],
    [409, "ConflictError"],
    [422, "HTTPValidationError"]
  ] as const)("reports a %i as a %s", ([status, tag]) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status, json: {} })
      const sessions = yield* Sessions
      assert.strictEqual((yield* Effect.flip(sessions.queue("s-1", { text: "t" })))._tag, tag)
      assert.strictEqual(server.requests.length, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.live("retries a 404 of the run that the message became, as for a new run", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = ({ method, url }, count) =>
        method === "POST"
          ? { json: { id: "m-1", runId: "r-2" } }
          : url.endsWith("/status") && count < 3
            ? { status: 404, json: {} }
            : { json: { id: "r-2", status: "completed", result: 42 } }
      const [runs, sessions] = [yield* Runs, yield* Sessions]
      const { runId } = yield* sessions.queue("s-1", { text: "And June?" })
      assert.strictEqual((yield* runs.untilTerminal(runId ?? "")).result, 42)
      assert.strictEqual(server.requests.length, 4)
    }).pipe(Effect.provide(layer()))
  )

  it.live("is sent once", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => (response) => response.destroy()
      const sessions = yield* Sessions
      yield* Effect.flip(sessions.queue("s-1", { text: "t" }))
      assert.strictEqual(server.requests.length, 1)
    }).pipe(Effect.provide(layer()))
  )
})

/** A service whose messages become the run r-2, which answers one status look-up after the other, the last for ever. */
const service = (...statuses: ReadonlyArray<string>) =>
  Effect.map(ScriptedServer, (server) => {
    let looks = 0
    server.script = ({ method, url }) => {
      if (method === "POST") return { status: 201, json: { id: "m-1", runId: "r-2", status: "pending" } }
      const status = statuses[Math.min(looks++, statuses.length - 1)]
      return {
        json: url.endsWith("/status") ? { status } : { id: "r-2", status: statuses.at(-1), result: { total: 42 } }
      }
    }
    return { server, looks: () => looks }
  })

describe("Sessions.followUp and Sessions.interrupt", () => {
  it.live("return the run that the message becomes, and send its key", () =>
    Effect.gen(function* () {
      const { server } = yield* service()
      const sessions = yield* Sessions
      const queued = { id: "m-1", runId: "r-2", status: "pending" } as const
      const expected = { id: "r-2", sessionId: "s-1", queued }
      assert.deepStrictEqual(yield* sessions.followUp("s-1", "And June?", { idempotencyKey: "june" }), expected)
      assert.deepStrictEqual(yield* sessions.interrupt("s-1", "Stop that", { idempotencyKey: "stop" }), expected)
      assert.deepStrictEqual(
        server.requests.map(({ body, headers }) => [JSON.parse(body), headers["idempotency-key"]]),
        [
          [{ text: "And June?", interrupt: false }, "june"],
          [{ text: "Stop that", interrupt: true }, "stop"]
        ]
      )
    }).pipe(Effect.provide(layer()))
  )

  it.live.each([{}, { id: "m-1", runId: null }])("fail with the response if it names no run: %j", (json) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = ({ method }) => (method === "POST" ? { status: 201, json } : { status: 404, json: {} })
      const sessions = yield* Sessions
      const asks: ReadonlyArray<Effect.Effect<unknown, FollowUpError>> = [
        sessions.followUp("s-1", "And June?"),
        sessions.interrupt("s-1", "And June?"),
        sessions.followUpAndWait("s-1", "And June?")
      ]
      for (const ask of asks) {
        const error = yield* Effect.flip(ask)
        if (error._tag !== "NextRunUnknownError") return assert.fail(error.message)
        assert.deepStrictEqual([error.sessionId, error.queued], ["s-1", json])
        assert.match(error.message, /^The message for session s-1 was queued, but .* Do not send the message again\.$/u)
      }
      assert.lengthOf(
        server.requests.filter(({ method }) => method === "POST"),
        3
      )
      const ledger = yield* Ledger.Current
      assert.deepStrictEqual(
        (yield* ledger.open).map(({ kind, state }) => [kind, state]),
        Array.from({ length: 3 }, () => ["run", "opened"])
      )
    }).pipe(Effect.provide(layer().pipe(Layer.provideMerge(LedgerMemory.layer))))
  )
})

describe("Sessions.followUpAndWait", () => {
  it.live("waits for the run, decodes its result, and closes it in the ledger", () =>
    Effect.gen(function* () {
      const { server } = yield* service("queued", "running", "completed")
      const sessions = yield* Sessions
      const result = Schema.Struct({ total: Schema.Number })
      const run = yield* sessions.followUpAndWait("s-1", "And June?", {
        result,
        interrupt: true,
        idempotencyKey: "june"
      })
      assert.strictEqual(run.result.total, 42)
      assert.deepStrictEqual(JSON.parse(server.requests[0]?.body ?? ""), { text: "And June?", interrupt: true })
      assert.strictEqual(server.requests[0]?.headers["idempotency-key"], "june")
      const ledger = yield* Ledger.Current
      assert.deepStrictEqual(yield* ledger.open, [])
    }).pipe(Effect.provide(layer().pipe(Layer.provideMerge(LedgerMemory.layer))))
  )

  it.live("returns a failed run, unless it needs a result", () =>
    Effect.gen(function* () {
      yield* service("failed")
      const sessions = yield* Sessions
      assert.strictEqual((yield* sessions.followUpAndWait("s-1", "And June?")).status, "failed")
      const error = yield* Effect.flip(sessions.followUpAndWait("s-1", "And June?", { result: Schema.String }))
      assert.strictEqual(error._tag, "RunFailedError")
    }).pipe(Effect.provide(layer()))
  )

  it.live("can be canceled at the timeout, including by its session", () =>
    Effect.gen(function* () {
      yield* service("running")
      const sessions = yield* Sessions
      const asked: Array<unknown> = []
      const error = yield* Effect.flip(
        sessions.followUpAndWait("s-1", "And June?", {
          timeout: "20 millis",
          cancel: (run, why) =>
            Effect.andThen(
              Effect.sync(() => asked.push(run, why)),
              Effect.fail("not possible")
            )
        })
      )
      assert.strictEqual(error._tag, "WaitTimeoutError")
      assert.deepStrictEqual(asked, [{ id: "r-2", sessionId: "s-1" }, "timeout"])
    }).pipe(Effect.provide(layer()), Effect.provide(warned().layerLogger))
  )

  it.live("shares its poll loop with the waits of Runs", () =>
    Effect.gen(function* () {
      const { server } = yield* service("running", "running", "running", "completed")
      const [runs, sessions] = [yield* Runs, yield* Sessions]
      const waits = [sessions.followUpAndWait("s-1", "And June?"), runs.untilTerminal("r-2")]
      const [june, same] = yield* Effect.all(waits, { concurrency: 2 })
      assert.deepStrictEqual(june, same)
      assert.lengthOf(
        server.requests.filter(({ url }) => url.endsWith("/status")),
        4
      )
    }).pipe(Effect.provide(layer()))
  )
})
