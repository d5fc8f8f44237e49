import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { ServerResponse } from "node:http"
import * as Effectful from "../../src/index.ts"
import {
  CreateOutcomeUnknown,
  ResultMismatchError,
  SessionFailedError,
  SessionNotFoundError,
  WaitTimeoutError
} from "../../src/promise/index.ts"
import { rejection, sent } from "@webagent/scripted-server/Promises"
import { withAgent } from "./service.ts"

const fast = { first: 0, every: "2 millis" } as const

/** A service whose session has one status after the other, the last for ever. */
const statuses = (...each: ReadonlyArray<string>) => {
  let reads = 0
  return ({ method }: { readonly method: string }) =>
    method === "POST"
      ? { status: 201, json: { id: "s-1" } }
      : { json: { id: "s-1", status: each[Math.min(reads++, each.length - 1)], result: "done" } }
}

describe("v3 in promises", () => {
  it.live(
    "creates a session, waits until it finishes, and decodes its result",
    withAgent(async (agent, server) => {
      server.script = statuses("created", "running", "idle")
      const options = { ...fast, idempotencyKey: "order-7", result: Schema.toStandardSchemaV1(Schema.String) }
      const session = await agent.sessions.createAndWait({ task: "t", thinkingLevel: "high" }, options)
      assert.strictEqual(session.result.toUpperCase(), "DONE")
      const get = "GET /sessions/s-1"
      assert.deepStrictEqual(sent(server), ["POST /sessions", get, get, get])
      assert.deepStrictEqual(JSON.parse(server.requests[0]?.body ?? ""), { task: "t", thinkingLevel: "high" })
      assert.strictEqual(server.requests[0]?.headers["idempotency-key"], "order-7")
    })
  )

  it.live(
    "creates, reads and watches a session until it finishes",
    withAgent(async (agent, server) => {
      server.script = statuses("created", "running", "running", "error")
      assert.strictEqual((await agent.sessions.create({ task: "t" })).id, "s-1")
      assert.strictEqual((await agent.sessions.get("s-1")).status, "created")
      const seen: Array<unknown> = []
      for await (const { status } of agent.sessions.watch("s-1", fast)) seen.push(status)
      assert.deepStrictEqual(seen, ["running", "error"])
      assert.strictEqual((await agent.sessions.untilTerminal("s-1")).status, "error")
    })
  )

  it.live(
    "rejects with the classes of Effect",
    withAgent(async (agent, server) => {
      server.script = statuses("error")
      const result = Schema.toStandardSchemaV1(Schema.Number)
      assert.instanceOf(await rejection(agent.sessions.untilTerminal("s-1", { result })), SessionFailedError)
      server.script = statuses("idle")
      const mismatch = await rejection(agent.sessions.untilTerminal("s-1", { result }))
      assert.instanceOf(mismatch, ResultMismatchError)
      assert.strictEqual(mismatch.session.result, "done")
      server.script = statuses("running")
      assert.instanceOf(
        await rejection(agent.sessions.untilTerminal("s-1", { ...fast, timeout: 10 })),
        WaitTimeoutError
      )
      server.script = () => ({ status: 404, json: { detail: "Session not found" } })
      const absent = await rejection(agent.sessions.get("s-9"))
      assert.instanceOf(absent, SessionNotFoundError)
      assert.instanceOf(absent, Effectful.SessionNotFoundError)
      server.script = () => (response: ServerResponse) => void response.destroy()
      assert.instanceOf(await rejection(agent.sessions.create({ task: "t" })), CreateOutcomeUnknown)
    })
  )

  it.live(
    "ends a wait at once when its signal is aborted, and cancels its session",
    withAgent(
      async (agent, server) => {
        const controller = new AbortController()
        const cancelled = Promise.withResolvers<string>()
        server.script = (request) => {
          if (request.method === "GET") controller.abort()
          return statuses("running")(request)
        }
        const waiting = agent.sessions.createAndWait(
          { task: "t" },
          { ...fast, signal: controller.signal, cancel: ({ id }, why) => cancelled.resolve(`${id} ${why}`) }
        )
        assert.strictEqual(await rejection(waiting), controller.signal.reason)
        server.script = statuses("stopped")
        assert.strictEqual(await cancelled.promise, "s-1 interrupted")
      },
      { log: () => undefined }
    )
  )

  it.live(
    "shows its address without the key",
    withAgent(async (agent, server) => {
      assert.strictEqual(JSON.stringify(agent), `{"baseUrl":"${server.address}/api/v3"}`)
    })
  )
})
