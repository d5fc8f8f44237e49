import { assert, describe, it } from "@effect/vitest"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { node as startNode } from "./node.ts"
import { folder, ready, run, send, start, takenPort, until } from "./program.ts"

const isRunning = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) => body["status"] === "running"

const isFinished = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
  ["completed", "failed", "cancelled"].includes(String(body["status"]))

/** A server over a file with the key `shop` and an admin key. */
const serving = Effect.gen(function* () {
  const path = join(yield* folder, "server.db")
  const shop = (yield* run(["keys", "create", "--data", path, "--name", "shop"])).stdout.trim()
  const program = yield* start(["serve", "--port", "0", "--data", path, "--admin-key", "A", "--drain-within", "0s"])
  const { v4 = "" } = yield* ready(program)
  const address = v4.replace("/api/v4", "")
  return { path, shop, v4, address, program }
})

/** Runs a command against a server as an operator. */
const at = (address: string, ...args: ReadonlyArray<string>) =>
  run([...args, "--server", address], { WEBAGENT_ADMIN_KEY: "A" })

/** Runs a command over a file and over the server that uses it; both print the same. */
const same = Effect.fnUntraced(function* (
  { address, path }: { readonly address: string; readonly path: string },
  ...args: ReadonlyArray<string>
) {
  const ofFile = yield* run([...args, "--data", path])
  const ofServer = yield* at(address, ...args)
  // the time since a run was created may pass a second between the two
  const still = (text: string) =>
    text
      .replaceAll(/ +/gu, " ")
      .replaceAll(/ \d+[dhms](?: \d+[hms])*(?= )/gu, " N")
      .replaceAll(/ 0(?= )/gu, " N")
  assert.deepStrictEqual({ ...ofServer, stdout: still(ofServer.stdout) }, { ...ofFile, stdout: still(ofFile.stdout) })
  assert.strictEqual(ofServer.code, 0, ofServer.stderr)
  return ofServer.stdout
})

