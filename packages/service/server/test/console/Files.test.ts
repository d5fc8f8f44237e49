import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { layerConsole, raw, script, send } from "./served.ts"

const get = (path: string, headers: Readonly<Record<string, string>> = {}) => send("GET", path, { key: null, headers })

describe("the console's files", () => {
  it.live("serve the page uncached at every screen's address", () =>
    Effect.gen(function* () {
      for (const path of ["/console", "/console/", "/console/runs/5f2e", "/console/runs?status=failed"]) {
        const { headers, status, text } = yield* get(path)
        assert.strictEqual(status, 200, path)
        assert.include(text, "<title>console</title>", path)
        assert.strictEqual(headers.get("cache-control"), "no-store", path)
        assert.match(headers.get("content-type") ?? "", /^text\/html/u)
      }
    }).pipe(Effect.provide(layerConsole()))
  )

  it.live("are cached and compressed if their name has a hash", () =>
    Effect.gen(function* () {
      const plain = yield* get("/console/assets/index-abc.js", { "accept-encoding": "identity" })
      assert.strictEqual(plain.text, script)
      assert.strictEqual(plain.headers.get("cache-control"), "public, max-age=31536000, immutable")
      const { headers, text } = yield* get("/console/assets/index-abc.js", { "accept-encoding": "gzip, br;q=0.5" })
      // fetch decodes the body
      assert.strictEqual(headers.get("content-encoding"), "br")
      assert.strictEqual(text, script)
      assert.strictEqual(headers.get("vary"), "accept-encoding")
      const refused = yield* get("/console/assets/index-abc.js", { "accept-encoding": "br;q=0" })
      assert.isNull(refused.headers.get("content-encoding"))
    }).pipe(Effect.provide(layerConsole()))
  )

  it.live("have a policy that forbids other hosts and inline scripts", () =>
    Effect.gen(function* () {
      for (const path of [
        "/console",
        "/console/assets/index-abc.js",
        "/console/assets/none.js",
        "/console/api/server"
      ]) {
        const { headers } = yield* get(path)
        const policy = headers.get("content-security-policy") ?? ""
        assert.include(policy, "default-src 'none'; script-src 'self'", path)
        assert.include(policy, "require-trusted-types-for 'script'; trusted-types 'none'", path)
        assert.notInclude(policy, "unsafe", path)
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff", path)
        assert.strictEqual(headers.get("referrer-policy"), "no-referrer", path)
      }
    }).pipe(Effect.provide(layerConsole()))
  )

  it.live("never come from outside their folder", () =>
    Effect.gen(function* () {
      for (const path of [
        "/console/../package.json",
        "/console/%2e%2e/package.json",
        "/console/..%2fpackage.json",
        "/console/secret.env"
      ]) {
        const response = yield* raw(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`)
        assert.notInclude(response, "KEY=1", path)
        assert.notInclude(response, '"name"', path)
      }
      assert.strictEqual((yield* get("/console/assets/gone.js")).status, 404)
    }).pipe(Effect.provide(layerConsole()))
  )

  it.live("are only read", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* send("POST", "/console/runs", { key: null })).status, 405)
      assert.strictEqual((yield* send("HEAD", "/console", { key: null })).status, 200)
    }).pipe(Effect.provide(layerConsole()))
  )

  it.live("are the redirect target for a browser that opens the server's address, but not for other clients", () =>
    Effect.gen(function* () {
      const open = (accept: string) =>
        raw(`GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`)
      assert.match(yield* open("text/html,application/xhtml+xml"), /^HTTP\/1\.1 302 [\s\S]*^location: \/console\r$/imu)
      assert.match(yield* open("*/*"), /^HTTP\/1\.1 200 /u)
    }).pipe(Effect.provide(layerConsole()))
  )

  it.live("explain how to build them if they aren't built", () =>
    Effect.gen(function* () {
      const { status, text } = yield* get("/console")
      assert.strictEqual(status, 503)
      assert.include(text, "npm run console")
    }).pipe(Effect.provide(layerConsole({ files: "/nowhere/console" })))
  )

  it.live("are missing with --no-console, as is the API", () =>
    Effect.gen(function* () {
      for (const path of ["/console", "/console/api/session", "/console/api/server"])
        assert.strictEqual((yield* get(path)).status, 404, path)
      assert.strictEqual(
        (yield* send("POST", "/console/api/session", { key: null, body: { key: "wak_root" } })).status,
        404
      )
    }).pipe(Effect.provide(layerConsole({ access: "off" })))
  )
})
