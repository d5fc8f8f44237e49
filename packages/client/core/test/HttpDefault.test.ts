import { assert, describe, it } from "@effect/vitest"
import { ScriptedServer } from "@webagent/scripted-server"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { ClientConfig, layerHttp, execute, Transport } from "../src/index.ts"

/** Runs `calling.ts` in a process of its own to its end. */
const calling = (
  address: string,
  options: { readonly flags?: ReadonlyArray<string>; readonly env?: Record<string, string> } = {}
) =>
  Effect.promise(async () => {
    const program = fileURLToPath(new URL("calling.ts", import.meta.url))
    const args = ["--conditions=@webagent/source", ...(options.flags ?? []), program, address]
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let said = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text))
    const [code] = await once(child, "close")
    assert.strictEqual(code, 0)
    return JSON.parse(said) as {
      readonly status?: number
      readonly reason?: string
      readonly alive: ReadonlyArray<string>
      readonly log: ReadonlyArray<readonly [level: string, message: string]>
    }
  })

const encoders: { readonly [coding: string]: (plain: Buffer) => Buffer } = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync
}

/** Makes a Node of one where undici is not. */
const withoutUndici = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module"
  registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier === "undici") throw new Error("undici is not here")
      return next(specifier, context)
    }
  })
`)}`

/** What fetch says of itself, and undici does not. */
const isFetch = ({ requests }: ScriptedServer["Service"]) => requests[0]?.headers["sec-fetch-mode"] !== undefined

