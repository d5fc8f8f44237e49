import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { Database, SqlWorkspaces } from "@webagent/sql"
import { layerFiles } from "../src/files.ts"
import { folder, ready, start } from "./program.ts"

const key = "wak_files"

type Json = Readonly<Record<string, unknown>>

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

const filesIn = (path: string): ReadonlyArray<string> =>
  existsSync(path)
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
    : []

const request = (url: string, method: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async (): Promise<Answer> => {
    const response = await fetch(url, {
      method,
      headers: { "X-Service-API-Key": key, "Content-Type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text.startsWith("{") ? JSON.parse(text) : { text }
    }
  })

/** Another key of the server. */
const other = "wak_other"

const serve = (path: string, flags: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const server = yield* start([
      "serve",
      "--port",
      "0",
      "--data",
      join(path, "server.db"),
      "--api-key",
      key,
      "--api-key",
      other,
      ...flags
    ])
    const { v4 = "" } = yield* ready(server)
    return { server, v4 }
  })

const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isSo() ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), until(isSo))))

/** Asks for the upload of one file and returns its address. */
const uploadUrl = (workspace: string, name: string, size: number) =>
  Effect.map(request(`${workspace}/files/upload`, "POST", { files: [{ name, size }] }), ({ body }) =>
    String((body["files"] as ReadonlyArray<Json>)[0]?.["uploadUrl"])
  )

it.live("a create with an Idempotency-Key makes one workspace, and its files survive a kill", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const before = yield* serve(path)
    const once = { "Idempotency-Key": "a" }
    const create = (name: string) => request(`${before.v4}/workspaces`, "POST", { name }, once)
    const [first, ...others] = yield* Effect.forEach(["x", "x", "x"], create, { concurrency: 3 })
    assert.deepStrictEqual(new Set(others.map(({ body }) => body["id"])), new Set([first?.body["id"]]))
    const again = yield* create("x")
    assert.deepStrictEqual([again.status, again.headers.get("idempotency-replayed")], [201, "true"])
    assert.strictEqual((yield* create("y")).status, 422)
    const ws = `/workspaces/${String(first?.body["id"])}`

    const stored = yield* uploadUrl(before.v4 + ws, "a.txt", 5)
    assert.strictEqual((yield* request(stored, "PUT", "hello")).status, 200)
    // a server that is killed in the middle of an upload
    const cut = new URL(yield* uploadUrl(before.v4 + ws, "cut.bin", 1_000_000))
    const socket = connect(Number(cut.port), cut.hostname)
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
    socket.on("error", () => undefined)
    socket.write(
      `PUT ${cut.pathname}${cut.search} HTTP/1.1\r\nHost: ${cut.host}\r\nContent-Length: 1000000\r\n\r\n${"x".repeat(500_000)}`
    )
    yield* until(() => filesIn(join(path, "files")).some((name) => name.endsWith(".part")))
    before.server.process.kill("SIGKILL")
    yield* before.server.ended

    const after = yield* serve(path)
    const files = yield* request(`${after.v4}${ws}/files?includeUrls=true`, "GET")
    const list = files.body["files"] as ReadonlyArray<Json>
    assert.deepStrictEqual(
      list.map((file) => [file["path"], file["size"]]),
      [["a.txt", 5]]
    )
    assert.deepStrictEqual((yield* request(String(list[0]?.["url"]), "GET")).body, { text: "hello" })
    assert.deepInclude((yield* request(`${after.v4}${ws}/size`, "GET")).body, { usedBytes: 5 })
    yield* until(() => filesIn(join(path, "files")).length === 1)
    // an upload that its client cuts leaves nothing, and can be sent again
    const retried = new URL(yield* uploadUrl(after.v4 + ws, "b.txt", 10))
    const client = connect(Number(retried.port), retried.hostname)
    client.on("error", () => undefined)
    client.write(`PUT ${retried.pathname}${retried.search} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345`)
    yield* until(() => filesIn(join(path, "files")).length === 2)
    client.destroy()
    yield* until(() => filesIn(join(path, "files")).length === 1)
    // the upload is expected again a moment after its bytes are gone
    const resent = Effect.delay(request(String(retried), "PUT", "1234567890"), "20 millis")
    let { status } = yield* resent
    while (status === 404) status = (yield* resent).status
    assert.strictEqual(status, 200)
    assert.strictEqual((yield* request(`${after.v4}${ws}/files?path=b.txt`, "DELETE")).status, 204)
    assert.lengthOf(filesIn(join(path, "files")), 1)
  })
)

