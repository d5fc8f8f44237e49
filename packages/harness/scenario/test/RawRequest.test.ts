import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Redacted from "effect/Redacted"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import type { TargetInfo } from "../src/index.ts"
import * as RawRequest from "../src/RawRequest.ts"

interface Seen {
  readonly line: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A server that answers 418 and keeps what it was sent, and raw requests to it. */
const echo = Effect.gen(function* () {
  const seen: Array<Seen> = []
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) => {
        let body = ""
        request.setEncoding("utf8").on("data", (text: string) => (body += text))
        request.on("end", () => {
          seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
          response.writeHead(418, { "x-one": "1" }).end(request.url?.endsWith("text") === true ? "plain" : '{"a":1}')
        })
      }).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const target: TargetInfo = {
    name: "echo",
    address,
    baseUrls: { v2: `${address}/api/v2`, v3: `${address}/api/v3`, v4: `${address}/api/v4` },
    apiKeyHeader: "X-Service-API-Key",
    capabilities: new Set()
  }
  const request = RawRequest.make(yield* HttpClient.HttpClient, target, Redacted.make("wak_real"))
  return { request, last: () => seen.at(-1) }
}).pipe(Effect.provide(FetchHttpClient.layer))

describe("RawRequest", () => {
  it.live("returns any status, with its body as text and as JSON", () =>
    Effect.gen(function* () {
      const { last, request } = yield* echo
      const answer = yield* request("v4", { method: "GET", path: "/runs/%2e%20" })
      assert.strictEqual(answer.status, 418)
      assert.strictEqual(answer.headers["x-one"], "1")
      assert.deepStrictEqual([answer.body, answer.text], [{ a: 1 }, '{"a":1}'])
      assert.deepStrictEqual(answer.request, { method: "GET", path: "/api/v4/runs/%2e%20" })
      const plain = yield* request("v2", { method: "GET", path: "/text" })
      assert.deepStrictEqual([plain.body, plain.text], [undefined, "plain"])
      assert.strictEqual(last()?.line, "GET /api/v2/text")
      assert.strictEqual(last()?.headers["traceparent"], undefined)
    })
  )

  it.live("sends the target's key, another one, an empty one, or none", () =>
    Effect.gen(function* () {
      const { last, request } = yield* echo
      const keys: Array<string | undefined> = []
      for (const change of [{}, { apiKey: "other" }, { apiKey: "" }, { apiKey: null }]) {
        yield* request("v3", { method: "GET", path: "/", ...change })
        keys.push(last()?.headers["x-service-api-key"]?.toString())
      }
      assert.deepStrictEqual(keys, ["wak_real", "other", "", undefined])
    })
  )

  it.live("sends JSON, exactly the given text, or no body", () =>
    Effect.gen(function* () {
      const { last, request } = yield* echo
      yield* request("v4", { method: "POST", path: "/runs", body: "task" })
      assert.deepStrictEqual([last()?.body, last()?.headers["content-type"]], ['"task"', "application/json"])
      const headers = { "content-type": "text/plain" }
      yield* request("v4", { method: "POST", path: "/runs", text: '{"task":', headers })
      assert.deepStrictEqual([last()?.body, last()?.headers["content-type"]], ['{"task":', "text/plain"])
      yield* request("v4", { method: "POST", path: "/runs", body: null })
      assert.strictEqual(last()?.body, "null")
      yield* request("v4", { method: "POST", path: "/runs" })
      assert.deepStrictEqual([last()?.body, last()?.headers["content-type"]], ["", undefined])
    })
  )
})
