import { assert, describe, it } from "@effect/vitest"
import type { Store } from "@webagent/engine"
import { LinkTokens } from "@webagent/server"
import { callTool, connectHttp } from "@webagent/test-fixtures/Mcp"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { createServer, type Server } from "node:net"
import { connect, create, met, secret, send, start, until, withNodes, withStore } from "./neighbours.ts"

describe("a browser of another node", () => {
  it.live("is driven and stopped through any node", () =>
    withNodes({ a: {}, b: {}, c: {} }, function* ({ a, b, c }) {
      const { cdp, id } = yield* create(a)
      const client = yield* connect(b, cdp)
      client.socket.send('{"id":1}')
      yield* until(() => client.heard.length === 1)
      assert.deepStrictEqual(client.heard, ['{"a":{"id":1}}'])
      const long = JSON.stringify({ text: "x".repeat(3_000_000) })
      client.socket.send(long)
      yield* until(() => client.heard.length === 2)
      assert.strictEqual(client.heard[1], `{"a":${long}}`)
      const stopped = yield* send(c, "PATCH", `/api/v4/browsers/${id}`, { body: { action: "stop" } })
      assert.deepInclude(stopped.body, { id, status: "stopped", cdpUrl: null })
      yield* until(() => client.how !== "")
      assert.strictEqual(client.how, "4001 The browser was stopped")
      assert.strictEqual(a.running.size, 0)
      assert.strictEqual((yield* send(b, "GET", cdp)).status, 410)
    })
  )

  it.live("is stopped by an MCP tool of any node, which returns the result", () =>
    withNodes({ a: {}, b: {} }, function* ({ a, b }) {
      const { id } = yield* create(a)
      const headers = { "X-Service-API-Key": "wak_test" }
      const client = yield* connectHttp(b.url, headers)
      const { answer, text } = yield* callTool(client, "stop_browser", { browserId: id })
      assert.deepInclude(answer.browser, { id, status: "stopped" }, text)
    })
  )

  it.live("needs its token and the key on any node, and refuses web pages without details", () =>
    withNodes({ a: {}, b: {} }, function* ({ a, b }) {
      const { cdp, id } = yield* create(a)
      assert.strictEqual((yield* connect(b, cdp.replace(/token=.*/u, "token=no"))).how, "refused 404")
      assert.strictEqual((yield* connect(b, cdp, { origin: "https://evil.example" })).how, "refused 403")
      assert.strictEqual((yield* connect(b, cdp, { host: "evil.example" })).how, "refused 403")
      const stop = { body: { action: "stop" }, headers: { "x-service-api-key": "wrong" } }
      assert.strictEqual((yield* send(b, "PATCH", `/api/v4/browsers/${id}`, stop)).status, 401)
      const wrong = yield* send(b, "PATCH", `/api/v4/browsers/${id}`, { body: { action: "fly" } })
      assert.strictEqual(wrong.status, 422)
      assert.strictEqual(a.running.size, 1)
    })
  )

  it.live("drops a connection that its live node drops", () =>
    withNodes({ a: {}, b: {} }, function* ({ a, b }) {
      const { cdp, id } = yield* create(a)
      const client = yield* connect(b, cdp)
      a.running.get(id)?.("dropped")
      yield* until(() => client.how !== "")
      assert.strictEqual(client.how, "1006")
      const again = yield* connect(b, cdp)
      again.socket.send("1")
      yield* until(() => again.heard.length === 1)
    })
  )

  it.live("is reported as unreachable while its node is alive but doesn't respond", () =>
    withNodes(
      { silent: { address: null }, wrong: { address: "http://127.0.0.1:1" }, asked: {} },
      function* ({ silent, wrong, asked }) {
        for (const node of [silent, wrong]) {
          const { cdp, id } = yield* create(node)
          const answer = yield* send(asked, "PATCH", `/api/v4/browsers/${id}`, { body: { action: "stop" } })
          assert.deepStrictEqual(
            [answer.status, answer.headers["retry-after"], answer.body["detail"]],
            [503, "1", "The server that has this cannot be reached. Nothing was done: try again"]
          )
          // a body that no node takes is not read to be sent on
          const long = { body: { action: "x".repeat(2 ** 20) } }
          assert.strictEqual((yield* send(asked, "PATCH", `/api/v4/browsers/${id}`, long)).status, 413)
          assert.strictEqual((yield* connect(asked, cdp)).how, "refused 503")
          assert.strictEqual(node.running.size, 1)
        }
        const { text } = yield* send(asked, "GET", "/metrics")
        assert.match(text, /^webagent_node_requests_total \d+$/mu)
        assert.match(text, /^webagent_node_requests_failed_total \d+$/mu)
      }
    )
  )

  it.live("is reached over TLS by the name in its node's address, not by the client's", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const hellos: Array<string> = []
        const tls = yield* Effect.acquireRelease(
          Effect.callback<Server>((resume) => {
            const server = createServer((socket) => {
              socket.once("data", (hello) => {
                hellos.push(hello.toString("latin1"))
                socket.destroy()
              })
            })
            server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
          }),
          (server) => Effect.sync(() => server.close())
        )
        const address = tls.address()
        const port = typeof address === "object" ? address?.port : address
        const a = yield* start(store, "a", { address: `https://localhost:${port}` })
        const b = yield* start(store, "b")
        yield* met(store, 2)
        const { id } = yield* create(a)
        const stop = { body: { action: "stop" }, headers: { host: "client.localhost" } }
        const answer = yield* send(b, "PATCH", `/api/v4/browsers/${id}`, stop)
        assert.strictEqual(
          answer.body["detail"],
          "The server that has this cannot be reached. Nothing was done: try again"
        )
        assert.match(hellos.join(), /(?<!client\.)localhost/u)
        assert.notInclude(hellos.join(), "client")
      })
    )
  )

  it.live("is reported as unreachable, not as forbidden, if the clocks of two nodes differ", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const clock = Clock.Clock.defaultValue()
        const ahead = () => clock.currentTimeMillisUnsafe() + 30_000
        const early: Clock.Clock = Object.create(clock, {
          currentTimeMillisUnsafe: { value: ahead },
          currentTimeMillis: { value: Effect.sync(ahead) }
        })
        const a = yield* start(store, "a")
        const b = yield* Effect.provideService(start(store, "b"), Clock.Clock, early)
        yield* met(store, 2)
        const { cdp, id } = yield* create(a)
        const answer = yield* send(b, "PATCH", `/api/v4/browsers/${id}`, { body: { action: "stop" } })
        assert.deepStrictEqual([answer.status, answer.headers["retry-after"]], [503, "1"])
        assert.strictEqual((yield* connect(b, cdp)).how, "refused 503")
      })
    )
  )

  it.live("is viewed and has its recording on any node, even after its node restarted", () =>
    withNodes({ a: {}, b: {} }, function* ({ a, b }, store) {
      const made = yield* send(a, "POST", "/api/v4/browsers", { body: { enableRecording: true } })
      const live = new URL(String(made.body["liveUrl"])).pathname
      const page = yield* send(b, "GET", live)
      assert.deepStrictEqual([page.status, page.headers["content-type"]], [200, "text/html"])
      const viewer = yield* connect(b, `${live}/socket`)
      yield* until(() => viewer.heard.length > 0)
      assert.include(viewer.heard[0], "at a")
      const stop = { body: { action: "stop" } }
      const stopped = yield* send(b, "PATCH", `/api/v4/browsers/${String(made.body["id"])}`, stop)
      const { pathname, search } = new URL(String(stopped.body["recordingUrl"]))
      const recording = (headers = {}) =>
        Effect.map(send(b, "GET", `${pathname}${search}`, { headers }), ({ status, text }) => [status, text])
      assert.deepStrictEqual(yield* recording(), [200, "recorded at a"])
      assert.deepStrictEqual(yield* recording({ range: "bytes=-4" }), [206, "at a"])
      const picture = `${pathname}/turn-1?expires=${Math.floor(Date.now() / 1000) + 60}`
      const { of } = yield* Effect.provide(LinkTokens, LinkTokens.layerFrom(secret))
      assert.strictEqual((yield* send(b, "GET", `${picture}&token=${of(picture)}`)).text, "recorded at a")
      yield* store.leave(a.id)
      yield* start(store, "a", { start: "a-2" })
      yield* met(store, 2)
      assert.deepStrictEqual(yield* recording(), [200, "recorded at a"])
    })
  )

  it.live("is shown in its session's run on any node", () =>
    withNodes({ a: {}, b: {} }, function* ({ a, b }) {
      const run = yield* send(a, "POST", "/api/v4/runs", { body: { task: "look" } })
      const at = (node: typeof a) =>
        Effect.map(send(node, "GET", `/api/v4/runs/${String(run.body["id"])}`), ({ body }) => body)
      yield* Effect.repeat(at(a), { until: ({ status }) => status === "completed" })
      const [there, here] = [yield* at(b), yield* at(a)].map((body) => new URL(String(body["liveUrl"])).pathname)
      assert.strictEqual(there, here)
    })
  )

  it.live("gets its session's follow-ups on its own node", () =>
    withNodes({ a: {}, b: {} }, function* ({ a, b }) {
      const run = yield* send(a, "POST", "/api/v4/runs", { body: { task: "look at a page" } })
      const sessionId = String(run.body["sessionId"])
      const ended = Effect.map(send(b, "GET", `/api/v4/runs/${String(run.body["id"])}`), ({ body }) => body["status"])
      yield* Effect.repeat(ended, { until: (status) => status === "completed" })
      const next = yield* send(b, "POST", `/api/v4/sessions/${sessionId}/queue`, {
        body: { text: "and another", interrupt: false }
      })
      const done = Effect.map(send(b, "GET", `/api/v4/runs/${String(next.body["runId"])}`), ({ body }) => body)
      const { result } = yield* Effect.repeat(done, { until: ({ status }) => status === "completed" })
      assert.strictEqual(result, "a: and another")
      assert.deepStrictEqual([a.running.size, b.running.size], [1, 0])
    })
  )
})

