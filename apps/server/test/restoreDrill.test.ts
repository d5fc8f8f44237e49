import { assert, it } from "@effect/vitest"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import { mkdirSync, chmodSync } from "node:fs"
import { join } from "node:path"
import { ready, run, send, start, until } from "./program.ts"
import { dump, restore } from "./restoreDrill.ts"

const serving = Effect.fnUntraced(function* (address: string) {
  const program = yield* start(["serve", "--port=0", `--data=${address}`])
  const { v4 = "" } = yield* ready(program)
  return { program, v4 }
})

const task = (script: string) => ({ task: `Find a red mug [simulate ${script}]` })

const statusIs = (status: string) => (answer: { readonly body: Readonly<Record<string, unknown>> }) =>
  answer.body["status"] === status

it.live("a server on a database restored from a dump has every key, run and list", () =>
  Effect.gen(function* () {
    const { database } = yield* TestPostgres
    const lost = yield* database
    const restored = yield* database
    const folder = join(new URL(lost).searchParams.get("host") ?? "", "dump")
    mkdirSync(folder)
    // Postgres may run as another user
    chmodSync(folder, 0o777)

    const { stdout } = yield* run(["keys", "create", "--name=shop", `--data=${lost}`])
    const key = stdout.trim()
    const first = yield* serving(lost)
    const create = (v4: string, script: string, idempotency: string) =>
      Effect.map(
        send(v4, key, "POST", "/runs", task(script), { "idempotency-key": idempotency }),
        ({ body }) => `/runs/${String(body["id"])}`
      )
    const finished = yield* Effect.forEach(["a", "b", "c"], (name) =>
      create(first.v4, `output=${name} duration=10ms`, name)
    )
    for (const path of finished) yield* until(send(first.v4, key, "GET", path), statusIs("completed"))
    const running = yield* create(first.v4, "duration=10m", "running")
    yield* until(send(first.v4, key, "GET", running), statusIs("running"))

    /** All that a client sees of finished runs. Links start with the address of the server. */
    const seen = Effect.fnUntraced(function* (v4: string) {
      const runs = yield* Effect.forEach(finished, (path) => send(v4, key, "GET", path))
      const events = yield* Effect.forEach(finished, (path) => send(v4, key, "GET", `${path}/events`))
      const list = yield* send(v4, key, "GET", "/runs")
      // the end of the log, and the running run, move on when the server of before is lost
      const logs = events.map(({ body }) => ({ ...body, nextAfter: null }))
      const listed = String(JSON.stringify(list.body)).match(/"id":"[^"]+"/gu)
      const bodies = JSON.stringify([runs.map(({ body }) => body), logs, listed])
      return JSON.parse(bodies.replaceAll(new URL(v4).origin, "")) as unknown
    })
    const before = yield* seen(first.v4)
    const tables = yield* dump(lost, folder)
    assert.includeMembers(tables, ["sessions", "turns", "api_keys"])
    const late = yield* create(first.v4, "output=late duration=10ms", "late")
    first.program.process.kill("SIGKILL")
    yield* first.program.ended

    // the schema of the new database is the server's own
    yield* run(["keys", "create", "--name=temporary", `--data=${restored}`])
    assert.deepStrictEqual(yield* restore(restored, folder), tables)
    const second = yield* serving(restored)
    assert.deepStrictEqual(yield* seen(second.v4), before)
    assert.include((yield* run(["keys", "list", `--data=${restored}`])).stdout, "shop")
    assert.notInclude((yield* run(["keys", "list", `--data=${restored}`])).stdout, "temporary")
    // its server is gone, so the run ends with a reason
    const { body: ended } = yield* until(send(second.v4, key, "GET", running), statusIs("failed"))
    assert.match(String(ended["error"]), /lost|stopped|restart/u)
    // a repeated create returns its first run, and one after the dump is made again
    assert.strictEqual(yield* create(second.v4, "output=a duration=10ms", "a"), finished[0])
    assert.strictEqual((yield* send(second.v4, key, "GET", late)).status, 404)
    const again = yield* create(second.v4, "output=late duration=10ms", "late")
    yield* until(send(second.v4, key, "GET", again), statusIs("completed"))
    const { body: events } = yield* send(second.v4, key, "GET", `${again}/events`)
    assert.isNotEmpty(events["events"] ?? events["items"])
  }).pipe(Effect.provide(TestPostgres.layer))
)
