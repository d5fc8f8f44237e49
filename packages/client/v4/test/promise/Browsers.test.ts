import { assert, describe, it } from "@effect/vitest"
import type { Answer, Received, ScriptedServer } from "@webagent/scripted-server"
import type { ServerResponse } from "node:http"
import { BrowserNotFoundError } from "../../src/promise/index.ts"
import { rejection, sent } from "@webagent/scripted-server/Promises"
import { withAgent } from "./service.ts"

const browser = { id: "b-1", cdpUrl: "ws://127.0.0.1:9/cdp", later: 1 }

const service =
  (stop: Answer = { json: { status: "stopped" } }) =>
  ({ method }: Received): Answer =>
    method === "POST" ? { status: 201, json: browser } : stop

const create = "POST /browsers"
const stop = "PATCH /browsers/b-1"

/** Resolves when the server has been asked `count` times. */
const asked = (server: ScriptedServer["Service"], answer: (request: Received) => Answer, count: number) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.script = (request, so_far) => {
    if (so_far >= count) resolve()
    return answer(request)
  }
  return promise
}

describe("browsers.create", () => {
  it.live(
    "returns a browser that await using stops",
    withAgent(async (agent, server) => {
      server.script = service()
      {
        await using browser = await agent.browsers.create({ proxyCountryCode: "no" })
        assert.deepStrictEqual([browser.id, browser.raw?.["later"]], ["b-1", 1])
        assert.deepStrictEqual(JSON.parse(JSON.stringify(browser)), { ...browser })
        assert.deepStrictEqual(sent(server), [create])
      }
      assert.deepStrictEqual(sent(server), [create, stop])
    })
  )

  it.live(
    "returns a browser that await using stops with retries even if the block throws",
    withAgent(async (agent, server) => {
      let stops = 0
      server.script = (request) => service(++stops < 4 ? { status: 503 } : { json: {} })(request)
      const block = async () => {
        await using _ = await agent.browsers.create()
        throw new Error("no mug")
      }
      assert.strictEqual(String(await rejection(block())), "Error: no mug")
      assert.deepStrictEqual(sent(server), [create, stop, stop, stop])
    })
  )

  it.live(
    "returns a browser that isn't stopped twice",
    withAgent(async (agent, server) => {
      server.script = service()
      {
        await using browser = await agent.browsers.create()
        await agent.browsers.stop(browser.id)
      }
      await agent.close()
      assert.deepStrictEqual(sent(server), [create, stop])
    })
  )

  it.live(
    "returns browsers that are stopped once when the WebAgent is closed",
    withAgent(async (agent, server) => {
      let made = 0
      server.script = ({ method }) =>
        method === "POST" ? { json: { ...browser, id: `b-${++made}` } } : { json: { status: "stopped" } }
      const first = await agent.browsers.create()
      await agent.browsers.create()
      await agent.close()
      assert.deepStrictEqual(sent(server).toSorted(), ["PATCH /browsers/b-1", "PATCH /browsers/b-2", create, create])
      await first[Symbol.asyncDispose]()
      assert.lengthOf(server.requests, 4)
    })
  )

  it.live(
    "rejects at once if it's aborted, and stops its browser",
    withAgent(async (agent, server) => {
      const arrived = Promise.withResolvers<ServerResponse>()
      server.script = service()
      const { script } = server
      server.script = (request, count) =>
        request.method === "POST" ? (response) => arrived.resolve(response) : script(request, count)
      const controller = new AbortController()
      const creating = agent.browsers.create({}, { signal: controller.signal })
      const response = await arrived.promise
      controller.abort()
      assert.strictEqual(await rejection(creating), controller.signal.reason)
      assert.deepStrictEqual(sent(server), [create])
      const stopped = asked(server, service(), 2)
      response.writeHead(201).end(JSON.stringify(browser))
      await stopped
      assert.deepStrictEqual(sent(server), [create, stop])
    })
  )

  it.live(
    "delays the close of the WebAgent until an aborted call has cleaned up",
    withAgent(async (agent, server) => {
      const arrived = Promise.withResolvers<ServerResponse>()
      server.script = ({ method }) =>
        method === "POST" ? (response) => arrived.resolve(response) : { json: { status: "stopped" } }
      const creating = agent.browsers.create()
      const response = await arrived.promise
      const closing = agent.close()
      response.writeHead(201).end(JSON.stringify(browser))
      await closing
      assert.deepStrictEqual(sent(server), [create, stop])
      assert.strictEqual(String(await rejection(creating)).split(":")[0], "WebAgentClosedError")
    })
  )
})

