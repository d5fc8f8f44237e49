import { assert, describe, it } from "@effect/vitest"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { createRequire } from "node:module"
import { afterAll } from "vitest"
import { ready, run, send, source, start, until } from "./program.ts"

const installed: { readonly version: string } = createRequire(import.meta.url)("@effect/sql-pg/package.json")

const runtime = ManagedRuntime.make(TestPostgres.layer)
afterAll(() => runtime.dispose())

const withPostgres = <A, E, R>(use: (postgres: TestPostgres["Service"], address: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(runtime.contextEffect, (context) =>
    Effect.gen(function* () {
      const postgres = yield* Effect.provideContext(Effect.service(TestPostgres), context)
      return yield* use(postgres, yield* postgres.database)
    })
  )

/** A server over a database, and where its v4 is. */
const serving = Effect.fnUntraced(function* (address: string, ...args: ReadonlyArray<string>) {
  const program = yield* start(["serve", "--port", "0", "--api-key", "K", "--data", address, ...args])
  const printed = yield* ready(program)
  return { program, printed, at: printed["v4"], origin: new URL(printed["v4"] ?? "").origin }
})

const task = (script: string) => ({ task: `Find a red mug [simulate ${script}]` })

const isOver = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
  ["completed", "failed", "cancelled"].includes(String(body["status"]))

describe("webagent-server --data postgres://", () => {
  it.live("keeps acknowledged data for later servers, even if three of them start together on an empty database", () =>
    withPostgres((_, address) =>
      Effect.gen(function* () {
        const names = ["east", "west", "north"]
        const servers = yield* Effect.forEach(names, (name) => serving(address, "--node", name), { concurrency: 3 })
        const key = { "idempotency-key": "one" }
        const all = yield* Effect.forEach(
          servers,
          ({ at }) => send(at, "K", "POST", "/runs", task("output=found duration=10ms"), key),
          { concurrency: 3 }
        )
        const ids = all.map(({ body }) => body["id"])
        assert.lengthOf(new Set(ids), 1)
        assert.deepStrictEqual(all.map(({ headers }) => headers.get("idempotency-replayed")).toSorted(), [
          null,
          "true",
          "true"
        ])
        for (const { at } of servers) yield* until(send(at, "K", "GET", `/runs/${String(ids[0])}`), isOver)
        const long = yield* send(servers[0]?.at, "K", "POST", "/runs", task("duration=10m"))
        const path = `/runs/${String(long.body["id"])}`
        for (const { at } of servers)
          yield* until(send(at, "K", "GET", path), ({ body }) => body["status"] === "running")
        // any of the servers may have started the run
        const nodes: ReadonlyArray<{ readonly name: string; readonly sessions: number }> = JSON.parse(
          (yield* run(["nodes", "--json", "--data", address])).stdout
        )
        const busy = nodes.filter(({ sessions }) => sessions > 0).map(({ name }) => name)
        assert.lengthOf(busy, 1)
        const killed = names.indexOf(busy[0] ?? "")
        servers[killed]?.program.process.kill("SIGKILL")
        const other = servers.find((_, index) => index !== killed)
        const lost = yield* until(send(other?.at, "K", "GET", path), isOver)
        assert.match(String(lost.body["error"]), /lost/u)
      })
    )
  )

  it.live("returns 503 while its database is unavailable or frozen, and continues when it is back", () =>
    withPostgres((postgres, address) =>
      Effect.gen(function* () {
        const { at, origin } = yield* serving(address)
        const { body } = yield* send(at, "K", "POST", "/runs", task("output=found duration=10ms"))
        const read = send(at, "K", "GET", `/runs/${String(body["id"])}`)
        const well = send(origin, "K", "GET", "/health")
        yield* until(read, isOver)
        for (const [what, begin, end] of [
          ["killed", postgres.kill, postgres.start],
          ["frozen", postgres.freeze, postgres.thaw]
        ] as const) {
          yield* begin
          const key = { "idempotency-key": what }
          const refused = yield* send(at, "K", "POST", "/runs", task("output=late duration=10ms"), key)
          assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [503, "1"])
          assert.strictEqual((yield* read).status, 503)
          const away = yield* well
          assert.deepInclude(away.body, { status: "unavailable", ready: false })
          assert.deepInclude(away.body["store"], { kind: "postgres", answers: false })
          yield* end
          yield* until(well, ({ status }) => status === 200)
          const late = yield* send(at, "K", "POST", "/runs", task("output=late duration=10ms"), key)
          const done = yield* until(send(at, "K", "GET", `/runs/${String(late.body["id"])}`), isOver)
          assert.strictEqual(done.body["result"], "late")
          assert.strictEqual((yield* read).body["result"], "found")
        }
      })
    )
  )

  it.live("names the package to install if the Postgres client is missing", () =>
    Effect.gen(function* () {
      const without = `import { registerHooks } from "node:module"
        registerHooks({
          resolve: (name, context, next) => {
            if (name.startsWith("@effect/sql-pg")) throw new Error("not installed")
            return next(name, context)
          }
        })`
      const options = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(without)}` }
      const program = yield* start(["keys", "list", "--data", "postgres://ann@127.0.0.1:2/service"], options, source)
      assert.deepStrictEqual(yield* program.ended, {
        code: 2,
        stderr: `A Postgres database needs the package @effect/sql-pg. Run: npm install @effect/sql-pg@${installed.version}\n`
      })
    })
  )

  it.live("shows no password in any error", () =>
    Effect.gen(function* () {
      const address = "postgres://ann:s3cret@127.0.0.1:2/service?password=s3cret"
      const refused = yield* run(["serve", "--port", "0", "--data", address, "--api-key", "K"])
      assert.deepStrictEqual(refused, {
        code: 2,
        stdout: "",
        stderr:
          "Cannot use postgres://ann@127.0.0.1:2/service: connect ECONNREFUSED 127.0.0.1:2. Check the address, the user's rights, and that Postgres runs.\n"
      })
      const backup = yield* run(["backup", "copy", "--data", address])
      assert.deepStrictEqual(backup, {
        code: 2,
        stdout: "",
        stderr:
          'postgres://ann@127.0.0.1:2/service is backed up with the tools of Postgres. Run: pg_dump --format=custom --file=copy "postgres://ann@127.0.0.1:2/service"\n'
      })
      for (const wrong of ["postgres://ann:s3cret@[/x", "postgres://ann:s3cret@127.0.0.1:x/y"]) {
        const { code, stderr, stdout } = yield* run(["keys", "list", "--data", wrong])
        assert.strictEqual(code, 2)
        assert.notInclude(stderr + stdout, "s3cret")
      }
    })
  )
})