/** The address of a server with a response of a test. */
const responding = (respond: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly address: string; readonly close: () => void }>((resume) => {
      const server = createServer(respond).listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ address: `http://127.0.0.1:${port}`, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

describe("operator commands with --server", () => {
  it.live("list a server's runs, browsers and keys as in its file", () =>
    Effect.gen(function* () {
      const server = yield* serving
      const { address, path, shop, v4 } = server
      for (const task of [
        "[simulate duration=10ms]",
        "[simulate duration=10ms outcome=failed]",
        "[simulate duration=600s steps=0]"
      ]) {
        const { body } = yield* send(v4, shop, "POST", "/runs", { task: `Find\na mug ${task}` })
        yield* until(
          send(v4, shop, "GET", `/runs/${String(body["id"])}`),
          task.includes("600s") ? isRunning : isFinished
        )
      }
      yield* send(v4, shop, "POST", "/browsers", {})
      yield* run(["keys", "create", "--data", path, "--name", "none", "--max-browsers", "0", "--usd-per-day", "0.5"])
      yield* run(["keys", "revoke", "--data", path, "--name", "none"])
      assert.match(
        yield* same(server, "runs"),
        /^ID .*\n\S+ +running +- .*\n\S+ +failed +agent .*\n\S+ +completed +done /u
      )
      const open = JSON.parse(yield* same(server, "runs", "--open", "--json"))
      assert.lengthOf(open, 1)
      assert.isString(open[0].node)
      assert.lengthOf(JSON.parse(yield* same(server, "runs", "--json")), 3)
      assert.match(yield* same(server, "browsers"), /^ID +STATUS +SINCE +KEY +NODE\n\S+ +active /u)
      assert.isNotEmpty(JSON.parse(yield* same(server, "browsers", "--json")))
      assert.match(yield* same(server, "keys", "list"), /^shop .*\nnone .* 0 browsers, 0\.5 USD\/day .*revoked /u)
      const nodes = JSON.parse((yield* at(address, "nodes", "--json")).stdout)
      assert.deepStrictEqual(
        nodes.map(({ draining, sessions }: Record<string, unknown>) => [draining, sessions]),
        [[false, 1]]
      )
      const drained = yield* at(address, "drain", nodes[0].id)
      assert.deepStrictEqual(
        [drained.code, drained.stderr],
        [2, `${address} shares its database with no other node. Stop it: it finishes its running work first.\n`]
      )
    }).pipe(Effect.scoped)
  )

  it.live("list open runs beyond one page, the longest waiting first", () =>
    Effect.gen(function* () {
      const server = yield* serving
      const { body } = yield* send(server.v4, server.shop, "POST", "/runs", {
        task: "First [simulate duration=600s steps=0]"
      })
      const queue = `/sessions/${String(body["sessionId"])}/queue`
      yield* Effect.forEach(Array.from({ length: 120 }), (_, n) =>
        send(server.v4, server.shop, "POST", queue, { text: `Message ${n}`, interrupt: false })
      )
      const open = JSON.parse(yield* same(server, "runs", "--open", "--json"))
      assert.deepStrictEqual(
        [open.length, open[0].task, open[1].task, open[120].task],
        [121, "First [simulate duration=600s steps=0]", "Message 0", "Message 119"]
      )
      assert.lengthOf(JSON.parse(yield* same(server, "runs", "--json")), 100)
    }).pipe(Effect.scoped)
  )

  it.live("cancel a run, stop a browser, and create and revoke keys", () =>
    Effect.gen(function* () {
      const { address, path, v4 } = yield* serving
      const created = yield* at(address, "keys", "create", "--name", "app", "--max-runs", "5", "--scope", "runs")
      assert.strictEqual(created.stderr, "Created the key app. It is shown only now: keep it in a safe place.\n")
      const key = created.stdout.trim()
      assert.match((yield* run(["keys", "list", "--data", path])).stdout, /\napp .* runs {2}5 runs /u)
      const twice = yield* at(address, "keys", "create", "--name", "app")
      assert.deepStrictEqual(
        [twice.code, twice.stderr],
        [2, "A key named app exists. Revoke it first, or choose another name.\n"]
      )

      const admin = `${address}/admin/v1`
      const task = "Find a mug [simulate duration=40s]"
      const id = String((yield* send(v4, key, "POST", "/runs", { task })).body["id"])
      yield* until(send(admin, "A", "GET", `/runs/${id}`), isRunning)
      const cancelled = yield* at(address, "runs", "cancel", id.toUpperCase())
      assert.strictEqual(cancelled.code, 0, cancelled.stderr)
      assert.match(
        cancelled.stdout,
        new RegExp(`^Cancelled run ${id}\\. Node \\S+ stops its agent within a few seconds\\.\n$`, "u")
      )
      const again = yield* at(address, "runs", "cancel", id)
      assert.strictEqual(again.stdout, `Run ${id} is cancelled already. Nothing was changed.\n`)

      const browser = String((yield* send(v4, "A", "POST", "/browsers", {})).body["id"])
      const stopped = yield* at(address, "browsers", "stop", browser)
      assert.match(
        stopped.stdout,
        new RegExp(`^Stopped browser ${browser}\\. Node \\S+ closes it within a few seconds\\.\n$`, "u")
      )
      const stoppedTwice = yield* at(address, "browsers", "stop", browser)
      assert.strictEqual(stoppedTwice.stdout, `Browser ${browser} is stopped already. Nothing was changed.\n`)

      for (const what of ["run", "browser"]) {
        const unknown = yield* at(address, `${what}s`, what === "run" ? "cancel" : "stop", "unused")
        assert.deepStrictEqual([unknown.code, unknown.stdout], [2, ""])
        assert.match(
          unknown.stderr,
          new RegExp(`^${address} has no ${what} unused\\. List them: .* ${what}s --server ${address}\n$`, "u")
        )
      }

      yield* send(v4, key, "POST", "/runs", { task })
      const revoked = yield* at(address, "keys", "revoke", "--name", "app", "--stop")
      assert.match(
        revoked.stdout,
        /^Revoked the key app\..*\nCancelled 1 run and stopped \d browsers? of the key app\.\n$/u
      )
      const revokedTwice = yield* at(address, "keys", "revoke", "--name", "app", "--stop")
      assert.strictEqual(
        revokedTwice.stdout,
        "The key app is revoked already.\nCancelled 0 runs and stopped 0 browsers of the key app.\n"
      )
      const unused = yield* at(address, "keys", "revoke", "--name", "unused")
      assert.match(unused.stderr, /^No key is named unused\. List them: .* keys list --server http:\S+\n$/u)
    }).pipe(Effect.scoped)
  )

  it.live("drain one of two nodes", () =>
    Effect.gen(function* () {
      const { database } = yield* TestPostgres
      const url = yield* database
      const address = (yield* Effect.forEach(["east", "west"], (name) => startNode(url, name)))[0]?.at ?? ""
      const ops = yield* run(["keys", "create", "--data", url, "--name", "ops", "--scope", "admin"])
      const operate = (...args: ReadonlyArray<string>) =>
        run([...args, "--server", address, "--admin-key", ops.stdout.trim()])
      const drained = yield* operate("drain", "west")
      assert.strictEqual(drained.code, 0, drained.stderr)
      assert.match(
        drained.stdout,
        /^west\.\S+ drains: it starts no new run or browser\. Other nodes start its queued runs\. /u
      )
      const listed = yield* operate("nodes")
      assert.match(listed.stdout, /\neast +up .*\nwest +draining /u)
      const json = yield* operate("nodes", "--json")
      assert.deepStrictEqual(json.stdout, (yield* run(["nodes", "--json", "--data", url])).stdout)
      const undone = yield* operate("drain", "west", "--undo")
      assert.match(undone.stdout, /^west\.\S+ takes new runs and browsers again, within a second\.\n$/u)
      const unknown = yield* operate("drain", "north")
      assert.match(unknown.stderr, /^No node of http:\S+ is named north\. List them: .* nodes --server http:\S+\n$/u)
    }).pipe(Effect.provide(TestPostgres.layer))
  )

  it.live("refuse flags that can't be combined, and an invalid address or key", () =>
    Effect.gen(function* () {
      const address = "http://127.0.0.1:1"
      const refused = Effect.fnUntraced(function* (args: ReadonlyArray<string>, environment = {}) {
        const { code, stderr, stdout } = yield* run(["runs", ...args], environment)
        assert.deepStrictEqual([code, stdout], [2, ""])
        assert.lengthOf(stderr.trimEnd().split("\n"), 1)
        return stderr
      })
      assert.strictEqual(
        yield* refused(["--data", "server.db", "--server", address]),
        "--data and --server both name the source. Use one of them.\n"
      )
      assert.strictEqual(
        yield* refused(["--admin-key", "A"]),
        "--admin-key works only with --server. Add --server URL or remove --admin-key.\n"
      )
      for (const text of ["127.0.0.1:8080", "ftp://127.0.0.1", "http://user:hunter2@127.0.0.1"]) {
        const sentence = yield* refused(["--server", text])
        assert.include(sentence, "an address such as http://127.0.0.1:8080")
      }
      const limit = yield* run(["keys", "create", "--name", "app", "--max-runs", "1000001"])
      assert.include(limit.stderr, "1000000 or less")
      assert.strictEqual(
        yield* refused(["--server", address]),
        `Set WEBAGENT_ADMIN_KEY to an API key of ${address} with the scope admin, or add --admin-key.\n`
      )
      assert.strictEqual(
        yield* refused(["--server", address], { WEBAGENT_ADMIN_KEY: "a\nb" }),
        "The API key in WEBAGENT_ADMIN_KEY has characters that no key has, such as a space or a line break.\n"
      )
    })
  )

  it.live("use --server even if the environment names a database", () =>
    Effect.gen(function* () {
      const { address } = yield* serving
      const { code, stdout } = yield* run(["keys", "list", "--server", `${address}/admin/v1/`], {
        WEBAGENT_ADMIN_KEY: "A",
        WEBAGENT_SERVER_DATA: "unused.db"
      })
      assert.strictEqual(code, 0)
      assert.match(stdout, /^shop /u)
    }).pipe(Effect.scoped)
  )

  it.live("report a key that is wrong or lacks the scope admin", () =>
    Effect.gen(function* () {
      const { address, shop, v4 } = yield* serving
      const wrong = yield* run(["runs", "--server", address, "--admin-key", "wrong"])
      assert.deepStrictEqual([wrong.code, wrong.stdout], [3, ""])
      assert.match(
        wrong.stderr,
        new RegExp(
          `^${address} refuses the API key in --admin-key\\. Create one .* keys create .* --scope admin\n$`,
          "u"
        )
      )
      const as = { WEBAGENT_ADMIN_KEY: shop }
      for (const args of [
        ["nodes"],
        ["drain", "x"],
        ["keys", "create", "--name", "b"],
        ["keys", "revoke", "--name", "shop"]
      ]) {
        const refused = yield* run([...args, "--server", address], as)
        assert.deepStrictEqual([refused.code, refused.stdout], [3, ""])
        assert.match(
          refused.stderr,
          /^The API key in WEBAGENT_ADMIN_KEY lacks the scope admin, which this command needs\. Create one .*\n$/u
        )
      }
      // such a key sees its own records
      yield* send(v4, "A", "POST", "/runs", { task: "x" })
      yield* send(v4, shop, "POST", "/runs", { task: "y" })
      const own = yield* run(["runs", "--json", "--server", address], as)
      assert.deepStrictEqual(
        [own.code, own.stderr],
        [0, "The API key in WEBAGENT_ADMIN_KEY lacks the scope admin, so only the records of shop count.\n"]
      )
      assert.deepStrictEqual(
        JSON.parse(own.stdout).map(({ task }: Record<string, unknown>) => task),
        ["y"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("report an address without a server, or with another one", () =>
    Effect.gen(function* () {
      const { port } = yield* takenPort.pipe(Effect.scoped)
      const none = yield* at(`http://127.0.0.1:${port}`, "runs")
      assert.deepStrictEqual(none, {
        code: 3,
        stdout: "",
        stderr: `No server responds at http://127.0.0.1:${port} (connection refused). Is it running?\n`
      })
      const responses: ReadonlyArray<readonly [number, string, string]> = [
        [404, '{"detail":"Not Found"}', "has no admin API"],
        [200, "<html></html>", "doesn't respond as the admin API does"],
        [200, "{}", "doesn't respond as the admin API does"],
        [302, "", "responds with HTTP 302"],
        [500, "", "responds with HTTP 500"]
      ]
      for (const [status, body, problem] of responses) {
        const { address } = yield* responding((_, response) => {
          response.writeHead(status, { "content-type": "application/json", location: "/elsewhere" }).end(body)
        })
        const other = yield* at(address, "runs")
        assert.deepStrictEqual(other, {
          code: 3,
          stdout: "",
          stderr: `${address} ${problem}. --server takes the address of a webagent-server of this version.\n`
        })
      }
    }).pipe(Effect.scoped)
  )

  it.live("report a feature that a server lacks", () =>
    Effect.gen(function* () {
      const info = {
        version: "9.9.9",
        node: "n",
        startedAt: "2026-11-28T09:30:00.000Z",
        uptimeMs: 1,
        has: ["runs"],
        data: "memory",
        browsers: "simulated",
        model: null,
        key: { name: "ops", admin: true, operations: ["keys.list"] }
      }
      const { address } = yield* responding((_, response) => {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(info))
      })
      const refused = yield* at(address, "keys", "list")
      assert.deepStrictEqual(refused, {
        code: 3,
        stdout: "",
        stderr: `${address} (webagent-server 9.9.9) has no keys in its admin API. Use --data there.\n`
      })
    }).pipe(Effect.scoped)
  )

  it.effect("stop waiting for a server that doesn't respond", () =>
    Effect.gen(function* () {
      const requested = Promise.withResolvers<void>()
      const { address } = yield* responding(() => requested.resolve())
      const waiting = yield* Effect.forkScoped(at(address, "runs"))
      yield* Effect.promise(() => requested.promise)
      yield* TestClock.adjust("10 seconds")
      const { code, stderr } = yield* Fiber.join(waiting)
      assert.deepStrictEqual(
        [code, stderr],
        [3, `No server responds at ${address} (nothing within 10 seconds). Is it running?\n`]
      )
    }).pipe(Effect.scoped)
  )
})
