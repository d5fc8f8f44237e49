import { assert, describe, it } from "@effect/vitest"
import { layerFetch, layerHttp } from "@webagent/core"
import { type Answer as Scripted, ScriptedServer } from "@webagent/scripted-server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { getEventListeners } from "node:events"
import { Runs, V4, WaitTimeoutError, withResponse } from "../src/index.ts"
import { WebAgent, type WebAgentOptions } from "../src/promise/index.ts"

const clients = [
  ["undici", layerHttp, {}],
  ["fetch", layerFetch, { fetch: globalThis.fetch }]
] as const

/** A service that answers one after the other, the last for ever. */
const answering = (...answers: ReadonlyArray<Scripted>) =>
  Effect.map(ScriptedServer, (server) => {
    server.script = (_, count) => answers[Math.min(count, answers.length) - 1] ?? {}
    return server
  })

const run = { json: { id: "r-1", status: "running" }, headers: { "x-served-by": "node-7" } }

/** A signal for many calls, and how many listeners it has. */
const shared = () => {
  const controller = new AbortController()
  const { signal } = controller
  return { signal, abort: () => controller.abort(), listeners: () => getEventListeners(signal, "abort").length }
}

/** The test with a promise client of a scripted server. */
const promised = (options: WebAgentOptions, test: (agent: WebAgent) => Promise<void>) =>
  Effect.flatMap(ScriptedServer, ({ address }) =>
    Effect.promise(async () => {
      await using agent = new WebAgent({ baseUrl: address, apiKey: "wak_canary", ...options })
      await test(agent)
    })
  )

