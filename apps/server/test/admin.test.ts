import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { folder, ready, run, send, start } from "./program.ts"

/** The rows of a response without an object. */
const rowsOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
  JSON.parse(String(body["text"])) as ReadonlyArray<Readonly<Record<string, unknown>>>

/** A server over a file with the key `shop` and an admin key. */
const serving = (...flags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const path = join(yield* folder, "server.db")
    const created = yield* run(["keys", "create", "--data", path, "--name", "shop"])
    const program = yield* start(["serve", "--port", "0", "--data", path, "--admin-key", "A", ...flags])
    const { v4 = "" } = yield* ready(program)
    return { path, shop: created.stdout.trim(), v4, admin: v4.replace("/api/v4", "/admin/v1") }
  })

describe("a server's admin API", () => {
  it.live("accepts the key of --admin-key, which is not shown, and a key with the scope admin", () =>
    Effect.gen(function* () {
      const { admin, path, shop } = yield* serving(
        "--keep-days",
        "7",
        "--country-proxies",
        "de=http://u:hunter2@h:1",
        "--browsers",
        "auto"
      )
      const server = yield* send(admin, "A", "GET", "/server")
      assert.deepNestedPropertyVal(server, "body.key.admin", true)
      assert.strictEqual(server.body["data"], "sqlite")
      const settings = rowsOf(yield* send(admin, "A", "GET", "/settings"))
      assert.notInclude(JSON.stringify(settings), "hunter2")
      assert.deepInclude([...settings], {
        name: "keepDays",
        value: "7",
        flag: "--keep-days"
      })
      assert.deepInclude([...settings], {
        name: "adminKeys",
        value: "1",
        flag: "--admin-key"
      })
      assert.strictEqual((yield* send(admin, shop, "GET", "/settings")).status, 403)
      assert.deepInclude((yield* send(admin, shop, "GET", "/server")).body["key"], { name: "shop", admin: false })
      const ops = yield* run(["keys", "create", "--data", path, "--name", "ops", "--scope", "admin"])
      assert.strictEqual((yield* send(admin, ops.stdout.trim(), "GET", "/settings")).status, 200)
      assert.include((yield* run(["keys", "list", "--data", path])).stdout, "read,runs,browsers")
    }).pipe(Effect.scoped)
  )

  it.live("creates, rotates and revokes keys in the database", () =>
    Effect.gen(function* () {
      const { admin, shop, v4 } = yield* serving()
      const { body, status } = yield* send(admin, "A", "POST", "/keys", { name: "app" })
      assert.strictEqual(status, 201)
      const secret = String(body["secret"])
      assert.strictEqual((yield* send(v4, secret, "POST", "/runs", { task: "x" })).status, 201)
      const rotated = yield* send(admin, "A", "POST", "/keys/app/rotate")
      assert.strictEqual((yield* send(v4, secret, "POST", "/runs", { task: "x" })).status, 401)
      assert.strictEqual((yield* send(v4, String(rotated.body["secret"]), "POST", "/runs", { task: "x" })).status, 201)
      yield* send(admin, "A", "POST", "/keys/shop/revoke")
      assert.strictEqual((yield* send(v4, shop, "POST", "/runs", { task: "x" })).status, 401)
      const nodes = rowsOf(yield* send(admin, "A", "GET", "/nodes"))
      assert.deepStrictEqual(
        nodes.map(({ draining }) => draining),
        [false]
      )
    }).pipe(Effect.scoped)
  )
})
