import { assert, describe, it } from "@effect/vitest"
import * as Effectful from "../../src/index.ts"
import { SessionNotFoundError, totalCost, TransportError, WaitTimeoutError } from "../../src/promise/index.ts"
import { rejection, sent } from "@webagent/scripted-server/Promises"
import { withAgent } from "./service.ts"

const id = "6f9619ff-8b86-4d11-b42d-00c04fc964ff"
const fast = { first: 0, every: "2 millis" } as const

const session = (status: string) => ({
  id,
  status: "active",
  startedAt: "2026-05-01T09:30:00Z",
  tasks: [
    {
      id,
      sessionId: id,
      llm: "m",
      task: "t",
      status,
      createdAt: "2026-05-01T09:30:00.123456",
      output: "o",
      cost: "0.2"
    }
  ],
  proxyCost: "0.1"
})

/** A service whose session's task has one status after the other, the last for ever. */
const statuses = (...each: ReadonlyArray<string>) => {
  let reads = 0
  return () => ({ json: session(each[Math.min(reads++, each.length - 1)] ?? "") })
}

describe("v2 in promises", () => {
  it.live(
    "reads a session, and waits until its tasks are terminal",
    withAgent(async (agent, server) => {
      server.script = statuses("created", "started", "finished")
      assert.strictEqual((await agent.sessions.get(id)).tasks[0]?.status, "created")
      const ended = await agent.sessions.untilTerminal(id, fast)
      assert.strictEqual(ended.tasks[0]?.output, "o")
      assert.lengthOf(sent(server), 3)
      assert.deepStrictEqual(totalCost([ended]), { total: "0.3", known: 2, unknown: 0 })
    })
  )

  it.live(
    "watches until the last task is finished",
    withAgent(async (agent, server) => {
      server.script = statuses("created", "created", "started", "failed")
      const seen: Array<unknown> = []
      for await (const { tasks } of agent.sessions.watch(id, fast)) seen.push(tasks[0]?.status)
      assert.deepStrictEqual(seen, ["created", "started", "failed"])
    })
  )

  it.live(
    "rejects with the classes of Effect, and refuses an id that isn't a UUID before anything is sent",
    withAgent(async (agent, server) => {
      server.script = () => ({ status: 404, json: { detail: "Session not found" } })
      const absent = await rejection(agent.sessions.get(id))
      assert.instanceOf(absent, SessionNotFoundError)
      assert.instanceOf(absent, Effectful.SessionNotFoundError)
      server.script = statuses("started")
      assert.instanceOf(await rejection(agent.sessions.untilTerminal(id, { ...fast, timeout: 10 })), WaitTimeoutError)
      const before = server.requests.length
      const invalid = await rejection(agent.sessions.get("5f2e"))
      assert.strictEqual(invalid instanceof TransportError && invalid.reason._tag, "InvalidRequest")
      assert.lengthOf(server.requests, before)
    })
  )

  it.live(
    "ends a wait at once when its signal is aborted",
    withAgent(async (agent, server) => {
      const controller = new AbortController()
      server.script = () => {
        controller.abort()
        return { json: session("started") }
      }
      const waiting = agent.sessions.untilTerminal(id, { every: "1 hour", signal: controller.signal })
      assert.strictEqual(await rejection(waiting), controller.signal.reason)
    })
  )
})