for (const [name, http, sending] of clients) {
  describe(`over ${name}`, () => {
    const layer = Layer.unwrap(
      Effect.map(ScriptedServer, ({ address }) => V4.layer({ baseUrl: address, apiKey: "wak_canary" }))
    )
    const effects = (
      name === "undici"
        ? layer
        : Layer.unwrap(
            Effect.map(ScriptedServer, ({ address }) =>
              Layer.provide(V4.layerClient({ baseUrl: address, apiKey: "wak_canary" }), http as typeof layerFetch)
            )
          )
    ).pipe(Layer.provideMerge(ScriptedServer.layer))

    it.live("retries, headers and request id of a call don't affect other calls", () =>
      Effect.gen(function* () {
        const server = yield* answering({ status: 503 }, run)
        const chosen = { retries: 0, headers: { "X-Team": "travel" }, requestId: "call-7" }
        const runs = yield* Runs
        const error = yield* Effect.flip(runs.get("r-1", chosen))
        assert.match(error.message, /status 503/u)
        assert.strictEqual((yield* runs.get("r-1")).status, "running")
        const sent = () =>
          server.requests.map(({ headers }) => [headers["x-team"], headers["x-request-id"] === "call-7"])
        assert.deepStrictEqual(sent(), [
          ["travel", true],
          [undefined, false]
        ])
        yield* promised(sending, async (agent) => {
          await agent.runs.get("r-1", chosen)
          await agent.runs.create({ task: "t" }, { ...chosen, idempotencyKey: "k-1", extraBody: { steps: 3 } })
        })
        assert.deepStrictEqual(sent().slice(2), [
          ["travel", true],
          ["travel", true]
        ])
        const create = server.requests.at(-1)
        assert.strictEqual(create?.headers["idempotency-key"], "k-1")
        assert.deepStrictEqual(JSON.parse(create?.body ?? ""), { steps: 3, task: "t" })
      }).pipe(Effect.provide(effects))
    )

    it.live("a request id may have spaces and Latin-1 letters, and is refused with its value if it can't be sent", () =>
      Effect.gen(function* () {
        const server = yield* answering(run)
        const runs = yield* Runs
        const requestId = "Bestellung für 7"
        yield* runs.get("r-1", { requestId })
        yield* promised(sending, async (agent) => void (await agent.runs.get("r-1", { requestId })))
        const sent = () => server.requests.map(({ headers }) => headers["x-request-id"])
        assert.deepStrictEqual(sent(), [requestId, requestId])
        for (const refused of ["", " a", "a\nb", "ключ", "x".repeat(256)]) {
          const { message } = yield* Effect.flip(runs.get("r-1", { requestId: refused }))
          const got = JSON.stringify(refused)
          assert.include(message, `: not sent, requestId must be 1 to 255 Latin-1 characters`)
          assert.isTrue(message.endsWith(`got ${got}`), message)
        }
        assert.lengthOf(server.requests, 2)
      }).pipe(Effect.provide(effects))
    )

    it.live("an input that is changed after the call is sent as it was, and fields of a class are read", () =>
      Effect.gen(function* () {
        const server = yield* answering({ json: { id: "b-1", cdpUrl: "ws://a.example" } }, run)
        class Task {
          readonly #task = "of a class"
          get task() {
            return this.#task
          }
        }
        const changing = async (call: (agent: WebAgent, input: { proxyCountryCode: string }) => Promise<unknown>) => {
          await using agent = new WebAgent({ baseUrl: server.address, apiKey: "wak_canary", ...sending })
          const input = { proxyCountryCode: "de" }
          const called = call(agent, input)
          input.proxyCountryCode = "fr"
          await called
        }
        yield* Effect.promise(() => changing((agent, input) => agent.browsers.create(input)))
        yield* Effect.promise(() => changing((agent, body) => agent.request("POST", "/notes", { body })))
        yield* promised(sending, async (agent) => void (await agent.runs.create(new Task())))
        const bodies = server.requests.flatMap(({ body, method }) => (method === "POST" ? [JSON.parse(body)] : []))
        assert.deepStrictEqual(bodies, [{ proxyCountryCode: "de" }, { proxyCountryCode: "de" }, { task: "of a class" }])
      }).pipe(Effect.provide(effects))
    )

    it.live("calls that share a signal add one listener, and remove it", () =>
      Effect.gen(function* () {
        const server = yield* answering(() => undefined)
        yield* promised(sending, async (agent) => {
          const { abort, listeners, signal } = shared()
          const calls = Array.from({ length: 20 }, () => agent.runs.get("r-1", { signal }))
          assert.strictEqual(listeners(), 1)
          abort()
          const ends = await Promise.allSettled(calls)
          assert.isTrue(ends.every((end) => end.status === "rejected" && end.reason === signal.reason))
          const another = shared()
          server.script = () => run
          await Promise.all(["r-1", "r-2"].map((id) => agent.runs.get(id, { signal: another.signal })))
          await agent.runs.get("r-3", { signal: another.signal })
          assert.deepStrictEqual([listeners(), another.listeners()], [0, 0])
        })
      }).pipe(Effect.provide(effects))
    )

    it.live("the error of a wait names the request id of its last poll", () =>
      Effect.gen(function* () {
        const server = yield* answering(run)
        const once = { first: 0, timeout: 0 }
        const lastId = () => String(server.requests.at(-1)?.headers["x-request-id"])
        const told = (error: unknown) => [
          error instanceof WaitTimeoutError && error.requestId,
          String(error).match(/ Request id (.*)\.$/u)?.[1]
        ]
        const runs = yield* Runs
        const error = yield* Effect.flip(runs.untilTerminal("r-1", once))
        assert.deepStrictEqual(told(error), [lastId(), lastId()])
        yield* promised(sending, async (agent) => {
          const wait = (requestId?: string) => agent.runs.untilTerminal("r-1", { ...once, requestId })
          const rejected = await wait().catch((error: unknown) => error)
          assert.deepStrictEqual(told(rejected), [lastId(), lastId()])
          const chosen = await wait("wait-7").catch((error: unknown) => error)
          assert.deepStrictEqual([lastId(), ...told(chosen)], ["wait-7", "wait-7", "wait-7"])
        })
        assert.lengthOf(server.requests, 3)
      }).pipe(Effect.provide(effects))
    )

    it.live("options of a watch apply to its polls", () =>
      Effect.gen(function* () {
        const server = yield* answering({ json: { status: "completed" } })
        const runs = yield* Runs
        yield* Stream.runDrain(runs.watch("r-1", { headers: { "x-team": "travel" }, requestId: "call-9" }))
        const headers = server.requests[0]?.headers
        assert.deepStrictEqual([headers?.["x-team"], headers?.["x-request-id"]], ["travel", "call-9"])
      }).pipe(Effect.provide(effects))
    )

    it.live("a header that would replace the API key or an idempotency key is refused before anything is sent", () =>
      Effect.gen(function* () {
        const server = yield* answering(run)
        const runs = yield* Runs
        for (const header of ["x-service-api-key", "Idempotency-Key", "no header"]) {
          const error = yield* Effect.flip(runs.get("r-1", { headers: { [header]: "x" } }))
          assert.strictEqual(error._tag === "TransportError" && error.reason._tag, "InvalidRequest")
        }
        assert.lengthOf(server.requests, 0)
      }).pipe(Effect.provide(effects))
    )

    it.live("a call's timeout limits its attempts and its retries together", () =>
      Effect.gen(function* () {
        yield* answering(() => undefined)
        const runs = yield* Runs
        // what is left of the call's time bounds an attempt; without one it has 30 seconds or more
        const bounded = / within (?:[12]?\d{1,2}(?:\.\d+)?|300)ms, the total timeout\. Request id [\w-]+\.$/u
        const error = yield* Effect.flip(runs.get("r-1", { timeout: "300 millis" }))
        assert.match(error.message, bounded)
        yield* promised(sending, async (agent) => {
          const rejected = await agent.runs.get("r-1", { timeout: 300 }).catch((error: unknown) => error)
          assert.match(String(rejected), bounded)
        })
      }).pipe(Effect.provide(effects))
    )

    it.live("withResponse returns status, headers, request id, attempts and duration with the value", () =>
      Effect.gen(function* () {
        const server = yield* answering({ status: 503 }, run)
        const runs = yield* Runs
        const { data, response } = yield* withResponse(runs.get("r-1", { requestId: "call-8" }))
        assert.strictEqual(data.id, "r-1")
        assert.deepInclude(response, { status: 200, requestId: "call-8", attempts: 2 })
        assert.strictEqual(response?.headers["x-served-by"], "node-7")
        assert.isAtLeast(response?.duration_ms ?? -1, 0)
        yield* promised(sending, async (agent) => {
          const { data, response } = await agent.runs.create({ task: "t" }).withResponse()
          assert.strictEqual(data.id, "r-1")
          assert.deepInclude(response, { status: 200, attempts: 1 })
          assert.strictEqual(response.requestId, String(server.requests.at(-1)?.headers["x-request-id"]))
        })
      }).pipe(Effect.provide(effects))
    )

    it.live("a custom request has the key, the retries of reads, and typed errors", () =>
      Effect.gen(function* () {
        const server = yield* answering({ status: 503 }, { json: { items: [1] } })
        assert.deepStrictEqual(yield* V4.request("GET", "/runs", { query: { limit: 3, after: undefined } }), {
          items: [1]
        })
        assert.strictEqual(server.requests[1]?.url, "/api/v4/runs?limit=3")
        assert.strictEqual(server.requests[1]?.headers["x-service-api-key"], "wak_canary")
        server.script = () => ({ status: 503, text: "wak_canary" })
        const before = server.requests.length
        const error = yield* Effect.flip(
          V4.request("POST", "/runs/r-1/cancel", { body: { why: "cost" }, idempotencyKey: "c-1" })
        )
        assert.strictEqual(server.requests.length, before + 1)
        assert.deepStrictEqual(
          [server.requests.at(-1)?.body, server.requests.at(-1)?.headers["idempotency-key"]],
          ['{"why":"cost"}', "c-1"]
        )
        assert.notInclude(JSON.stringify(error) + error.message, "wak_canary")
        for (const path of ["runs", "//evil.example/x", "/../../admin", "/a/%2e%2e/b"]) {
          const error = yield* Effect.flip(V4.request("GET", path))
          assert.strictEqual(error._tag === "TransportError" && error.reason._tag, "InvalidRequest", path)
        }
        assert.strictEqual(server.requests.length, before + 1)
        server.script = () => ({ json: { items: [] } })
        yield* promised(sending, async (agent) => {
          const { data, response } = await agent.request("GET", "/runs", { query: { limit: 1 } }).withResponse()
          assert.deepStrictEqual([data, response.status], [{ items: [] }, 200])
        })
      }).pipe(Effect.provide(effects))
    )

    it.live("hooks receive requests, retries, responses and polls, without the key, and may throw", () =>
      Effect.gen(function* () {
        const statuses = ["running", "completed"]
        const server = yield* ScriptedServer
        server.script = ({ method, url }, count) => {
          if (count === 2 || count === 6) return { status: 503 }
          if (method === "POST") return { status: 201, json: { id: "r-1" } }
          return {
            json: { id: "r-1", status: url.endsWith("/status") ? (statuses.shift() ?? "completed") : "completed" }
          }
        }
        const told: Array<string> = []
        const hooks = {
          onRequest: ({ attempt, method, url }: { attempt: number; method: string; url: string }) => {
            told.push(`> ${method} ${new URL(url).pathname} ${attempt}`)
            throw new Error("a hook that throws")
          },
          onResponse: ({ duration_ms, status }: { duration_ms: number; status: number | undefined }) => {
            assert.isAtLeast(duration_ms, 0)
            told.push(`< ${status}`)
          },
          onRetry: ({ attempt }: { attempt: number }) => told.push(`retry ${attempt}`),
          onPoll: ({ id, kind, status }: { id: string; kind: string; status: string | undefined }) =>
            told.push(`poll ${kind} ${id} ${status}`)
        }
        yield* promised({ ...sending, hooks, polling: { every: 5 } }, async (agent) => {
          assert.strictEqual((await agent.runs.createAndWait({ task: "t" })).status, "completed")
          await agent.runs.get("r-1")
        })
        const status = "> GET /api/v4/runs/r-1/status"
        assert.deepStrictEqual(told, [
          "> POST /api/v4/runs 1",
          "< 201",
          `${status} 1`,
          // a wait polls again, and each of its polls is one request
          "< 503",
          `${status} 1`,
          "< 200",
          "poll run r-1 running",
          `${status} 1`,
          "< 200",
          "poll run r-1 completed",
          "> GET /api/v4/runs/r-1 1",
          "< 200",
          "> GET /api/v4/runs/r-1 1",
          "< 503",
          "retry 2",
          "> GET /api/v4/runs/r-1 2",
          "< 200"
        ])
      }).pipe(Effect.provide(effects))
    )
  })
}

describe("WebAgent", () => {
  it.live("polling sets the pace of every wait, so that a test doesn't wait for 2 seconds", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = ({ method }) => ({ json: method === "POST" ? { id: "r-1" } : { id: "r-1", status: "completed" } })
      let isSlowOver = false
      yield* promised({}, async (slow) => {
        const waiting = slow.runs.createAndWait({ task: "t" }).then(
          () => (isSlowOver = true),
          () => undefined
        )
        await using agent = new WebAgent({
          baseUrl: server.address,
          apiKey: "wak_canary",
          polling: { every: "10 millis", perSecond: 100 }
        })
        await agent.runs.createAndWait({ task: "t" })
        assert.isFalse(isSlowOver)
        await slow.close()
        await waiting
      })
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it("WEBAGENT_LOG sets the log level, and an invalid one names the levels", () => {
    process.env["WEBAGENT_LOG"] = "loud"
    try {
      assert.throws(
        () => new WebAgent({ baseUrl: "http://127.0.0.1:9", apiKey: "k" }),
        'WEBAGENT_LOG must be one of debug, info, warn, error, off; got "loud".'
      )
    } finally {
      delete process.env["WEBAGENT_LOG"]
    }
  })
})
