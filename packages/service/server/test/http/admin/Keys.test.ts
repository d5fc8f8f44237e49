import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Server } from "../../../src/Server.ts"
import { ask, layerAdmin, send } from "./served.ts"

const test = (title: string, body: Effect.Effect<unknown, unknown, Server>) =>
  it.live(title, () => Effect.asVoid(body).pipe(Effect.provide(layerAdmin())))

const names = (text: string) => (JSON.parse(text) as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)

test(
  "lists all keys, or only the caller's key without the scope admin, with exact usage",
  Effect.gen(function* () {
    assert.deepStrictEqual(names((yield* ask("root", "GET", "/keys")).text), ["root", "shop", "blog", "reader"])
    const own = yield* ask("shop", "GET", "/keys")
    assert.deepStrictEqual(names(own.text), ["shop"])
    assert.deepStrictEqual(JSON.parse(own.text)[0].usage, { runs: 1, browsers: 2, usdToday: "0.3" })
  })
)

test(
  "creates a key without the scope admin by default, and shows the secret once",
  Effect.gen(function* () {
    const created = yield* ask("root", "POST", "/keys", { name: "app" })
    assert.strictEqual(created.status, 201)
    assert.deepNestedPropertyVal(created.body, "key.scopes", ["read", "runs", "browsers"])
    assert.strictEqual(created.body["secret"], "wak_app")
    assert.notInclude((yield* ask("root", "GET", "/keys")).text, '"secret"')
    const admin = yield* ask("root", "POST", "/keys", { name: "ops", scopes: ["admin"] })
    assert.deepNestedPropertyVal(admin.body, "key.scopes", ["admin"])
    const again = yield* ask("root", "POST", "/keys", { name: "app" })
    assert.deepStrictEqual(
      [again.status, again.body],
      [409, { detail: "A key named app exists. Revoke or rotate it, or choose another name" }]
    )
    for (const body of [
      { name: "../x" },
      { name: "" },
      { name: "a", scopes: [] },
      { name: "a", scopes: ["root"] },
      { name: "a", usdPerDay: 5 },
      {}
    ]) {
      assert.strictEqual((yield* ask("root", "POST", "/keys", body)).status, 422)
    }
  })
)

test(
  "rotates, limits and revokes a key",
  Effect.gen(function* () {
    const rotated = yield* ask("root", "POST", "/keys/shop/rotate")
    assert.strictEqual(rotated.status, 201)
    const secret = String(rotated.body["secret"]).replace("wak_", "")
    assert.strictEqual((yield* ask("shop", "GET", "/keys")).status, 401)
    assert.strictEqual((yield* ask(secret, "GET", "/keys")).status, 200)
    const limits = { runs: 3, browsers: null, requestsPerMinute: 60, usdPerDay: 1.5, fileDays: 7 }
    assert.deepNestedPropertyVal(yield* ask("root", "PUT", "/keys/shop/limits", limits), "body.limits", limits)
    for (const wrong of [{ runs: -1 }, { fileDays: 0 }]) {
      assert.strictEqual((yield* ask("root", "PUT", "/keys/shop/limits", { ...limits, ...wrong })).status, 422)
    }
    assert.isString((yield* ask("root", "POST", "/keys/shop/revoke")).body["revokedAt"])
    assert.strictEqual((yield* ask(secret, "GET", "/keys")).status, 401)
    for (const path of ["/keys/shop/revoke", "/keys/a%2Fb/revoke", "/keys/%ff/rotate", "/keys/'%20OR%201=1--/rotate"]) {
      assert.strictEqual((yield* ask("root", "POST", path)).status, 404)
    }
  })
)

test(
  "doesn't let the last key with the scope admin revoke itself",
  Effect.gen(function* () {
    const revoke = () => ask("root", "POST", "/keys/root/revoke")
    const refused = yield* revoke()
    assert.deepStrictEqual(
      [refused.status, refused.body["detail"]],
      [409, "root is the last key with the scope admin. Create another one with it first, or rotate root"]
    )
    yield* ask("root", "POST", "/keys", { name: "ops", scopes: ["admin"] })
    yield* ask("root", "POST", "/keys/ops/revoke")
    // a revoked key doesn't count
    assert.strictEqual((yield* revoke()).status, 409)
    yield* ask("root", "POST", "/keys", { name: "next", scopes: ["read", "admin"] })
    assert.strictEqual((yield* revoke()).status, 200)
    assert.strictEqual((yield* ask("root", "GET", "/keys")).status, 401)
  })
)

