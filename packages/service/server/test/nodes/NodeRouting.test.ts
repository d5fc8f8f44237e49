import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { assert, describe, it } from "@effect/vitest"
import { MemoryStore, Store } from "@webagent/engine"
import { LinkTokens } from "@webagent/server"
import * as Clock from "effect/Clock"
import { callTool, connectHttp } from "@webagent/test-fixtures/Mcp"
import * as Effect from "effect/Effect"
import { createServer, type Server } from "node:net"
import * as Signature from "../../src/nodes/Signature.ts"
import { connect, create, limitedKey, met, secret, send, start, type Started, until } from "./neighbours.ts"

const withStore = <A, E, R>(use: (store: Store["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.provide(Effect.flatMap(Store, use), MemoryStore.layer))

describe("a browser of another node", () => {
  it.live("is driven and stopped through any node", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const [a, b, c] = [yield* start(store, "a"), yield* start(store, "b"), yield* start(store, "c")]
        yield* met(store, 3)
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
  )

  it.live("is stopped by an MCP tool of any node, which gets the answer", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const [a, b] = [yield* start(store, "a"), yield* start(store, "b")]
        yield* met(store, 2)
        const { id } = yield* create(a)
        const headers = { "X-Service-API-Key": "wak_test" }
        const client = yield* connectHttp(b.url, headers)
        const { answer, text } = yield* callTool(client, "stop_browser", { browserId: id })
        assert.deepInclude(answer.browser, { id, status: "stopped" }, text)
      })
    )
  )

  it.live("needs its token and the key at any node, and shows no page of the web what it is", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const [a, b] = [yield* start(store, "a"), yield* start(store, "b")]
        yield* met(store, 2)
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
  )

  it.live("cuts the connection that is cut at its node, which lives", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const [a, b] = [yield* start(store, "a"), yield* start(store, "b")]
        yield* met(store, 2)
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
  )

  it.live("is said to be out of reach while its node lives and does not answer", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const silent = yield* start(store, "silent", { address: null })
        const wrong = yield* start(store, "wrong", { address: "http://127.0.0.1:1" })
        const asked = yield* start(store, "asked")
        yield* met(store, 3)
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
      })
    )
  )

  it.live("is asked for over TLS by the name in its node's address, not by the client's", () =>
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

  it.live("is said to be out of reach, and not forbidden, where the clocks of two nodes differ", () =>
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

  it.live("is seen and has its recording at any node, also when its node was started again", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const [a, b] = [yield* start(store, "a"), yield* start(store, "b")]
        yield* met(store, 2)
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
  )

  it.live("is seen in the run of its session at any node", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const [a, b] = [yield* start(store, "a"), yield* start(store, "b")]
        yield* met(store, 2)
        const run = yield* send(a, "POST", "/api/v4/runs", { body: { task: "look" } })
        const at = (node: typeof a) =>
          Effect.map(send(node, "GET", `/api/v4/runs/${String(run.body["id"])}`), ({ body }) => body)
        yield* Effect.repeat(at(a), { until: ({ status }) => status === "completed" })
        const [there, here] = [yield* at(b), yield* at(a)].map((body) => new URL(String(body["liveUrl"])).pathname)
        assert.strictEqual(there, here)
      })
    )
  )

  it.live("takes follow-ups of its session at its node", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const [a, b] = [yield* start(store, "a"), yield* start(store, "b")]
        yield* met(store, 2)
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
  )
})

