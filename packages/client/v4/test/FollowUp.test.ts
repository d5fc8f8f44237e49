import { assert, describe, it } from "@effect/vitest"
import { ScriptedServer } from "@webagent/scripted-server"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Sessions } from "../src/index.ts"
import { layer } from "./client.ts"
import { warned } from "./virtual.ts"

type Message = Readonly<Record<string, unknown>>

/** A service whose message has one state after the other, the last forever. Its run is r-2. */
const service = (first: Message, ...later: ReadonlyArray<Message>) =>
  Effect.map(ScriptedServer, (server) => {
    let reads = 0
    let removed = false
    let cancelled = false
    server.script = ({ method, url }) => {
      const path = url.replace("/api/v4", "")
      if (path.endsWith("/queue")) return { status: 201, json: { id: 3, ...first } }
      if (path.includes("/queue/")) {
        removed ||= method === "DELETE"
        const message = removed ? { status: "cancelled", runId: null } : later[Math.min(reads++, later.length - 1)]
        return message === undefined ? { status: 405 } : { json: { id: 3, ...message } }
      }
      cancelled ||= path.endsWith("/cancel")
      return { json: { id: "r-2", status: cancelled ? "cancelled" : "completed", result: 42 } }
    }
    return { server, requests: () => server.requests.map(({ method, url }) => `${method} ${url.slice(7)}`) }
  })

const pending = { runId: null, status: "pending" }

describe("Sessions.followUpAndWait of a pending message", () => {
  it.live("reads the message until it names its run, then waits for the run", () =>
    Effect.gen(function* () {
      const { requests } = yield* service(pending, pending, { runId: "r-2", status: "consumed" })
      const sessions = yield* Sessions
      assert.strictEqual((yield* sessions.followUpAndWait("s-1", "And June?")).result, 42)
      const message = "GET /sessions/s-1/queue/3"
      const run = "GET /runs/r-2"
      assert.deepStrictEqual(requests(), ["POST /sessions/s-1/queue", message, message, `${run}/status`, run])
    }).pipe(Effect.provide(layer()))
  )

  it.live.each(["cancelled", "superseded", "failed"])("fails if the message is %s, because there's no run", (status) =>
    Effect.gen(function* () {
      yield* service(pending, { runId: null, status })
      const sessions = yield* Sessions
      const error = yield* Effect.flip(sessions.followUpAndWait("s-1", "And June?"))
      assert.strictEqual(error.message, `The message for session s-1 becomes no run: its status is ${status}.`)
    }).pipe(Effect.provide(layer()))
  )

  it.live("keeps the response to the message if the service can't read messages", () =>
    Effect.gen(function* () {
      yield* service(pending)
      const sessions = yield* Sessions
      const error = yield* Effect.flip(sessions.followUpAndWait("s-1", "And June?"))
      assert.strictEqual(error._tag === "NextRunUnknownError" && error.queued.status, "pending")
    }).pipe(Effect.provide(layer()))
  )

  it.live("times out with the id of the message, within the one timeout of both waits", () =>
    Effect.gen(function* () {
      yield* service(pending, pending)
      const sessions = yield* Sessions
      const error = yield* Effect.flip(sessions.followUpAndWait("s-1", "And June?", { timeout: "30 millis" }))
      assert.match(error.message, /^message 3 is still "pending" after/u)
    }).pipe(Effect.provide(layer()))
  )

  it.live("removes the message at its timeout with onEnd: cancel, and fails with the timeout", () =>
    Effect.gen(function* () {
      const { requests } = yield* service(pending, pending)
      const sessions = yield* Sessions
      const options = { timeout: "30 millis", onEnd: "cancel" } as const
      const error = yield* Effect.flip(sessions.followUpAndWait("s-1", "And June?", options))
      assert.deepInclude(error, { _tag: "WaitTimeoutError", kind: "message", isCancelled: true })
      assert.include(requests(), "DELETE /sessions/s-1/queue/3")
    }).pipe(Effect.provide(layer()))
  )

  it.live("removes the message when it's interrupted with onAbort: cancel", () => {
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const { requests, server } = yield* service(pending, pending)
      const sessions = yield* Sessions
      const fiber = yield* Effect.forkChild(sessions.followUpAndWait("s-1", "And June?", { onAbort: "cancel" }))
      while (server.requests.length < 3) yield* Effect.sleep("2 millis")
      yield* Fiber.interrupt(fiber)
      assert.include(requests(), "DELETE /sessions/s-1/queue/3")
      assert.deepStrictEqual(warnings, [])
    }).pipe(Effect.provide(layer()), Effect.provide(layerLogger))
  })

  it.live("cancels the run that the message has become if it can't be removed", () =>
    Effect.gen(function* () {
      const { requests, server } = yield* service(pending, pending)
      const script = server.script
      let isGone = false
      server.script = (received, count) => {
        if (received.method === "DELETE") {
          isGone = true
          return { status: 409, json: { detail: "The message has become a run" } }
        }
        return isGone && received.url.includes("/queue/")
          ? { json: { id: 3, runId: "r-2", status: "consumed" } }
          : script(received, count)
      }
      const sessions = yield* Sessions
      yield* Effect.exit(sessions.followUpAndWait("s-1", "And June?", { timeout: "20 millis", onEnd: "cancel" }))
      assert.include(requests(), "POST /runs/r-2/cancel")
    }).pipe(Effect.provide(layer()), Effect.provide(warned().layerLogger))
  )
})
