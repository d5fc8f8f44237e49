import { assert, describe, it } from "@effect/vitest"
import { rejection, sent } from "@webagent/scripted-server/Promises"
import { WaitTimeoutError } from "@webagent/v4/promise"
import { inspect } from "node:util"
import { firstAttempt, isSettledAtOnce, names, settled, sleep, withAgent } from "./stage.ts"

const status = "GET /runs/r-1/status"

for (const transport of names) {
  describe(`a wait over ${transport}`, () => {
    it.live(
      "ends at its own deadline although it joined a hanging poll",
      // nothing else ends the poll
      withAgent(transport, { timeouts: { headers: "5 minutes", total: "5 minutes" } }, async (agent, server) => {
        server.script = () => () => undefined
        const patient = agent.runs.untilTerminal("r-1", { timeout: "1 minute" })
        void settled(patient)
        while (server.requests.length === 0) await sleep(5)
        // the poll in flight at its deadline has 5 seconds
        const error = await rejection(agent.runs.untilTerminal("r-1", { timeout: 500 }))
        assert.instanceOf(error, WaitTimeoutError)
        assert.isFalse(await isSettledAtOnce(patient))
        await agent.close()
        await settled(patient)
      })
    )

    it.live(
      "ends at its own deadline although it joined a poll that must wait for Retry-After",
      withAgent(transport, {}, async (agent, server) => {
        server.script = () => ({ status: 503, headers: { "retry-after": "20" } })
        const patient = settled(agent.runs.untilTerminal("r-1", { timeout: "1 minute" }))
        while (server.requests.length === 0) await sleep(5)
        const error = await rejection(agent.runs.untilTerminal("r-1", { timeout: 500 }))
        assert.instanceOf(error, WaitTimeoutError)
        // after 20 seconds there would be another poll
        assert.deepStrictEqual(sent(server), [status])
        await agent.close()
        await patient
      })
    )

    it.live(
      "continues with its own request id when the polling wait has ended",
      withAgent(transport, {}, async (agent, server) => {
        server.script = () => ({ json: { status: "running" } })
        const controller = new AbortController()
        const { signal } = controller
        const first = settled(agent.runs.untilTerminal("r-1", { every: 50, requestId: "first", signal }))
        while (server.requests.length < 2) await sleep(5)
        const second = settled(agent.runs.untilTerminal("r-1", { every: 50, requestId: "second" }))
        controller.abort()
        await first
        const left = server.requests.length
        while (server.requests.length < left + 3) await sleep(5)
        server.script = () => ({ json: { id: "r-1", status: "completed" } })
        assert.strictEqual((await second)?.status, "fulfilled")
        const ids = server.requests.map(({ headers }) => headers["x-request-id"])
        assert.deepStrictEqual(new Set(ids.slice(0, 2)), new Set(["first"]))
        // the first poll after that may have left before the abort
        assert.deepStrictEqual(new Set(ids.slice(left + 1)), new Set(["second"]))
      })
    )

    it.live(
      "has its own error, with the line of its own call",
      withAgent(transport, {}, async (agent, server) => {
        server.script = (_, count) =>
          count < 2 ? { json: { status: "running" } } : { status: 401, json: { detail: "Key was revoked" } }
        const errors = await Promise.all([first(agent), second(agent)])
        assert.notStrictEqual(errors[0], errors[1])
        for (const [index, name] of ["first", "second"].entries()) {
          const error = errors[index] as Error
          assert.strictEqual(error.name, "UnauthorizedError")
          assert.include(error.message, "Key was revoked")
          assert.match(error.stack?.split("\n")[1] ?? "", new RegExp(`${name} .*Waits\\.test\\.ts`, "u"))
          assert.include(inspect(error), "Key was revoked")
        }
      })
    )

    it.live(
      "isn't ended or cancelled by a gateway's 404 or 401 between two responses",
      withAgent(transport, {}, async (agent, server) => {
        const foreign = [
          { status: 404, json: { message: "no Route matched with those values" } },
          { status: 401, text: "<html>Sign in</html>" },
          { status: 404, text: "<html>404</html>" }
        ]
        server.script = ({ method, url }, count) => {
          if (method === "POST") return { status: 201, json: { id: "r-1" } }
          if (!url.endsWith("/status")) return { json: { id: "r-1", status: "completed", result: "found" } }
          return count === 2
            ? { json: { status: "running" } }
            : (foreign[count - 3] ?? { json: { status: "completed" } })
        }
        const cancelled: Array<string> = []
        const run = await agent.runs.createAndWait(
          { task: "t" },
          { first: 0, every: 10, cancel: ({ id }) => void cancelled.push(id) }
        )
        assert.deepStrictEqual([run.result, cancelled], ["found", []])
      })
    )

    it.live("polls once more at its deadline if the service asked it to wait for a year", () => {
      const { hooks, over } = firstAttempt()
      return withAgent(transport, { hooks }, async (agent, server) => {
        server.script = (_, count) =>
          count === 1
            ? { status: 503, headers: { "retry-after": "31536000" } }
            : { json: { id: "r-1", status: "completed", result: 1 } }
        const patient = settled(agent.runs.untilTerminal("r-1", { timeout: "10 minutes" }))
        await over
        const run = await agent.runs.untilTerminal("r-1", { timeout: 400 })
        assert.strictEqual(run.result, 1)
        assert.strictEqual((await patient).status, "fulfilled")
      })()
    })

    it.live(
      "retries a last poll that failed at the deadline",
      withAgent(transport, {}, async (agent, server) => {
        server.script = (_, count) =>
          count < 3 ? { status: 503 } : { json: { id: "r-1", status: "completed", result: 1 } }
        const run = await agent.runs.untilTerminal("r-1", { first: 100, timeout: 100 })
        assert.strictEqual(run.result, 1)
      })
    )
  })
}

type Agent = Parameters<Parameters<typeof withAgent>[2]>[0]

async function first(agent: Agent) {
  return rejection(agent.runs.untilTerminal("r-1", { every: 30 }))
}

async function second(agent: Agent) {
  return rejection(agent.runs.untilTerminal("r-1", { every: 30 }))
}
