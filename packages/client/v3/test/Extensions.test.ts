import { assert, describe, it } from "@effect/vitest"
import type { LedgerEntry } from "@webagent/core"
import type { ScriptedServer } from "@webagent/scripted-server"
import { agentTests, rejection, sent } from "@webagent/scripted-server/Promises"
import * as Schema from "effect/Schema"
import {
  ConflictError,
  OperationUnavailableError,
  SessionNotFoundError,
  WebAgent,
  type WebAgentOptions
} from "../src/promise/index.ts"

const withAgent = agentTests(WebAgent, (baseUrl): WebAgentOptions => ({ baseUrl, apiKey: "wak_canary" }))

const fast = { first: 0, every: 2 } as const

/** A service whose session runs until it's stopped. */
const endless = (server: ScriptedServer["Service"]) => {
  let status = "running"
  server.script = ({ url }) => {
    if (url.endsWith("/stop")) status = "stopped"
    return { json: { id: "s-1", status } }
  }
}

describe("sessions", () => {
  it.live(
    "are listed page by page until all were read",
    withAgent(async (agent, server) => {
      server.script = ({ url }) =>
        url.includes("page=2")
          ? { json: { sessions: [{ id: "s-3" }], total: 3, page: 2, pageSize: 2 } }
          : { json: { sessions: [{ id: "s-1" }, { id: "s-2" }], total: 3, page: 1, pageSize: 2 } }
      const ids: Array<string> = []
      for await (const { id } of agent.sessions.list({ page_size: 2 })) ids.push(id)
      assert.deepStrictEqual(ids, ["s-1", "s-2", "s-3"])
      assert.deepStrictEqual(sent(server), ["GET /sessions?page_size=2", "GET /sessions?page_size=2&page=2"])
    })
  )

  it.live(
    "are stopped, deleted, and read with their messages",
    withAgent(async (agent, server) => {
      server.script = ({ method, url }) =>
        method === "DELETE"
          ? { status: 204 }
          : { json: url.includes("/messages") ? { messages: [], hasMore: false } : { id: "s-1", status: "stopped" } }
      assert.strictEqual((await agent.sessions.stop("s-1", { strategy: "task" })).status, "stopped")
      assert.isUndefined(await agent.sessions.delete("s-1"))
      assert.isFalse((await agent.sessions.messages("s-1", { after: "m-1", limit: 5, retries: 0 })).hasMore)
      assert.deepStrictEqual(sent(server), [
        "POST /sessions/s-1/stop",
        "DELETE /sessions/s-1",
        "GET /sessions/s-1/messages?after=m-1&limit=5"
      ])
      server.script = () => ({ status: 405 })
      assert.instanceOf(await rejection(agent.sessions.stop("s-1")), OperationUnavailableError)
    })
  )

  it.live("are closed in the ledger when they're deleted", () => {
    const closed: Array<string> = []
    return withAgent(
      async (agent, server) => {
        server.script = ({ method }) =>
          method === "DELETE" ? { status: 409, json: { detail: "The agent runs" } } : { json: { id: "s-1" } }
        await agent.sessions.create({ task: "t" })
        assert.instanceOf(await rejection(agent.sessions.delete("s-1")), ConflictError)
        assert.deepStrictEqual(closed, [])
        server.script = () => ({ status: 204 })
        await agent.sessions.delete("s-1")
        assert.deepStrictEqual(closed, ["session s-1"])
        // a 404 is believed at once, although the session was created a moment ago
        server.script = () => ({ status: 404, json: { detail: "Session not found" } })
        const before = sent(server).length
        assert.instanceOf(await rejection(agent.sessions.get("s-1")), SessionNotFoundError)
        assert.lengthOf(sent(server), before + 1)
      },
      { ledger: (entry: LedgerEntry) => void (entry._tag === "closed" && closed.push(`${entry.kind} ${entry.id}`)) }
    )()
  })

  it.live(
    "are stopped with onEnd when their wait ends first, and report each status",
    withAgent(async (agent, server) => {
      endless(server)
      const seen: Array<string | undefined> = []
      const onStatus = ({ status }: { readonly status?: string }) => void seen.push(status)
      const options = { ...fast, timeout: "30 millis", onEnd: "cancel", onStatus } as const
      assert.strictEqual((await agent.sessions.createAndWait({ task: "t" }, options)).status, "stopped")
      assert.deepStrictEqual(seen, ["running", "stopped"])
      endless(server)
      const { status } = await agent.sessions.untilTerminal("s-1", { ...fast, timeout: "20 millis", onEnd: "cancel" })
      assert.strictEqual(status, "stopped")
      endless(server)
      const late = await rejection(
        agent.sessions.createAndWait({ task: "t" }, { ...options, result: Schema.toStandardSchemaV1(Schema.String) })
      )
      assert.deepInclude(late, { _tag: "WaitTimeoutError", id: "s-1", isCancelled: true })
    })
  )
})