describe("a session of another node", () => {
  for (const [method, pathOf] of [
    ["POST", (id: string) => `/api/v4/sessions/${id}/purge`],
    ["DELETE", (id: string) => `/api/v3/sessions/${id}`],
    ["DELETE", (id: string) => `/api/v2/sessions/${id}`],
    ["POST", (id: string) => `/api/v2/sessions/${id}/purge`]
  ] as const) {
    it.live(`can be cancelled, continued and deleted through any node: ${method} ${pathOf("{id}")}`, () =>
      withNodes({ a: {}, b: {}, c: {} }, function* ({ a, b, c }, store) {
        const read = (node: typeof a, id: unknown) =>
          Effect.map(send(node, "GET", `/api/v4/runs/${String(id)}`), ({ body }) => body)
        const made = yield* send(a, "POST", "/api/v4/runs", { body: { task: "look" } })
        const sessionId = String(made.body["sessionId"])
        yield* Effect.repeat(read(b, made.body["id"]), { until: ({ status }) => status === "completed" })
        const queue = (node: typeof a, text: string) =>
          Effect.map(
            send(node, "POST", `/api/v4/sessions/${sessionId}/queue`, { body: { text, interrupt: false } }),
            ({ body }) => body["runId"]
          )
        const endless = yield* queue(b, "Wait")
        yield* Effect.repeat(read(c, endless), { until: ({ status }) => status === "running" })
        const next = yield* queue(c, "look again")
        const cancelled = yield* send(c, "POST", `/api/v4/runs/${String(endless)}/cancel`)
        assert.deepInclude(cancelled.body, { id: endless, status: "cancelled" })
        // its agent at the other node lets go, so the next message gets its turn there
        const { result } = yield* Effect.repeat(read(b, next), { until: ({ status }) => status === "completed" })
        assert.strictEqual(result, "a: look again")
        const last = yield* queue(a, "Wait")
        yield* Effect.repeat(read(b, last), { until: ({ status }) => status === "running" })
        const [browserId = ""] = a.running.keys()
        assert.strictEqual((yield* send(c, method, pathOf(sessionId))).status, 204)
        for (const node of [a, b, c]) {
          assert.strictEqual((yield* send(node, "GET", `/api/v4/runs/${String(last)}`)).status, 404)
          assert.deepStrictEqual([...node.forgotten], node === a ? [browserId] : [])
        }
        assert.deepStrictEqual((yield* store.lists.turns({}, null, 10)).rows, [])
        yield* until(() => a.running.size === 0)
      })
    )
  }
})