describe("browsers.stop", () => {
  it.live(
    "rejects with a BrowserNotFoundError",
    withAgent(async (agent, server) => {
      server.script = service({ status: 404, json: { detail: "No browser" } })
      const error = await rejection(agent.browsers.stop("b-1"))
      assert.instanceOf(error, BrowserNotFoundError)
      assert.strictEqual(error.detail, "No browser")
    })
  )
})

describe("browsers.use", () => {
  it.live(
    "stops the browser whether its function succeeds or fails, and returns or throws the same",
    withAgent(async (agent, server) => {
      server.script = service()
      assert.strictEqual(await agent.browsers.use({}, ({ cdpUrl }) => cdpUrl), browser.cdpUrl)
      assert.deepStrictEqual(sent(server), [create, stop])
      const failure = new Error("no mug")
      const { stack } = failure
      const failing = agent.browsers.use(undefined, async () => {
        throw failure
      })
      assert.strictEqual(await rejection(failing), failure)
      assert.strictEqual(failure.stack, stack)
      assert.deepStrictEqual(sent(server), [create, stop, create, stop])
    })
  )

  it.live(
    "aborts its function's signal if it's aborted, and rejects once the browser is stopped",
    withAgent(async (agent, server) => {
      server.script = service()
      const controller = new AbortController()
      let aborted = false
      const using = agent.browsers.use(
        {},
        (_, signal) => {
          signal.addEventListener("abort", () => (aborted = true))
          controller.abort()
          return new Promise(() => undefined)
        },
        { signal: controller.signal }
      )
      assert.strictEqual(await rejection(using), controller.signal.reason)
      assert.deepStrictEqual([aborted, sent(server)], [true, [create, stop]])
    })
  )

  it.live("warns about a browser that can't be stopped", () => {
    const log: Array<string> = []
    return withAgent(
      async (agent, server) => {
        server.script = service({ status: 403 })
        assert.strictEqual(await agent.browsers.use({}, () => "kept"), "kept")
        const warnings = log.filter((line) => line.startsWith("warn"))
        assert.lengthOf(warnings, 1)
        assert.match(
          warnings[0] ?? "",
          /^warn Browser b-1 could not be stopped: it may continue and cost money: PATCH .* status 403/u
        )
        assert.match(log[0] ?? "", /^debug POST \S+\/browsers: 201 in/u)
        assert.notInclude(log.join("\n"), "wak_canary")
      },
      { log: (level, message) => void log.push(`${level} ${message}`) }
    )()
  })
})

describe("the ledger", () => {
  it.live("receives each create before it's sent, and each end", () => {
    const told: Array<string> = []
    let requests = () => 0
    return withAgent(
      async (agent, server) => {
        requests = () => server.requests.length
        server.script = service()
        await agent.browsers.use({}, () => undefined)
        assert.deepStrictEqual(told, ["opening 0", "opened 1", "closed 2"])
      },
      { ledger: async ({ _tag }) => void told.push(`${_tag} ${requests()}`) }
    )()
  })

  it.live(
    "prevents a create if it rejects",
    withAgent(
      async (agent, server) => {
        const error = await rejection(agent.browsers.create())
        assert.match(String(error), /not sent, The ledger cannot be written: disk full/u)
        assert.deepStrictEqual(server.requests, [])
      },
      { ledger: () => Promise.reject(new Error("disk full")), log: () => undefined }
    )
  )
})