test(
  "carries out a create once per caller, even if its key is rotated before the retry",
  Effect.gen(function* () {
    const create = (key: string, idempotencyKey = "one") =>
      Effect.map(
        send("POST", "/api/v4/runs", {
          key: `wak_${key}`,
          headers: { "idempotency-key": idempotencyKey },
          body: { task: "Find a mug" }
        }),
        ({ body, headers, status }) => ({ id: body["id"], status, replayed: headers.get("idempotency-replayed") })
      )
    const first = yield* create("shop")
    const rotated = yield* ask("root", "POST", "/keys/shop/rotate")
    const retried = yield* create(String(rotated.body["secret"]).replace("wak_", ""))
    assert.deepStrictEqual(retried, { ...first, replayed: "true" })
    const other = yield* create("blog")
    assert.notStrictEqual(other.id, first.id)
    assert.strictEqual((yield* create("root")).replayed, null)
  })
)

test(
  "returns facts about the server and its only node",
  Effect.gen(function* () {
    yield* Effect.sleep("50 millis")
    const { body } = yield* ask("shop", "GET", "/server")
    // since the server started, not since the first request
    assert.isAtLeast(Number(body["uptimeMs"]), 50)
    assert.containsAllKeys(body, ["version", "node", "startedAt", "uptimeMs", "data", "browsers", "model"])
    assert.deepInclude(body["key"], { name: "shop", admin: false })
    assert.includeMembers(body["has"] as Array<string>, ["keys", "nodes"])
    // it stores no profiles
    assert.notInclude(body["has"] as Array<string>, "profiles")
    assert.deepInclude((yield* ask("root", "GET", "/server")).body["key"], { name: "root", admin: true })
    const operations = (key: string) =>
      Effect.map(ask(key, "GET", "/server"), ({ body }) => (body["key"] as { operations: Array<string> }).operations)
    const all = yield* operations("root")
    assert.includeMembers(all, ["keys.create", "nodes.list", "server.settings", "runs.create"])
    const needAdmin = ["keys.create", "keys.rotate", "keys.revoke", "keys.setLimits"]
    const withoutAdmin = all.filter((name) => !/^nodes|settings$/u.test(name) && !needAdmin.includes(name))
    assert.deepStrictEqual(yield* operations("shop"), withoutAdmin)
    assert.includeMembers(yield* operations("reader"), ["runs.list", "audit.export", "keys.list"])
    assert.notIncludeMembers(yield* operations("reader"), ["runs.create", "browsers.stop", "runs.cancel"])
    assert.deepStrictEqual((yield* ask("shop", "GET", "/health")).body, { status: "ok", reason: null, details: {} })
    const nodes = JSON.parse((yield* ask("root", "GET", "/nodes")).text)
    assert.lengthOf(nodes, 1)
    assert.strictEqual(nodes[0].version, (yield* ask("root", "GET", "/server")).body["version"])
    assert.strictEqual((yield* ask("root", "POST", `/nodes/${nodes[0].id}/drain`)).status, 404)
  })
)

test(
  "refuses different wrong keys from an address after 20 in a minute, but never a valid or missing one",
  Effect.gen(function* () {
    const statuses: Array<number> = []
    for (let count = 0; count < 25; count++) statuses.push((yield* ask(`unlisted${count}`, "GET", "/server")).status)
    assert.deepStrictEqual(statuses, [...Array(20).fill(401), ...Array(5).fill(429)])
    const refused = yield* ask("unlisted", "GET", "/server")
    // neither is a guess
    assert.strictEqual((yield* ask("unlisted0", "GET", "/server")).status, 401)
    assert.strictEqual((yield* send("GET", "/admin/v1/server", { key: null })).status, 401)
    assert.strictEqual(refused.body["detail"], "Too many wrong API keys from 127.0.0.1. Check the key")
    assert.isAbove(Number(refused.headers.get("retry-after")), 0)
    assert.strictEqual((yield* ask("shop", "GET", "/server")).status, 200)
  })
)

it.live("counts wrong keys by the address that a trusted proxy reports, and otherwise by the connection's", () =>
  Effect.gen(function* () {
    const statuses = Effect.fnUntraced(function* (address: string, count: number) {
      const headers = { "x-forwarded-for": address }
      const guesses = Array.from({ length: count }, (_, index) =>
        send("GET", "/admin/v1/server", { key: `wak_${address}-${index}`, headers })
      )
      return yield* Effect.map(Effect.all(guesses), (all) => all.map(({ status }) => status))
    })
    const behindProxy = Effect.gen(function* () {
      const limited = [...Array(20).fill(401), 429]
      assert.deepStrictEqual(yield* statuses("203.0.113.9", 21), limited)
      assert.deepStrictEqual(yield* statuses("203.0.113.10", 21), limited)
      // the client of an untrusted proxy names any address that it likes
      assert.deepStrictEqual(yield* statuses("198.51.100.1, 203.0.113.9", 1), [429])
    })
    yield* Effect.provide(behindProxy, layerAdmin({ listen: { trustProxy: ["127.0.0.1"] } }))
    const direct = Effect.gen(function* () {
      assert.deepStrictEqual(yield* statuses("203.0.113.9", 20), Array(20).fill(401))
      assert.deepStrictEqual(yield* statuses("203.0.113.10", 1), [429])
    })
    yield* Effect.provide(direct, layerAdmin())
  })
)
