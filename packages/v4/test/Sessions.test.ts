import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Runs, Sessions } from "../src/index.ts"
import { layer } from "./client.ts"
import { ScriptedServer } from "@webagent/scripted-server"

describe("Sessions.queue", () => {
  it.live("sends the message, for the next turn unless told otherwise", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status: 201, json: { id: "m-1", runId: "r-2", later: true } })
      const sessions = yield* Sessions
      assert.deepStrictEqual(yield* sessions.queue("s/1", { text: "And June?" }), {
        id: "m-1",
        runId: "r-2",
        later: true
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

  it.live.each([200, 201, 202, 204])("accepts %i without a body: its answer is not described", (status) =>
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
  ] as const)("%i is a %s", ([status, tag]) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status, json: {} })
      const sessions = yield* Sessions
      assert.strictEqual((yield* Effect.flip(sessions.queue("s-1", { text: "t" })))._tag, tag)
      assert.strictEqual(server.requests.length, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.live("a 404 of the run that the message became is forgiven, as that of a run just created", () =>
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
