import { assert, it } from "@effect/vitest"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { node } from "./node.ts"
import { folder, ready, run, start } from "./program.ts"

/** Sends a request of a console's page. */
const ask = (address: string, method: string, path: string, cookie = "", body?: object) =>
  Effect.promise(async () => {
    const response = await fetch(`${address}/console/api${path}`, {
      method,
      headers: { cookie, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, text, cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "" }
  })

const signIn = (address: string, key: string) =>
  Effect.map(ask(address, "POST", "/session", "", { key }), ({ cookie, status }) => {
    assert.strictEqual(status, 200)
    return cookie
  })

const statusOf = (address: string, cookie: string) =>
  Effect.map(ask(address, "GET", "/server", cookie), ({ status }) => status)

it.live("a console session continues after a restart of its server, and ends with its key", () =>
  Effect.gen(function* () {
    const path = join(yield* folder, "server.db")
    const created = yield* run(["keys", "create", "--data", path, "--name", "me", "--scope", "admin"])
    const serving = (...flags: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const program = yield* start(["serve", "--port", "0", "--data", path, ...flags])
        return { program, address: new URL((yield* ready(program))["v4"] ?? "").origin }
      })
    const first = yield* serving("--api-key", "given")
    const stored = yield* signIn(first.address, created.stdout.trim())
    const given = yield* signIn(first.address, "given")
    first.program.process.kill("SIGKILL")
    yield* first.program.ended
    // this start has no given key any more
    const second = yield* serving()
    assert.deepStrictEqual(
      [yield* statusOf(second.address, stored), yield* statusOf(second.address, given)],
      [200, 401]
    )
    yield* run(["keys", "revoke", "--data", path, "--name", "me"])
    assert.strictEqual(yield* statusOf(second.address, stored), 401)
  }).pipe(Effect.scoped)
)

it.live("every node recognizes the console session that one of them opened, until it ends on any", () =>
  Effect.gen(function* () {
    const data = yield* Effect.flatMap(TestPostgres, ({ database }) => database)
    const [east, west] = [yield* node(data, "east"), yield* node(data, "west")]
    const cookie = yield* signIn(east.address, "K")
    assert.strictEqual(yield* statusOf(west.address, cookie), 200)
    assert.include((yield* ask(west.address, "GET", "/session", cookie)).text, '"state":"signedIn"')
    assert.strictEqual((yield* ask(west.address, "DELETE", "/session", cookie)).status, 204)
    assert.strictEqual(yield* statusOf(east.address, cookie), 401)
  }).pipe(Effect.scoped, Effect.provide(TestPostgres.layer))
)
