import { assert, describe, it } from "@effect/vitest"
import { type Answer, ScriptedServer } from "@webagent/scripted-server"
import { rejection, sent } from "@webagent/scripted-server/Promises"
import { CreateOutcomeUnknown, WebAgent } from "@webagent/v4/promise"
import * as Effect from "effect/Effect"
import { createServer, type ServerResponse } from "node:http"
import { isSettledAtOnce, names, settled, sleep, transports, withAgent } from "./stage.ts"

const made = { status: 201, json: { id: "b-1", cdpUrl: "ws://a.example" } }

for (const transport of names) {
  describe(`a create over ${transport}`, () => {
    for (const way of ["create", "use"] as const) {
      it.live(
        `browsers.${way} that is aborted while nothing listens makes nothing once the service is there`,
        withAgent(transport, {}, async (_, server) => {
          const port = await freePort()
          const other = new WebAgent({
            baseUrl: `http://127.0.0.1:${port}`,
            apiKey: "k",
            log: () => undefined,
            ...transports[transport]
          })
          const controller = new AbortController()
          const { signal } = controller
          const doing =
            way === "create" ? other.browsers.create({}, { signal }) : other.browsers.use({}, () => 1, { signal })
          void settled(doing)
          await sleep(60)
          controller.abort(new Error("enough"))
          assert.isTrue(await isSettledAtOnce(doing))
          const seen: Array<string> = []
          const late = createServer((request, response) => {
            seen.push(`${request.method}`)
            response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(made.json))
          })
          await new Promise<void>((resolve) => late.listen(port, "127.0.0.1", resolve))
          await sleep(2500)
          await other.close()
          late.closeAllConnections()
          late.close()
          assert.deepStrictEqual(seen, [])
          assert.deepStrictEqual(sent(server), [])
        })
      )
    }

    it.live(
      "browsers.use that is aborted between two attempts sends nothing more, and is over at once",
      withAgent(transport, { target: { idempotency: "honoured" } }, async (agent, server) => {
        server.script = () => ({ status: 429, headers: { "retry-after": "1" }, json: { detail: "later" } })
        const controller = new AbortController()
        const using = agent.browsers.use({}, () => 1, { signal: controller.signal })
        void settled(using)
        while (server.requests.length === 0) await sleep(5)
        await sleep(50)
        controller.abort(new Error("enough"))
        assert.isTrue(await isSettledAtOnce(using))
        await sleep(2200)
        assert.deepStrictEqual(sent(server), ["POST /browsers"])
      })
    )

    it.live(
      "browsers.create that is aborted in flight is stopped as soon as its id is known",
      withAgent(transport, {}, async (agent, server) => {
        server.script = ({ method }) =>
          method === "POST" ? (response) => void setTimeout(() => answer(response, made), 300) : { json: {} }
        const controller = new AbortController()
        const creating = rejection(agent.browsers.create({}, { signal: controller.signal }))
        while (server.requests.length === 0) await sleep(5)
        controller.abort(new Error("enough"))
        assert.strictEqual(String(await creating), "Error: enough")
        await agent.close()
        assert.deepStrictEqual(sent(server), ["POST /browsers", "PATCH /browsers/b-1"])
      })
    )

    it.live(
      "createAndWait with cancel that is aborted between two attempts sends nothing more, and cancels nothing",
      withAgent(transport, { target: { refusals: "before-acting" } }, async (agent, server) => {
        server.script = () => ({ status: 429, headers: { "retry-after": "1" }, json: { detail: "later" } })
        const controller = new AbortController()
        const cancelled: Array<string> = []
        const ended = settled(
          agent.runs.createAndWait(
            { task: "t" },
            { signal: controller.signal, cancel: ({ id }) => void cancelled.push(id) }
          )
        )
        while (server.requests.length === 0) await sleep(5)
        await sleep(50)
        controller.abort(new Error("enough"))
        await ended
        await agent.close()
        await sleep(1500)
        assert.deepStrictEqual([sent(server), cancelled], [["POST /runs"], []])
      })
    )

    it.live(
      "createAndWait that is aborted while the ledger notes the answer names the run in a warning",
      withAgent(
        transport,
        { ledger: async ({ _tag }) => (_tag === "opened" ? sleep(400) : undefined) },
        async (agent, server, log) => {
          server.script = ({ method }) =>
            method === "POST" ? { status: 201, json: { id: "r-77" } } : { json: { status: "running" } }
          const controller = new AbortController()
          const waiting = rejection(agent.runs.createAndWait({ task: "t" }, { signal: controller.signal }))
          while (server.requests.length === 0) await sleep(5)
          await sleep(100)
          controller.abort(new Error("enough"))
          await waiting
          await agent.close()
          assert.isTrue(
            log.some((line) => line.startsWith("warn") && line.includes("r-77")),
            log.join("\n")
          )
        }
      )
    )

    it.live(
      "that is aborted in flight says with its key that it may have been made",
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
      "is sent once where the answer is 421",
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
      ["JSON that was cut", { status: 201, text: '{"id":"r-' }],
      ["429", { status: 429, headers: { "retry-after": "7" }, json: { detail: "slow" } }],
      [
        "a body that ends early",
        (response) => void response.writeHead(201, { "content-length": 50 }).write("{", () => response.destroy())
      ],
      ["502", { status: 502, text: "<html>Bad gateway</html>" }]
    ]
    for (const [name, answer] of unclear) {
      it.live(
        `that is answered by ${name} is one kind of error, with its key, its phase and what to do`,
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

    it.live(
      "whose ledger never answers is not sent, and holds no close up",
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

const answer = (response: ServerResponse, { json, status }: typeof made) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json))

/** A port where nothing listens yet. */
const freePort = () =>
  Effect.runPromise(
    Effect.provide(
      Effect.map(ScriptedServer, ({ address }) => Number(new URL(address).port)),
      ScriptedServer.layer
    )
  )
