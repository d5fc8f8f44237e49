import { assert, describe, it } from "@effect/vitest"
import { ApiKeys, MemoryNotes } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ask, layerConsole, raw, send, signIn } from "./served.ts"

const state = (headers: Readonly<Record<string, string>>) =>
  Effect.map(ask("GET", "/session", headers), ({ body }) => body)

describe("the console's sign-in", () => {
  it.live("sets a cookie that no script or other site can use, and that opens the API", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* ask("GET", "/server", {})).status, 401)
      assert.deepStrictEqual(yield* state({}), { state: "signedOut", key: null })
      const { cookie, header, status } = yield* signIn("wak_root")
      assert.strictEqual(status, 200)
      assert.match(cookie, /^webagent_console=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict$/u)
      assert.notInclude(cookie, "wak_root")
      assert.deepStrictEqual(yield* state(header), { state: "signedIn", key: "root" })
      const { body, status: opened } = yield* ask("GET", "/server", header)
      assert.strictEqual(opened, 200)
      assert.deepInclude(body["key"], { name: "root", admin: true })
      // the cookie is no key
      const token = header.cookie.split("=")[1] ?? ""
      assert.strictEqual((yield* send("GET", "/admin/v1/server", { key: token })).status, 401)
    }).pipe(Effect.provide(layerConsole()))
  )

  it.live("shows a key without the scope admin only its own records", () =>
    Effect.gen(function* () {
      const { header } = yield* signIn("wak_shop")
      assert.strictEqual((yield* ask("GET", "/nodes", header)).status, 403)
      assert.strictEqual((yield* ask("POST", "/keys", header, { name: "more" })).status, 403)
    }).pipe(Effect.provide(layerConsole()))
  )

  it.live("refuses a wrong key, and an address with too many of them", () =>
    Effect.gen(function* () {
      for (let attempt = 0; attempt < 20; attempt++)
        assert.strictEqual((yield* signIn(`wak_wrong${attempt}`)).status, 401)
      assert.strictEqual((yield* signIn("wak_wrong")).status, 429)
      // wrong keys of sign-ins and of the API count together
      assert.strictEqual((yield* send("GET", "/admin/v1/server", { key: "wak_guess" })).status, 429)
      assert.strictEqual((yield* send("GET", "/api/v4/runs", { key: "wak_guess" })).status, 429)
      // a right key is never refused for the wrong ones of its address
      assert.strictEqual((yield* signIn("wak_root")).status, 200)
    }).pipe(Effect.provide(layerConsole()))
  )

  it.live("ends with a sign-out, even for a copy of the cookie", () =>
    Effect.gen(function* () {
      const { header } = yield* signIn("wak_root")
      const { headers, status } = yield* ask("DELETE", "/session", header)
      assert.strictEqual(status, 204)
      assert.match(headers.get("set-cookie") ?? "", /^webagent_console=; Max-Age=0; Path=\/console/u)
      assert.strictEqual((yield* ask("GET", "/server", header)).status, 401)
    }).pipe(Effect.provide(layerConsole()))
  )

  it.live("is in the audit log, as is the sign-out, but not a wrong key", () =>
    Effect.gen(function* () {
      const { header: shop } = yield* signIn("wak_shop")
      yield* signIn("wak_wrong")
      yield* ask("DELETE", "/session", shop)
      yield* ask("DELETE", "/session", shop)
      const { header } = yield* signIn("wak_root")
      const { body } = yield* ask("GET", "/audit", header)
      const rows = body["rows"] as ReadonlyArray<Readonly<Record<string, unknown>>>
      assert.deepStrictEqual(
        rows.map(({ action, address, key, status }) => [key, action, status, address]),
        [
          ["root", "console.signIn", 200, "127.0.0.1"],
          ["shop", "console.signOut", 204, "127.0.0.1"],
          ["shop", "console.signIn", 200, "127.0.0.1"]
        ]
      )
    }).pipe(Effect.provide(Layer.provide(layerConsole(), MemoryNotes.layer)))
  )

  it.live("ends with its key, even if another key has its name", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const { header } = yield* signIn("wak_shop")
      assert.strictEqual((yield* ask("GET", "/server", header)).status, 200)
      yield* keys.rotate("shop")
      assert.strictEqual((yield* ask("GET", "/server", header)).status, 401)
      assert.deepStrictEqual(yield* state(header), { state: "signedOut", key: null })
    }).pipe(Effect.provide(layerConsole()))
  )

  it.live("refuses requests from another site or port", () =>
    Effect.gen(function* () {
      const { header } = yield* signIn("wak_root")
      const from = (headers: Readonly<Record<string, string>>) =>
        Effect.map(ask("POST", "/keys", { ...header, ...headers }, { name: "evil" }), ({ status }) => status)
      assert.strictEqual(yield* from({ "sec-fetch-site": "cross-site" }), 403)
      assert.strictEqual(yield* from({ "sec-fetch-site": "same-site" }), 403)
      assert.strictEqual(yield* from({ origin: "http://evil.example" }), 403)
      assert.strictEqual(yield* from({ origin: "http://127.0.0.1:1" }), 403)
      assert.strictEqual(yield* from({ origin: "null" }), 403)
      assert.strictEqual(yield* from({ "sec-fetch-site": "same-origin" }), 201)
      for (const path of ["//console/api/keys", "/%63onsole/api/keys", "/console//api/keys"]) {
        const response = yield* raw(
          `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nCookie: ${header.cookie}\r\nSec-Fetch-Site: same-site\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"name":"evil"}`
        )
        assert.match(response, /^HTTP\/1\.1 403 /u, path)
      }
    }).pipe(Effect.provide(layerConsole()))
  )

  it.live("refuses a page whose own host name resolves to this machine", () =>
    Effect.gen(function* () {
      const response = yield* raw(
        `GET /console/api/session HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`
      )
      assert.match(response, /^HTTP\/1\.1 403 [\s\S]*is not allowed/u)
    }).pipe(Effect.provide(layerConsole({ access: "open" })))
  )

  it.live("refuses a key over a connection that others can read", () =>
    Effect.gen(function* () {
      const headers = { host: "agent.lan:8080" }
      const ask = (method: string, body: string) =>
        raw(
          `${method} /console/api/session HTTP/1.1\r\nHost: ${headers.host}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
        )
      assert.include(yield* ask("GET", ""), '{"state":"insecure","key":null}')
      const refused = yield* ask("POST", '{"key":"wak_root"}')
      assert.match(refused, /^HTTP\/1\.1 403 [\s\S]*readable on the network/u)
      assert.notInclude(refused.toLowerCase(), "set-cookie")
    }).pipe(Effect.provide(layerConsole({ listen: { allowedHosts: ["agent.lan"] } })))
  )

  it.live("refuses a key from a page without TLS at the public address", () =>
    Effect.gen(function* () {
      const send = (origin: string) =>
        raw(
          `POST /console/api/session HTTP/1.1\r\nHost: agent.example\r\nOrigin: ${origin}\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 18\r\n\r\n{"key":"wak_root"}`
        )
      assert.match(yield* send("http://agent.example"), /^HTTP\/1\.1 403 [\s\S]*readable on the network/u)
      const taken = yield* send("https://agent.example")
      assert.match(taken, /^HTTP\/1\.1 200 [\s\S]*; Secure/u)
    }).pipe(Effect.provide(layerConsole({ listen: { publicUrl: "https://agent.example" } })))
  )

  it.live("marks the cookie as Secure behind a proxy with TLS", () =>
    Effect.gen(function* () {
      const headers = {
        "x-forwarded-proto": "https",
        "x-forwarded-for": "203.0.113.9",
        "x-forwarded-host": "agent.example"
      }
      const body = { key: "wak_root" }
      const { headers: sent, status } = yield* send("POST", "/console/api/session", { key: null, headers, body })
      assert.strictEqual(status, 200)
      assert.match(sent.get("set-cookie") ?? "", /; Secure/u)
      const plain = { ...headers, "x-forwarded-proto": "http" }
      assert.strictEqual((yield* send("POST", "/console/api/session", { key: null, headers: plain, body })).status, 403)
    }).pipe(Effect.provide(layerConsole({ listen: { trustProxy: ["127.0.0.1"] } })))
  )

  it.live("is not needed where the console is open", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* state({}), { state: "open", key: null })
      const { body, status } = yield* ask("GET", "/server", {})
      assert.strictEqual(status, 200)
      assert.deepInclude(body["key"], { name: "console", admin: true })
      assert.strictEqual(
        (yield* ask("POST", "/keys", { "sec-fetch-site": "cross-site" }, { name: "evil" })).status,
        403
      )
    }).pipe(Effect.provide(layerConsole({ access: "open" })))
  )
})
