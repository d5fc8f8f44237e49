import { assert, describe, it } from "@effect/vitest"
import { type Answer, unreachable, write } from "@webagent/scripted-server"
import { rejection, sent } from "@webagent/scripted-server/Promises"
import { CreateOutcomeUnknown, TooManyRequestsError, type WebAgentOptions } from "@webagent/v4/promise"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { ServerResponse } from "node:http"
import { firstAttempt, isSettledAtOnce, names, settled, sleep, withAgent } from "./stage.ts"

const made = { status: 201, json: { id: "b-1", cdpUrl: "ws://a.example" } }

for (const transport of names) {
  describe(`a create over ${transport}`, () => {
    for (const way of ["create", "use"] as const) {
      it.live(
        `browsers.${way} doesn't connect after it was aborted while no server was listening`,
        withAgent(transport, { baseUrl: unreachable }, async (agent) => {
          const connections: Array<unknown> = []
          const count = (connection: unknown) => void connections.push(connection)
          subscribe("net.client.socket", count)
          const controller = new AbortController()
          const { signal } = controller
          const doing =
            way === "create" ? agent.browsers.create({}, { signal }) : agent.browsers.use({}, () => 1, { signal })
          void settled(doing)
          while (connections.length === 0) await sleep(5)
          controller.abort(new Error("enough"))
          assert.isTrue(await isSettledAtOnce(doing))
          const before = connections.length
          await sleep(2500)
          unsubscribe("net.client.socket", count)
          assert.lengthOf(connections, before)
        })
      )
    }

    it.live("browsers.use sends nothing after it was aborted between two attempts, and ends immediately", () => {
      const { hooks, over } = firstAttempt()
      return withAgent(transport, { target: { idempotency: "honoured" }, hooks }, async (agent, server) => {
        server.script = () => ({ status: 429, headers: { "retry-after": "1" }, json: { detail: "later" } })
        const controller = new AbortController()
        const using = agent.browsers.use({}, () => 1, { signal: controller.signal })
        void settled(using)
        await over
        controller.abort(new Error("enough"))
        assert.isTrue(await isSettledAtOnce(using))
        await sleep(2200)
        assert.deepStrictEqual(sent(server), ["POST /browsers"])
      })()
    })

    it.live(
      "browsers.create stops the browser as soon as its id is known if it was aborted in flight",
      withAgent(transport, {}, async (agent, server) => {
        const created = Promise.withResolvers<ServerResponse>()
        server.script = ({ method }) => (method === "POST" ? created.resolve : { json: {} })
        const controller = new AbortController()
        const creating = rejection(agent.browsers.create({}, { signal: controller.signal }))
        const response = await created.promise
        controller.abort(new Error("enough"))
        write(response, made)
        assert.strictEqual(String(await creating), "Error: enough")
        await agent.close()
        assert.deepStrictEqual(sent(server), ["POST /browsers", "PATCH /browsers/b-1"])
      })
    )

    it.live("createAndWait with cancel sends and cancels nothing after it was aborted between two attempts", () => {
      const { hooks, over } = firstAttempt()
      return withAgent(transport, { target: { refusals: "before-acting" }, hooks }, async (agent, server) => {
        server.script = () => ({ status: 429, headers: { "retry-after": "1" }, json: { detail: "later" } })
        const controller = new AbortController()
        const cancelled: Array<string> = []
        const ended = settled(
          agent.runs.createAndWait(
            { task: "t" },
            { signal: controller.signal, cancel: ({ id }) => void cancelled.push(id) }
          )
        )
        await over
        controller.abort(new Error("enough"))
        await ended
        await agent.close()
        await sleep(1500)
        assert.deepStrictEqual([sent(server), cancelled], [["POST /runs"], []])
      })()
    })

    it.live("createAndWait names the run in a warning if it was aborted while the ledger was being written", () => {
      const begun = Promise.withResolvers<void>()
      const noted = Promise.withResolvers<void>()
      const ledger: WebAgentOptions["ledger"] = async ({ _tag }) => {
        if (_tag !== "opened") return
        begun.resolve()
        await noted.promise
      }
      return withAgent(transport, { ledger }, async (agent, server, log) => {
        server.script = ({ method }) =>
          method === "POST" ? { status: 201, json: { id: "r-77" } } : { json: { status: "running" } }
        const controller = new AbortController()
        const waiting = rejection(agent.runs.createAndWait({ task: "t" }, { signal: controller.signal }))
        await begun.promise
        controller.abort(new Error("enough"))
        noted.resolve()
        await waiting
        await agent.close()
        assert.isTrue(
          log.some((line) => line.startsWith("warn") && line.includes("r-77")),
          log.join("\n")
        )
      })()
    })

    it.live(
      "that is aborted in flight logs its key, because the run may have been made",
      withAgent(transport, {}, async (agent, server, log) => {
        server.script = () => () => undefined
        const controller = new AbortController()
        const creating = rejection(
          agent.runs.create({ task: "t" }, { signal: controller.signal, idempotencyKey: "order-7" })
        )
        while (server.requests.length === 0) await sleep(5)
        controller.abort(new Error("enough"))
        await creating
        await agent.close()
        assert.isTrue(
          log.some((line) => line.startsWith("warn The run may have been created") && line.includes('"order-7"')),
          log.join("\n")
        )
      })
    )

    it.live(
      "that gets a 421 is sent once",
      withAgent(transport, {}, async (agent, server) => {
        server.script = () => ({ status: 421, text: "another host" })
        const error = await rejection(agent.runs.create({ task: "Å" }))
        assert.include(String(error), "status 421")
        assert.deepStrictEqual(sent(server), ["POST /runs"])
        assert.deepStrictEqual(JSON.parse(server.requests[0]?.body ?? ""), { task: "Å" })
        assert.strictEqual(server.requests[0]?.headers["content-length"], "13")
      })
    )

    const unclear: ReadonlyArray<readonly [string, Answer]> = [
      ["a page", { status: 200, headers: { "content-type": "text/html" }, text: "<html>Sign in</html>" }],
      ["204", { status: 204 }],
      ["truncated JSON", { status: 201, text: '{"id":"r-' }],
      [
        "a body that ends early",
        (response) => void response.writeHead(201, { "content-length": 50 }).write("{", () => response.destroy())
      ],
      ["502", { status: 502, text: "<html>Bad gateway</html>" }]
    ]
    for (const [name, answer] of unclear) {
      it.live(
        `that gets ${name} is a CreateOutcomeUnknown error with its key, its phase and advice`,
        withAgent(transport, {}, async (agent, server) => {
          server.script = () => answer
          const error = await rejection(agent.runs.create({ task: "t" }, { idempotencyKey: "order-7" }))
          assert.instanceOf(error, CreateOutcomeUnknown)
          assert.deepStrictEqual([error.key, error.phase], ["order-7", name.includes("early") ? "reading" : "answered"])
          assert.include(error.message, "Look for it at the service before you create another")
          assert.include(error.message, '"order-7"')
          assert.strictEqual(error.message.includes("\n"), false)
          assert.strictEqual(server.requests.length, 1)
        })
      )
    }

    const refusal: Answer = { status: 429, headers: { "retry-after": "7" }, json: { detail: "slow" } }

    it.live(
      "that gets a 429 is a refusal, with its key and its delay",
      withAgent(transport, {}, async (agent, server) => {
        server.script = () => refusal
        const error = await rejection(agent.runs.create({ task: "t" }, { idempotencyKey: "order-7" }))
        assert.instanceOf(error, TooManyRequestsError)
        assert.deepStrictEqual([error.key, error.retryAfter_ms], ["order-7", 7000])
        assert.strictEqual(server.requests.length, 1)
      })
    )

    it.live(
      "that gets a 429 may have been carried out by a service that acts before it refuses",
      withAgent(transport, { target: { refusals: "after-acting" } }, async (agent, server) => {
        server.script = () => refusal
        const error = await rejection(agent.runs.create({ task: "t" }, { idempotencyKey: "order-7" }))
        assert.instanceOf(error, CreateOutcomeUnknown)
        assert.deepStrictEqual([error.key, error.phase], ["order-7", "answered"])
      })
    )

    it.live(
      "whose ledger never responds is not sent, and doesn't delay a close",
      withAgent(transport, { ledger: () => new Promise<void>(() => undefined) }, async (agent, server) => {
        const creating = rejection(agent.runs.create({ task: "t" }))
        await sleep(50)
        assert.isTrue(await isSettledAtOnce(agent.close()))
        await creating
        assert.deepStrictEqual(sent(server), [])
      })
    )
  })
}
