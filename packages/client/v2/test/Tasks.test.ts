import { assert, describe, it } from "@effect/vitest"
import type { LedgerEntry } from "@webagent/core"
import { agentTests, rejection, sent } from "@webagent/scripted-server/Promises"
import {
  CreateOutcomeUnknown,
  OperationUnavailableError,
  ShareNotFoundError,
  TaskNotFoundError,
  WaitTimeoutError,
  WebAgent,
  type WebAgentOptions
} from "../src/promise/index.ts"

const withAgent = agentTests(WebAgent, (baseUrl): WebAgentOptions => ({ baseUrl, apiKey: "wak_canary" }))

const id = "6f9619ff-8b86-4d11-b42d-00c04fc964ff"

const item = {
  id,
  sessionId: id,
  llm: "m",
  task: "t",
  status: "finished",
  createdAt: "2026-01-01T00:00:00"
}

describe("tasks", () => {
  it.live(
    "are created once, read, listed page by page, and stopped",
    withAgent(async (agent, server) => {
      server.script = ({ method, url }) => {
        if (method === "POST") return { status: 202, json: { id, sessionId: id } }
        if (url.endsWith("/status")) return { json: { id, status: "started" } }
        if (url.includes("?"))
          return { json: { items: url.includes("Number=2") ? [item] : [item, item], totalItems: 3 } }
        return { json: { ...item, steps: [] } }
      }
      assert.strictEqual((await agent.tasks.create({ task: "t" }, { idempotencyKey: "k" })).sessionId, id)
      assert.strictEqual(server.requests[0]?.headers["idempotency-key"], "k")
      assert.strictEqual((await agent.tasks.status(id)).status, "started")
      assert.strictEqual((await agent.tasks.get(id)).task, "t")
      let listed = 0
      for await (const _ of agent.tasks.list({ pageSize: 2 })) listed++
      assert.strictEqual(listed, 3)
      await agent.tasks.stop(id)
      assert.deepStrictEqual(sent(server), [
        "POST /tasks",
        `GET /tasks/${id}/status`,
        `GET /tasks/${id}`,
        "GET /tasks?pageSize=2",
        "GET /tasks?pageSize=2&pageNumber=2",
        `PATCH /tasks/${id}`
      ])
    })
  )

  it.live(
    "fail for an unknown id, a missing operation and a lost create, and are stopped twice without an error",
    withAgent(async (agent, server) => {
      server.script = () => ({ status: 404, json: { detail: "Task not found" } })
      assert.instanceOf(await rejection(agent.tasks.get(id)), TaskNotFoundError)
      server.script = () => ({ status: 404, json: { detail: "Not Found" } })
      assert.instanceOf(await rejection(agent.tasks.create({ task: "t" })), OperationUnavailableError)
      server.script = () => (response) => void response.destroy()
      assert.instanceOf(await rejection(agent.tasks.create({ task: "t" })), CreateOutcomeUnknown)
      let stops = 0
      server.script = () => (++stops < 2 ? { status: 503 } : { json: { ...item, steps: [] } })
      await agent.tasks.stop(id)
      assert.strictEqual(stops, 2)
    })
  )
})