it.live("the flags' limits apply, and --files sets the folder", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const files = join(path, "elsewhere")
    const { v4 } = yield* serve(path, ["--files", files, "--file-limit", "1", "--workspace-limit", "2"])
    const { body } = yield* request(`${v4}/workspaces`, "POST", {})
    const ws = `${v4}/workspaces/${String(body["id"])}`
    assert.deepStrictEqual((yield* request(`${ws}/size`, "GET")).body, { usedBytes: 0, maxBytes: 2 ** 21 })
    const ask = (size: number) =>
      request(`${ws}/files/upload`, "POST", { files: [{ name: "a", size }], allowOverrides: false })
    assert.strictEqual((yield* ask(2 ** 20 + 1)).status, 413)
    const announced = yield* Effect.forEach([1, 2, 3], () => ask(2 ** 20), { concurrency: 3 })
    assert.deepStrictEqual(announced.map(({ status }) => status).toSorted(), [201, 201, 413])
    const [target] = announced.flatMap(({ body, status }) =>
      status === 201 ? [body["files"] as ReadonlyArray<Json>] : []
    )
    const url = String(target?.[0]?.["uploadUrl"])
    assert.strictEqual((yield* request(url, "PUT", "x".repeat(2 ** 20))).status, 200)
    assert.lengthOf(filesIn(files), 1)
    assert.strictEqual((yield* request(ws.replace("/v4/", "/v3/"), "DELETE")).status, 204)
    assert.lengthOf(filesIn(files), 0)
  })
)

it.live("a key can't see, change or attach another key's files", () =>
  Effect.gen(function* () {
    const { v4 } = yield* serve(yield* folder)
    const { body } = yield* request(`${v4}/workspaces`, "POST", { name: "mine" })
    const path = `/workspaces/${String(body["id"])}`
    const announced = yield* request(`${v4}${path}/files/upload`, "POST", { files: [{ name: "a.txt", size: 5 }] })
    const [file] = announced.body["files"] as ReadonlyArray<Json>
    assert.strictEqual((yield* request(String(file?.["uploadUrl"]), "PUT", "hello")).status, 200)
    const stranger = { "X-Service-API-Key": other }
    for (const version of ["v3", "v4"]) {
      for (const [method, to, sent] of [
        ["GET", path],
        ["PATCH", path, { name: "theirs" }],
        ["GET", `${path}/size`],
        ["GET", `${path}/files?includeUrls=true`],
        ["POST", `${path}/files/upload`, { files: [{ name: "b", size: 1 }] }],
        ["DELETE", `${path}/files?path=a.txt`],
        ["DELETE", path]
      ] as const) {
        const answer = yield* request(v4.replace("/v4", `/${version}`) + to, method, sent, stranger)
        assert.deepStrictEqual(
          [answer.status, answer.body],
          [404, { detail: "Workspace not found" }],
          `${method} ${to}`
        )
      }
    }
    const list = yield* request(v4.replace("/v4", "/v3/workspaces"), "GET", undefined, stranger)
    assert.propertyVal(list.body, "totalItems", 0)
    const run = (fields: Json) => request(`${v4}/runs`, "POST", { task: "t", ...fields }, stranger)
    const attached = yield* run({ attachedFileIds: [file?.["id"]] })
    assert.deepInclude(attached.body, { attachedFileIds: [], missingFileIds: [file?.["id"]] })
    assert.strictEqual((yield* run({ workspaceId: body["id"] })).status, 422)
    const mine = yield* request(`${v4}/runs`, "POST", { task: "t", workspaceId: body["id"] })
    assert.deepInclude(mine.body, { attachedFileIds: [file?.["id"]], missingFileIds: [] })
    for (const to of ["attachments", "attachments.zip"]) {
      const address = `${v4}/runs/${String(mine.body["id"])}/${to}`
      assert.strictEqual((yield* request(address, "GET", undefined, stranger)).status, 404)
      assert.strictEqual((yield* request(address, "GET")).status, 200)
    }
    assert.deepInclude((yield* request(`${v4}${path}/size`, "GET")).body, { usedBytes: 5 })
  })
)

it.live("servers with one database refuse a folder that lacks its files", () =>
  Effect.gen(function* () {
    const home = yield* folder
    const filesOf = (name: string) =>
      layerFiles({ folder: join(home, name), limits: SqlWorkspaces.defaultFileLimits, keep_ms: 1 }, true)
    const starts = (name: string) =>
      Effect.result(Effect.asVoid(Effect.scoped(Layer.build(Layer.fresh(filesOf(name))))))
    yield* Effect.gen(function* () {
      // two that start together, and one that starts later
      const together = yield* Effect.all([starts("one"), starts("one")], { concurrency: 2 })
      assert.isTrue(together.every(Result.isSuccess))
      assert.isTrue(Result.isSuccess(yield* starts("one")))
      const other = yield* starts("other")
      const { message } = Result.isFailure(other) ? (other.failure as Error) : assert.fail("it started")
      const { marker = "" } = /create the file (?<marker>\S+) and/u.exec(message)?.groups ?? {}
      assert.include(message, `${join(home, "other")} doesn't have this database's files`)
      // what the message says, if the folder is lost
      writeFileSync(marker, "")
      assert.isTrue(Result.isSuccess(yield* starts("other")))
    }).pipe(Effect.provide(Database.layer({ file: join(home, "server.db") })))
  }).pipe(Effect.scoped)
)
