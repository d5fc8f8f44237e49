import { assert, describe, it } from "@effect/vitest"
import { Store } from "@webagent/engine"
import { Database, PostgresDatabase, SqlStore } from "@webagent/sql"
import { creation } from "@webagent/store-contract/Creation"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { join } from "node:path"
import { node as startNode } from "./node.ts"
import { folder, ready, run, send, start, until } from "./program.ts"

const isFinished = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
  ["completed", "failed", "cancelled"].includes(String(body["status"]))

const isRunning = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) => body["status"] === "running"

/** A server over a file with a key, a running run and a browser of it. */
const serving = Effect.gen(function* () {
  const path = join(yield* folder, "server.db")
  const created = yield* run(["keys", "create", "--data", path, "--name", "shop"])
  const key = created.stdout.trim()
  const program = yield* start([
    "serve",
    "--port",
    "0",
    "--data",
    path,
    "--api-key",
    "K",
    "--drain-within",
    "0 seconds"
  ])
  const { v4 } = yield* ready(program)
  return { path, key, program, v4 }
})

/** The last browser record of a server that any key can list by `browsers --json`. */
const open = (data: string) =>
  Effect.map(run(["browsers", "--json", "--data", data]), ({ stdout }) =>
    (JSON.parse(stdout) as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
  )

describe("operator commands", () => {
  it.live("cancel a run and stop a browser of any key while a server uses the file", () =>
    Effect.gen(function* () {
      const { key, path, program, v4 } = yield* serving
      const { body } = yield* send(v4, key, "POST", "/runs", { task: "Find a mug [simulate duration=40s]" })
      const id = String(body["id"])
      yield* until(send(v4, key, "GET", `/runs/${id}`), isRunning)
      const cancelled = yield* run(["runs", "cancel", id, "--data", path])
      assert.deepStrictEqual(cancelled, {
        code: 0,
        stdout: `Cancelled run ${id}. If a server is running, it stops its agent within a second.\n`,
        stderr: ""
      })
      const after = yield* send(v4, key, "GET", `/runs/${id}`)
      assert.strictEqual(after.body["status"], "cancelled")
      const again = yield* run(["runs", "cancel", id, "--data", path])
      assert.deepStrictEqual([again.code, again.stdout], [0, `Run ${id} is cancelled already. Nothing was changed.\n`])

      const browser = yield* send(v4, key, "POST", "/browsers", {})
      const browserId = String(browser.body["id"])
      const socket = new WebSocket(String(browser.body["cdpUrl"]))
      const closed = new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)))
      yield* Effect.promise(() => new Promise((resolve) => socket.addEventListener("open", resolve)))
      const stopped = yield* run(["browsers", "stop", browserId, "--data", path])
      assert.strictEqual(stopped.code, 0, stopped.stderr)
      // the server closes the connections of the browser
      assert.strictEqual(yield* Effect.promise(() => closed), 4001)
      const twice = yield* run(["browsers", "stop", browserId, "--data", path])
      assert.strictEqual(twice.stdout, `Browser ${browserId} is stopped already. Nothing was changed.\n`)

      // the session's next message starts, because the server's agent has let go of the cancelled run
      const next = yield* send(v4, key, "POST", `/sessions/${String(body["sessionId"])}/queue`, {
        text: "Another [simulate duration=10ms output=found]",
        interrupt: false
      })
      const done = yield* until(send(v4, key, "GET", `/runs/${String(next.body["runId"])}`), isFinished)
      assert.strictEqual(done.body["status"], "completed")
      program.process.kill("SIGTERM")
      const { stderr } = yield* program.ended
      assert.match(stderr, new RegExp(`Run finished.*run=${id}.* status=cancelled reason=asked`, "u"))
    })
  )

  it.live("report an unknown id, and cancel a run without a running server", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "server.db")
      const stored = Store.use((store) => store.commit(creation("1")))
      yield* Effect.provide(stored, Layer.provide(SqlStore.layer, Database.layer({ file })))
      const unknown = yield* run(["runs", "cancel", "nothing", "--data", file])
      assert.deepStrictEqual([unknown.code, unknown.stdout], [2, ""])
      assert.match(unknown.stderr, /has no run nothing\. List them: .* runs --data .*\n$/u)
      const missing = yield* run(["browsers", "stop", "nothing", "--data", file])
      assert.match(missing.stderr, /has no browser nothing\. List them: .* browsers --data .*\n$/u)
      const cancelled = yield* run(["runs", "cancel", "t1", "--data", file])
      assert.deepStrictEqual([cancelled.code, cancelled.stdout], [0, "Cancelled run t1.\n"])
      const listed = yield* run(["runs", "--data", file])
      assert.match(listed.stdout, /\nt1 +cancelled +asked /u)
    })
  )

  it.live("report that a run's node is dead", () =>
    Effect.gen(function* () {
      const { database } = yield* TestPostgres
      const url = yield* database
      const { session, turns, events } = creation("1")
      const lease = { node: "east.1", token: 1, turnId: "t1" }
      const running = turns.map((turn) => ({ ...turn, status: "running" as const }))
      yield* Effect.provide(
        Store.use((store) => store.commit({ session: { ...session, lease }, turns: running, events })),
        Layer.provide(SqlStore.layer, PostgresDatabase.layer({ url: Redacted.make(url) }))
      )
      const cancelled = yield* run(["runs", "cancel", "t1", "--data", url])
      assert.deepStrictEqual(
        [cancelled.code, cancelled.stdout, cancelled.stderr],
        [0, "Cancelled run t1. Its node east.1 isn't running.\n", ""]
      )
    }).pipe(Effect.provide(TestPostgres.layer))
  )

  it.live("stop a revoked key's runs and browsers on every node, and report their number", () =>
    Effect.gen(function* () {
      const { database } = yield* TestPostgres
      const url = yield* database
      const nodes = yield* Effect.forEach(["east", "west"], (name) => startNode(url, name))
      const key = (yield* run(["keys", "create", "--data", url, "--name", "shop"])).stdout.trim()
      const ids: Array<readonly [at: string, run: string]> = []
      for (const { at } of nodes) {
        const { body } = yield* send(at, key, "POST", "/runs", { task: "Find a mug [simulate duration=40s]" })
        yield* send(at, key, "POST", "/browsers", {})
        const id = String(body["id"])
        yield* until(send(at, key, "GET", `/runs/${id}`), isRunning)
        ids.push([at, id])
      }
      yield* send(nodes[0]?.at, "K", "POST", "/browsers", {})
      const others = yield* open(url)
      const revoked = yield* run(["keys", "revoke", "--name", "shop", "--stop", "--data", url])
      assert.strictEqual(revoked.code, 0, revoked.stderr)
      assert.match(
        revoked.stdout,
        /^Revoked the key shop\..*\nCancelled 2 runs and stopped 2 browsers of the key shop\.\n$/u
      )
      // the browser of the other key keeps running
      assert.lengthOf(yield* open(url), others.length - 2)
      const rotated = (yield* run(["keys", "create", "--data", url, "--name", "shop"])).stdout.trim()
      for (const [at, id] of ids) {
        assert.strictEqual((yield* send(at, rotated, "GET", `/runs/${id}`)).body["status"], "cancelled")
      }
      yield* run(["keys", "revoke", "--name", "shop", "--data", url])
      const again = yield* run(["keys", "revoke", "--name", "shop", "--stop", "--data", url])
      assert.strictEqual(
        again.stdout,
        "The key shop is revoked already.\nCancelled 0 runs and stopped 0 browsers of the key shop.\n"
      )
      const unknown = yield* run(["keys", "revoke", "--name", "unused", "--stop", "--data", url])
      assert.match(unknown.stderr, /^No key is named unused\./u)
    }).pipe(Effect.provide(TestPostgres.layer))
  )
})