describe("sessions", () => {
  it.live(
    "are listed and stopped",
    withAgent(async (agent, server) => {
      const session = { id, status: "active", startedAt: "2026-01-01T00:00:00Z" }
      server.script = ({ method }) =>
        method === "PATCH" ? { json: { ...session, status: "stopped", tasks: [] } } : { json: { items: [session] } }
      for await (const { status } of agent.sessions.list({ filterBy: "active" })) {
        assert.strictEqual(status, "active")
        break
      }
      assert.strictEqual((await agent.sessions.stop(id)).status, "stopped")
      assert.deepStrictEqual(sent(server), ["GET /sessions?filterBy=active", `PATCH /sessions/${id}`])
    })
  )

  it.live(
    "are created, shared and deleted",
    withAgent(async (agent, server) => {
      const share = { shareToken: "t", shareUrl: "https://agents.example.com/share/t" }
      server.script = ({ method, url }) => {
        if (method === "DELETE" || url.endsWith("/purge")) return { status: 204 }
        if (url.endsWith("/public-share")) return { json: share }
        return { json: { id, status: "active", startedAt: "2026-01-01T00:00:00Z" } }
      }
      assert.strictEqual((await agent.sessions.create({ keepAlive: true }, { idempotencyKey: "k" })).id, id)
      assert.strictEqual(server.requests[0]?.headers["idempotency-key"], "k")
      assert.strictEqual((await agent.sessions.share(id)).shareUrl, share.shareUrl)
      assert.strictEqual((await agent.sessions.getShare(id)).shareToken, "t")
      assert.isUndefined(await agent.sessions.unshare(id))
      assert.isUndefined(await agent.sessions.purge(id))
      assert.isUndefined(await agent.sessions.delete(id))
      assert.deepStrictEqual(sent(server), [
        "POST /sessions",
        `POST /sessions/${id}/public-share`,
        `GET /sessions/${id}/public-share`,
        `DELETE /sessions/${id}/public-share`,
        `POST /sessions/${id}/purge`,
        `DELETE /sessions/${id}`
      ])
      server.script = () => ({ status: 404, json: { detail: "Public share not found" } })
      assert.instanceOf(await rejection(agent.sessions.getShare(id)), ShareNotFoundError)
      server.script = () => ({ status: 405 })
      assert.instanceOf(await rejection(agent.sessions.create()), OperationUnavailableError)
    })
  )

  it.live(
    "are stopped with onEnd when their wait ends first",
    withAgent(async (agent, server) => {
      let status = "started"
      let onRead = () => {}
      server.script = ({ method }) => {
        if (method === "PATCH") status = "stopped"
        else onRead()
        const session = { id, status: status === "stopped" ? status : "active", startedAt: "2026-01-01T00:00:00Z" }
        return { json: { ...session, tasks: [{ ...item, status }] } }
      }
      const fast = { first: 0, every: 2, timeout: "20 millis" } as const
      const ended = await agent.sessions.untilTerminal(id, { ...fast, onEnd: "cancel" })
      assert.strictEqual(ended.tasks[0]?.status, "stopped")
      assert.include(sent(server), `PATCH /sessions/${id}`)
      status = "started"
      const before = server.requests.length
      const late = await rejection(agent.sessions.untilTerminal(id, { ...fast, onAbort: "cancel" }))
      assert.instanceOf(late, WaitTimeoutError)
      assert.notInclude(sent(server).slice(before), `PATCH /sessions/${id}`)
      const stop = new AbortController()
      onRead = () => stop.abort()
      const options = { first: 0, every: 2, onAbort: "cancel", signal: stop.signal } as const
      assert.strictEqual(await rejection(agent.sessions.untilTerminal(id, options)), stop.signal.reason)
      await agent.close()
      assert.strictEqual(status, "stopped")
    })
  )

  it.live("aren't in the ledger, because they cost nothing without a task", () => {
    const entries: Array<LedgerEntry> = []
    return withAgent(
      async (agent, server) => {
        server.script = () => ({ json: { id, status: "active", startedAt: "2026-01-01T00:00:00Z" } })
        await agent.sessions.create()
        await agent.tasks.create({ task: "t" })
        assert.deepStrictEqual(
          entries.flatMap((entry) => (entry._tag === "opening" ? [entry.kind] : [])),
          ["task"]
        )
      },
      { ledger: (entry: LedgerEntry) => void entries.push(entry) }
    )()
  })

  it.live.each(["delete", "purge"] as const)("are closed in the ledger by %s, with their tasks", (name) => {
    const closed: Array<string> = []
    return withAgent(
      async (agent, server) => {
        server.script = ({ method, url }) =>
          method === "DELETE" || url.endsWith("/purge") ? { status: 204 } : { json: { id, sessionId: id } }
        await agent.tasks.create({ task: "t" })
        assert.deepStrictEqual(closed, [])
        await agent.sessions[name](id)
        assert.deepStrictEqual(closed, [`task ${id}`])
      },
      { ledger: (entry: LedgerEntry) => void (entry._tag === "closed" && closed.push(`${entry.kind} ${entry.id}`)) }
    )()
  })
})
