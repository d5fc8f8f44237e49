import { assert, describe, it } from "@effect/vitest"
import { type ListenOptions, Server } from "@webagent/server"
import { callTool, connectHttp } from "@webagent/test-fixtures/Mcp"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { publicUrlOf } from "../../src/api/PublicUrl.ts"
import { makeProxy } from "../http/proxy.ts"
import { send } from "../http/send.ts"
import { layerWith, makeShown, recordings, until, watch } from "../http/shown.ts"

/** Uses a server with these options whose browsers can be seen and are recorded. */
const withServer = <A, E, R>(listen: ListenOptions, use: (server: Server["Service"]) => Effect.Effect<A, E, R>) => {
  const folder = mkdtempSync(join(tmpdir(), "webagent-test-origin-"))
  const ports = Layer.merge(makeShown().layer, recordings(join(folder, "a.webm"), "recorded"))
  return Effect.flatMap(Server, use).pipe(
    Effect.provide(layerWith(ports, listen)),
    Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true })))
  )
}

type Headers = Readonly<Record<string, string>>

const ask = (address: string, method: string, path: string, headers: Headers, body?: object) =>
  Effect.promise(async (signal) => {
    const response = await fetch(`${address}${path}`, {
      method,
      signal,
      headers: { "x-service-api-key": "wak_test", "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return Object(await response.json())
  })

/** One link of each kind, as a client gets it that sends its requests to `address`. */
const linksAt = Effect.fnUntraced(function* (address: string, headers: Headers = {}) {
  const browser = yield* ask(address, "POST", "/api/v4/browsers", headers, { enableRecording: true })
  const stop = { action: "stop" }
  const stopped = yield* ask(address, "PATCH", `/api/v4/browsers/${browser.id}`, headers, stop)
  const { versions } = yield* ask(address, "GET", "/", headers)
  const links = [browser.cdpUrl, browser.liveUrl, browser.controlUrl, stopped.recordingUrl, versions.v4.docs]
  return links.map(String)
})

/** The start of a link, before the path of this server. */
const startOf = (link: string) => link.replace(/^ws/u, "http").replace(/\/(?:api|live|recordings)\/.*$/u, "")

const startsAt = (address: string, headers: Headers = {}) =>
  Effect.map(linksAt(address, headers), (links) => [...new Set(links.map(startOf))])

describe("links", () => {
  it.live("start with --public-url, whatever the client sends, and open through the proxy that serves it", () =>
    Effect.gen(function* () {
      const proxy = yield* makeProxy({ prefix: "/agent", headers: { host: "localhost" } })
      yield* withServer({ publicUrl: `${proxy.address}/` }, ({ address }) =>
        Effect.gen(function* () {
          proxy.target = new URL(address)
          const spoofed = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" }
          const browser = yield* ask(proxy.address, "POST", "/api/v4/browsers", spoofed, { enableRecording: true })
          const view = yield* watch(browser.liveUrl)
          yield* until(() => view.socket.readyState === view.socket.OPEN || view.ended.how !== undefined)
          assert.isUndefined(view.ended.how)
          assert.deepStrictEqual(yield* startsAt(address), [proxy.address])
          const { recordingUrl } = yield* ask(
            address,
            "PATCH",
            `/api/v4/browsers/${browser.id}`,
            {},
            { action: "stop" }
          )
          const recording = yield* Effect.promise((signal) => fetch(recordingUrl, { signal }))
          assert.strictEqual(yield* Effect.promise(() => recording.text()), "recorded")
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("use the scheme and the host that a trusted proxy reports", () =>
    withServer({ trustProxy: ["127.0.0.1"] }, ({ address }) =>
      Effect.gen(function* () {
        const proxied = Effect.fnUntraced(function* (headers: Readonly<Record<string, string | undefined>>) {
          const proxy = yield* makeProxy({ headers })
          proxy.target = new URL(address)
          return yield* startsAt(proxy.address)
        })
        const host = "agent.example"
        const forwarded = { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https", "x-forwarded-host": host }
        assert.deepStrictEqual(yield* proxied(forwarded), ["https://agent.example"])
        assert.deepStrictEqual(yield* proxied({ "x-forwarded-proto": "https", host }), ["https://agent.example"])
        assert.deepStrictEqual(yield* proxied({ forwarded: `for=203.0.113.9;proto=https;host="${host}:8443"` }), [
          "https://agent.example:8443"
        ])
        const [cdpUrl = ""] = yield* linksAt(address, forwarded)
        assert.match(cdpUrl, /^wss:\/\/agent\.example\/api\/v4\/browsers\//u)
      })
    ).pipe(Effect.scoped)
  )

  it.live("of MCP tools start like those of the caller's other requests", () =>
    withServer({ trustProxy: ["127.0.0.1"] }, ({ address }) =>
      Effect.gen(function* () {
        const client = yield* connectHttp(address, {
          "X-Service-API-Key": "wak_test",
          "X-Forwarded-Proto": "https",
          "X-Forwarded-Host": "agent.example"
        })
        const { answer, text } = yield* callTool(client, "create_browser")
        assert.strictEqual(startOf(String(answer.browser?.cdpUrl)), "https://agent.example", text)
      })
    ).pipe(Effect.scoped)
  )

  it.live(
    "ignore forwarded headers and foreign hosts from other clients, and the log names the first host once",
    () => {
      const lines: Array<unknown> = []
      const log = Logger.make(({ message }) => void lines.push(message))
      return withServer({ trustProxy: ["10.0.0.0/8"] }, ({ address }) =>
        Effect.gen(function* () {
          const { port } = new URL(address)
          for (const headers of [
            { "x-forwarded-proto": "https", "x-forwarded-host": "evil.example" },
            { forwarded: "proto=https;host=evil.example" }
          ]) {
            assert.deepStrictEqual(yield* startsAt(address, headers), [address])
          }
          assert.deepStrictEqual(lines, [])
          const hosts = { "evil.example": address, "203.0.113.9": address, "localhost:9": "http://localhost:9" }
          for (const [host, start] of Object.entries(hosts)) {
            const proxy = yield* makeProxy({ headers: { host } })
            proxy.target = new URL(address)
            assert.deepStrictEqual(yield* startsAt(proxy.address), [start], host)
          }
          assert.deepStrictEqual(yield* startsAt(`http://localhost:${port}`), [`http://localhost:${port}`])
          assert.strictEqual(lines.length, 1)
          assert.include(String(lines[0]), "--public-url")
        })
      ).pipe(Effect.scoped, Effect.provide(Logger.layer([log])))
    }
  )

  it.live("keep a host name that the operator allows", () =>
    withServer({ allowedHosts: ["Agent.example"] }, ({ address }) =>
      Effect.gen(function* () {
        const proxy = yield* makeProxy({ headers: { host: "agent.example:8080" } })
        proxy.target = new URL(address)
        assert.deepStrictEqual(yield* startsAt(proxy.address), ["http://agent.example:8080"])
      })
    ).pipe(Effect.scoped)
  )

  it.live("of a public URL open under its host name on a local server", () =>
    withServer({ publicUrl: "https://agent.example" }, ({ address }) =>
      Effect.gen(function* () {
        const { liveUrl } = (yield* send("POST", "/api/v4/browsers", { body: {} })).body
        const statusOf = Effect.fnUntraced(function* (host: string) {
          const proxy = yield* makeProxy({ headers: { host } })
          proxy.target = new URL(address)
          const { pathname } = new URL(String(liveUrl))
          return (yield* Effect.promise((signal) => fetch(`${proxy.address}${pathname}`, { signal }))).status
        })
        assert.strictEqual(yield* statusOf("agent.example"), 200)
        assert.strictEqual(yield* statusOf("evil.example"), 403)
      })
    ).pipe(Effect.scoped)
  )

  it.live("of a trusted proxy open only for the proxy, under the name that it forwards", () =>
    Effect.gen(function* () {
      const statusAt = (trustProxy: ReadonlyArray<string>) =>
        withServer({ trustProxy }, ({ address }) =>
          Effect.gen(function* () {
            const proxy = yield* makeProxy({ headers: { host: "agent.example", "x-forwarded-proto": "https" } })
            proxy.target = new URL(address)
            const { liveUrl } = yield* ask(proxy.address, "POST", "/api/v4/browsers", {}, {})
            const { pathname } = new URL(String(liveUrl))
            return (yield* Effect.promise((signal) => fetch(`${proxy.address}${pathname}`, { signal }))).status
          })
        )
      assert.strictEqual(yield* statusAt(["127.0.0.1"]), 200)
      assert.strictEqual(yield* statusAt(["10.0.0.1"]), 403)
    }).pipe(Effect.scoped)
  )

  it.each([
    ["https://agent.example/", "https://agent.example"],
    ["HTTP://Agent.example:8080/a/b/", "http://agent.example:8080/a/b"],
    ["ftp://agent.example", undefined],
    ["agent.example", undefined],
    ["https://agent.example/?a=b", undefined],
    ["https://user@agent.example", undefined],
    ["https://agent.example/#a", undefined]
  ])("publicUrlOf reads %s as %s", (text, url) => assert.strictEqual(Option.getOrUndefined(publicUrlOf(text)), url))
})