describe("a create at a node without room", () => {
  it.live("goes to the one with the most room, and is refused when there is none", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const a = yield* start(store, "a", { most: 1 })
        const b = yield* start(store, "b", { most: 1 })
        const c = yield* start(store, "c", { most: 3 })
        yield* met(store, 3)
        const first = yield* create(a)
        const second = yield* create(a)
        assert.deepStrictEqual([a.running.size, b.running.size, c.running.size], [1, 0, 1])
        assert.isTrue(a.running.has(first.id))
        assert.isTrue(c.running.has(second.id))
        const client = yield* connect(a, second.cdp)
        client.socket.send("1")
        yield* until(() => client.heard.length === 1)
        // all at once: what the nodes say of their room is older than what they have
        const more = yield* Effect.all(
          Array.from({ length: 6 }, () => create(a)),
          { concurrency: "unbounded" }
        )
        const made = more.filter(({ status }) => status === 201)
        assert.strictEqual(made.length, 3)
        assert.deepStrictEqual([a.running.size, b.running.size, c.running.size], [1, 1, 3])
        for (const { detail, status } of more.filter((one) => !made.includes(one))) {
          assert.deepStrictEqual([status, detail], [429, "All 1 browsers of a are in use"])
        }
      })
    )
  )

  it.live("goes to another one, too, when the room is gone that it was to have", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const a = yield* start(store, "a", { most: 0, room: 1 })
        const b = yield* start(store, "b", { most: 0, room: 5 })
        const c = yield* start(store, "c", { most: 1 })
        yield* met(store, 3)
        const { status } = yield* create(a)
        assert.deepStrictEqual([status, a.running.size, b.running.size, c.running.size], [201, 0, 0, 1])
      })
    )
  )

  it.live("goes no further when another node refuses it for a limit of its key", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const { auth, counted } = limitedKey({ browsers: 1 }, { browsers: 2 })
        const a = yield* start(store, "a", { most: 0, auth })
        yield* start(store, "b", { most: 2, auth })
        yield* start(store, "c", { most: 1, auth })
        yield* met(store, 3)
        const { detail, status } = yield* create(a)
        assert.deepStrictEqual([status, detail], [429, "This API key has 1 of 1 browsers at once"])
        assert.strictEqual(counted.creates, 1)
      })
    )
  )

  it.live("counts once among its key's requests, however many nodes are tried", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const { auth, counted } = limitedKey({ requestsPerMinute: 60 })
        const full = yield* start(store, "full", { most: 0, auth })
        const late = yield* start(store, "late", { most: 0, room: 5, auth })
        yield* start(store, "last", { most: 2, auth })
        yield* met(store, 3)
        assert.strictEqual((yield* create(full)).status, 201)
        assert.strictEqual(counted.requests, 1)
        assert.strictEqual((yield* create(late)).status, 201)
        assert.strictEqual(counted.requests, 2)
        assert.strictEqual((yield* create(full)).status, 429)
        assert.strictEqual(counted.requests, 3)
        // a plain read that finds nothing becomes an operation
        assert.strictEqual((yield* send(full, "GET", `/api/v4/runs/${crypto.randomUUID()}`)).status, 404)
        assert.strictEqual(counted.requests, 4)
      })
    )
  )

  it.live("goes to another one as soon as its own drains", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const [a, b] = [yield* start(store, "a"), yield* start(store, "b")]
        yield* met(store, 2)
        yield* Effect.orDie(store.drain(a.id))
        const { status } = yield* create(a)
        assert.deepStrictEqual([status, a.running.size, b.running.size], [201, 0, 1])
      })
    )
  )

  it.live("is one create, however often its key comes, and whatever node it comes to", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const a = yield* start(store, "a", { most: 0 })
        const b = yield* start(store, "b", { most: 4 })
        yield* met(store, 2)
        const headers = { "idempotency-key": "once" }
        const made = yield* Effect.all([create(a, headers), create(b, headers), create(a, headers)], { concurrency: 3 })
        assert.strictEqual(new Set(made.map(({ id }) => id)).size, 1)
        assert.strictEqual(b.running.size, 1)
      })
    )
  )

  it.live("has its run carried out where there is room", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const a = yield* start(store, "a", { most: 0 })
        const b = yield* start(store, "b")
        yield* met(store, 2)
        const run = yield* send(a, "POST", "/api/v4/runs", { body: { task: "look" } })
        const ended = Effect.map(send(a, "GET", `/api/v4/runs/${String(run.body["id"])}`), ({ body }) => body)
        const { result } = yield* Effect.repeat(ended, { until: ({ status }) => status === "completed" })
        assert.strictEqual(result, "b: look")
        assert.strictEqual(b.running.size, 1)
      })
    )
  )
})