describe("a session of another node in the admin API", () => {
  it.live("is purged through any node, together with the recordings on its own node", () =>
    withNodes({ a: {}, b: {} }, function* ({ a, b }, store) {
      const made = yield* send(a, "POST", "/api/v4/runs", { body: { task: "look" } })
      const sessionId = String(made.body["sessionId"])
      const read = Effect.map(send(b, "GET", `/api/v4/runs/${String(made.body["id"])}`), ({ body }) => body)
      yield* Effect.repeat(read, { until: ({ status }) => status === "completed" })
      const [browserId = ""] = a.running.keys()
      const purge = Effect.map(send(b, "POST", `/admin/v1/sessions/${sessionId}/purge`), ({ status }) => status)
      assert.strictEqual(yield* purge, 409)
      assert.strictEqual((yield* send(b, "POST", `/admin/v1/sessions/${sessionId}/stop`)).status, 200)
      yield* Effect.repeat(purge, { until: (status) => status !== 409 })
      assert.deepStrictEqual([[...a.forgotten], [...b.forgotten]], [[browserId], []])
      assert.strictEqual(yield* purge, 404)
      assert.deepStrictEqual((yield* store.lists.turns({}, null, 10)).rows, [])
    })
  )
})

describe("a record of another node", () => {
  it.live("isn't reported as gone before nodes have renewed their leases after an outage of the store", () =>
    withStore((real) =>
      Effect.gen(function* () {
        // while it is set, the store says of each node that its time is over, and that it is not lost
        let areLate = false
        const store: Store["Service"] = {
          ...real,
          nodes: Effect.suspend(() => (areLate ? Effect.succeed([]) : real.nodes)),
          silent: Effect.suspend(() => (areLate ? real.nodes : real.silent))
        }
        const [a, b] = [yield* start(store, "a"), yield* start(store, "b")]
        yield* met(store, 2)
        const { transport } = yield* connectHttp(a.url, { "X-Service-API-Key": "wak_test" })
        const headers = {
          "mcp-session-id": transport?.sessionId ?? "",
          accept: "application/json, text/event-stream"
        }
        const tools = () => send(b, "POST", "/mcp", { headers, body: { jsonrpc: "2.0", id: 1, method: "tools/list" } })
        const { body } = yield* send(a, "POST", "/api/v4/browsers", { body: { enableRecording: true } })
        const stopped = yield* send(a, "PATCH", `/api/v4/browsers/${String(body["id"])}`, { body: { action: "stop" } })
        const { pathname, search } = new URL(String(stopped.body["recordingUrl"]))
        areLate = true
        assert.deepStrictEqual([(yield* tools()).status, (yield* tools()).headers["retry-after"]], [503, "1"])
        assert.strictEqual((yield* send(b, "GET", `${pathname}${search}`)).status, 503)
        areLate = false
        assert.strictEqual((yield* tools()).status, 200)
        assert.strictEqual((yield* send(b, "GET", `${pathname}${search}`)).text, "recorded at a")
      })
    )
  )
})