describe("layerHttp", () => {
  it.live.each([
    ["is undici in Node", [], false],
    ["is fetch where undici cannot be loaded", [withoutUndici], true],
    ["is fetch in another runtime that takes itself for Node", ["--conditions=bun"], true],
    ["is fetch in Deno", ["--conditions=deno"], true],
    ["is fetch where a bundler is told of a browser", ["--conditions=browser"], true]
  ] as const)("%s, and keeps no process alive", ([, flags, fetch]) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ json: {} })
      const { alive, status } = yield* calling(server.address, { flags })
      assert.strictEqual(status, 200)
      assert.strictEqual(isFetch(server), fetch)
      assert.notInclude(alive, "TCPSocketWrap")
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("is the fetch that an application provides, even in Node", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const fetch: typeof globalThis.fetch = async (address) => {
        asked.push(String(address))
        return new Response("{}")
      }
      yield* Effect.flatMap(Transport, (transport) => execute(transport, "v4", HttpClientRequest.get("/x"))).pipe(
        Effect.provide(Transport.layer),
        Effect.provide(Layer.provide(layerHttp, Layer.succeed(FetchHttpClient.Fetch, fetch))),
        Effect.provide(ClientConfig.layer({ baseUrl: "http://agents.example", apiKey: "canary" }))
      )
      assert.deepStrictEqual(asked, ["http://agents.example/api/v4/x"])
    })
  )

  // a time for the headers does not change who sends
  it.live.each([{}, { headers: "10 seconds" }] as const)(
    "is the fetch that a call provides, even in Node: %j",
    (timeouts) =>
      Effect.gen(function* () {
        const fetch: typeof globalThis.fetch = async () => new Response("{}", { status: 203 })
        const { status } = yield* Effect.flatMap(Transport, (transport) =>
          Effect.provideService(execute(transport, "v4", HttpClientRequest.get("/x")), FetchHttpClient.Fetch, fetch)
        ).pipe(
          Effect.provide(Transport.layer),
          Effect.provide(layerHttp),
          Effect.provide(ClientConfig.layer({ baseUrl: "http://agents.invalid", apiKey: "canary", timeouts }))
        )
        assert.strictEqual(status, 203)
      })
  )

  it.live("is fetch if an application provides fetch options, even in Node", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ json: {} })
      yield* Effect.flatMap(Transport, (transport) => execute(transport, "v4", HttpClientRequest.get("/x"))).pipe(
        Effect.provide(Transport.layer),
        Effect.provide(layerHttp),
        Effect.provide(ClientConfig.layer({ baseUrl: server.address, apiKey: "canary" })),
        Effect.provideService(FetchHttpClient.RequestInit, { credentials: "include" })
      )
      assert.isTrue(isFetch(server))
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live.each([
    [{}, "Debug", "undici cannot be loaded, so fetch sends the requests."],
    [
      { connect: "1 second" },
      "Warn",
      "undici cannot be loaded, so fetch sends the requests, and timeouts.connect is not held."
    ]
  ] as const)("warns that it uses fetch because undici can't be loaded: %j", ([timeouts, level, sentence]) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ json: {} })
      const { log } = yield* calling(server.address, {
        flags: [withoutUndici],
        env: { TIMEOUTS: JSON.stringify(timeouts) }
      })
      assert.deepInclude(log, [level, sentence])
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live.each(["gzip", "deflate", "br", "zstd", "GZIP, br"])(
    "reads a response that is %s although it wasn't requested",
    (coding) =>
      Effect.gen(function* () {
        const server = yield* ScriptedServer
        const json = Buffer.from(JSON.stringify({ id: "r-1" }))
        const body = coding
          .toLowerCase()
          .split(", ")
          .reduce((plain, name) => encoders[name]?.(plain) ?? plain, json as Buffer)
        server.script = () => (response) => response.writeHead(200, { "content-encoding": coding }).end(body)
        const got = yield* Effect.flatMap(Transport, (transport) =>
          transport.exchange("v4", { method: "GET", url: "/x" })
        ).pipe(
          Effect.provide(Transport.layer),
          Effect.provide(layerHttp),
          Effect.provide(ClientConfig.layer({ baseUrl: server.address, apiKey: "canary" }))
        )
        assert.strictEqual(got.text(), String(json))
        assert.isFalse(isFetch(server))
      }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("fails if a response isn't compressed as it claims", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => (response) => response.writeHead(200, { "content-encoding": "gzip" }).end("{}")
      const error = yield* Effect.flatMap(Transport, (transport) =>
        transport.exchange("v4", { method: "GET", url: "/x" })
      ).pipe(
        Effect.flip,
        Effect.provide(Transport.layer),
        Effect.provide(layerHttp),
        Effect.provide(ClientConfig.layer({ baseUrl: server.address, apiKey: "canary" }))
      )
      assert.strictEqual(error.reason._tag, "ConnectionFailed")
      assert.include(error.message, "Z_DATA_ERROR")
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live.each([
    { env: { NODE_USE_ENV_PROXY: "1" } },
    { flags: ["--use-env-proxy"] },
    { env: { NODE_OPTIONS: "--use-env-proxy" } }
  ])("uses the proxies of Node's fetch: %j", ({ env, flags = [] }) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ json: {} })
      const proxy = { http_proxy: server.address, HTTP_PROXY: server.address }
      yield* calling("http://agents.example", { flags, env: { ...env, ...proxy } })
      assert.include(server.requests[0]?.url, "/api/v4/x")
      assert.strictEqual(server.requests[0]?.headers.host, "agents.example")
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("opens a tunnel through a proxy for HTTPS, and not again if it's cut", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const server = createServer().on("connect", ({ url = "" }, socket) => {
            asked.push(url)
            socket.destroy()
          })
          await once(server.listen(0, "127.0.0.1"), "listening")
          return server
        }),
        (server) => Effect.sync(() => server.close())
      )
      const { port } = proxy.address() as AddressInfo
      const address = `http://127.0.0.1:${port}`
      const env = { NODE_USE_ENV_PROXY: "1", https_proxy: address, HTTPS_PROXY: address }
      const { reason } = yield* calling("https://agents.example", { env })
      assert.deepStrictEqual({ reason, asked }, { reason: "ConnectionFailed", asked: ["agents.example:443"] })
    })
  )

  // nor does a time for the headers keep a connection open
  it.live.each([{}, { headers: "10 seconds" }] as const)("closes its connections with its scope: %j", (timeouts) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const closed = yield* Deferred.make<void>()
      server.script = () => (response) => {
        const { socket } = response
        socket?.once("close", () => Deferred.doneUnsafe(closed, Exit.void))
        // neither side would close it by itself for ten minutes
        if (socket !== null) Reflect.set(Reflect.get(socket, "server"), "keepAliveTimeout", 0)
        response.writeHead(200, { connection: "keep-alive", "keep-alive": "timeout=600" }).end("{}")
      }
      yield* Effect.flatMap(Transport, (transport) => execute(transport, "v4", HttpClientRequest.get("/x"))).pipe(
        Effect.provide(Transport.layer),
        Effect.provide(layerHttp),
        Effect.provide(ClientConfig.layer({ baseUrl: server.address, apiKey: "canary", timeouts }))
      )
      yield* Deferred.await(closed)
    }).pipe(Effect.provide(ScriptedServer.layer))
  )
})