describe("an MCP session", () => {
  /** A client whose requests go to one node after the other. */
  const spread = (nodes: ReadonlyArray<Started>) => {
    let turn = 0
    const next = (path: string | URL) => new URL(new URL(path).pathname, nodes[turn++ % nodes.length]?.url)
    return connectHttp("http://spread", { "X-Service-API-Key": "wak_test" }, (path, init) => fetch(next(path), init))
  }

  it.live("goes on at every node: its requests reach the node that opened it", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const nodes = [yield* start(store, "a"), yield* start(store, "b"), yield* start(store, "c")]
        yield* met(store, 3)
        const client = yield* spread(nodes)
        for (let round = 0; round < 4; round++) {
          const { answer, text } = yield* callTool(client, "run_task", { task: "look" })
          assert.deepInclude(answer.run, { status: "completed" }, text)
        }
        const transport = client.transport as StreamableHTTPClientTransport
        const session = transport.sessionId ?? ""
        yield* Effect.promise(() => transport.terminateSession())
        for (const node of nodes) {
          const headers = { "mcp-session-id": session, accept: "application/json, text/event-stream" }
          const body = { jsonrpc: "2.0", id: 1, method: "tools/list" }
          const { status, text } = yield* send(node, "POST", "/mcp", { body, headers })
          assert.deepStrictEqual([status, text.includes("initialize")], [404, true])
        }
      })
    )
  )

  it.live("tells through another node that a run goes on, while it does", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const [a, b] = [yield* start(store, "a"), yield* start(store, "b")]
        yield* met(store, 2)
        let at = a
        const client = yield* connectHttp("http://any", { "X-Service-API-Key": "wak_test" }, (path, init) =>
          fetch(new URL(new URL(path).pathname, at.url), init)
        )
        at = b
        const told = yield* Effect.promise(
          (signal) =>
            new Promise<string | undefined>((resolve) => {
              const input = { name: "run_task", arguments: { task: "Wait", waitSeconds: 120 } }
              const options = {
                signal,
                onprogress: ({ message }: { readonly message?: string | undefined }) => resolve(message)
              }
              // it has no answer before the client leaves
              void client.callTool(input, undefined, options).then(
                () => resolve("answered"),
                (error: unknown) => resolve(String(error))
              )
            })
        )
        assert.match(told ?? "", /^The run is (queued|dispatching|running)\.$/u)
      })
    )
  )

  it.live("does not tell its clients how a node is called, which may be the name of its machine", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const a = yield* start(store, "ip-10-0-0-5", { start: "1" })
        const b = yield* start(store, "ip-10-0-0-6", { start: "2" })
        yield* met(store, 2)
        const { transport } = yield* spread([a, b])
        assert.match(transport?.sessionId ?? "", /^1\.[^.]+$/u)
      })
    )
  )

  it.live("has ended, at every node, when the node that opened it is gone", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const [a, b] = [yield* start(store, "a"), yield* start(store, "b")]
        yield* met(store, 2)
        const client = yield* spread([a])
        const { sessionId = "" } = client.transport ?? {}
        yield* store.leave(a.id)
        const headers = { "mcp-session-id": sessionId, accept: "application/json, text/event-stream" }
        const body = { jsonrpc: "2.0", id: 1, method: "tools/list" }
        const { status, text } = yield* send(b, "POST", "/mcp", { body, headers })
        assert.deepStrictEqual([status, text.includes("initialize")], [404, true])
      })
    )
  )
})

describe("what another node has", () => {
  it.live("is not said to be gone while no node has renewed its lease yet after an outage of the store", () =>
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

describe("the header of a node", () => {
  it.live("is refused when it is forged, for another request, of another time, or used before", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const [a, b] = [yield* start(store, "a"), yield* start(store, "b")]
        yield* met(store, 2)
        const ours = Signature.make(secret, b.id)
        const theirs = Signature.make(Buffer.from("guessed"), b.id)
        const request = { method: "GET", url: "/health" }
        const now_ms = Date.now()
        const answer = (value: string) =>
          Effect.map(send(a, "GET", "/health", { headers: { [Signature.header]: value } }), ({ status }) => status)
        const right = ours.sign(a.id, request, now_ms)
        assert.strictEqual(yield* answer(right), 200)
        assert.strictEqual(yield* answer(right), 403)
        assert.strictEqual(yield* answer(`${right}, ${ours.sign(a.id, request, now_ms)}`), 403)
        assert.strictEqual(yield* answer(theirs.sign(a.id, request, now_ms)), 403)
        assert.strictEqual(yield* answer(ours.sign(a.id, { ...request, url: "/metrics" }, now_ms)), 403)
        assert.strictEqual(yield* answer(ours.sign(a.id, { ...request, method: "POST" }, now_ms)), 403)
        assert.strictEqual(yield* answer(ours.sign(a.id, request, now_ms - 60_000)), 403)
        assert.strictEqual(yield* answer(ours.sign(a.id, request, now_ms + 60_000)), 403)
        assert.strictEqual(yield* answer("x"), 403)
        // another start at the same address
        assert.strictEqual(yield* answer(ours.sign("a.a-2", request, now_ms)), 421)
      })
    )
  )

  it.live("takes a request no further: what is at a third node is refused, and so is a create without room", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const [a, b, c] = [yield* start(store, "a"), yield* start(store, "b", { most: 0 }), yield* start(store, "c")]
        yield* met(store, 3)
        const { id } = yield* create(a)
        const nodes = Signature.make(secret, c.id)
        const stop = { method: "PATCH", url: `/api/v4/browsers/${id}` }
        const signed = (request: Signature.Signed, body: object) =>
          send(b, request.method, request.url, {
            body,
            headers: { [Signature.header]: nodes.sign(b.id, request, Date.now()) }
          })
        assert.strictEqual((yield* signed(stop, { action: "stop" })).status, 421)
        assert.strictEqual((yield* signed({ method: "POST", url: "/api/v4/browsers" }, {})).status, 429)
        assert.deepStrictEqual([a.running.size, c.running.size], [1, 0])
      })
    )
  )
})
