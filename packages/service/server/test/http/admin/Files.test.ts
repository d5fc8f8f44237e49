import { assert, it } from "@effect/vitest"
import { Workspaces } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Stream from "effect/Stream"
import { unzipSync } from "fflate"
import { crc32 } from "node:zlib"
import { Server } from "../../../src/Server.ts"
import { ask, layerAdmin, send } from "./served.ts"
import { layerFiles } from "../served.ts"

type Json = Readonly<Record<string, unknown>>

const rowsOf = (body: unknown) => body as ReadonlyArray<Json>

const layerFilesAdmin = layerAdmin({ keepsFiles: true, usesProfiles: true })

/** The same, with the storage of its files. */
const layerSharedFiles = Layer.unwrap(
  Effect.map(Layer.build(layerFiles), (files) => {
    const layer = Layer.succeedContext(files)
    return Layer.merge(layer, layerAdmin({ keepsFiles: layer }))
  })
)

const put = (url: unknown, body: string) =>
  Effect.promise(async () => (await fetch(String(url), { method: "PUT", body })).status)

/** Announces files of a key, and stores their bytes. */
const upload = Effect.fnUntraced(function* (key: string, files: Readonly<Record<string, string>>) {
  const announced = Object.entries(files).map(([name, text]) => ({ name, contentType: "text/csv", size: text.length }))
  const { body, status } = yield* ask(key, "POST", "/files", { files: announced })
  assert.strictEqual(status, 201, JSON.stringify(body))
  const expected = rowsOf(body)
  for (const { name, uploadUrl } of expected) assert.strictEqual(yield* put(uploadUrl, files[String(name)] ?? ""), 200)
  return expected.map(({ id }) => String(id))
})

it.live("a key starts a run with files that it uploads, with all files of a workspace, and with a profile", () =>
  Effect.gen(function* () {
    const [a = "", b = ""] = yield* upload("shop", { "a.csv": "1,2", "b.csv": "3,4" })
    // files keep their names, because each upload has a folder of its own
    yield* upload("shop", { "a.csv": "5,6" })
    const ofTwo = yield* ask("shop", "POST", "/runs", { task: "Send it", attachedFileIds: [a, b.toUpperCase()] })
    assert.strictEqual(ofTwo.status, 201, ofTwo.text)
    const details = yield* ask("shop", "GET", `/runs/${String(ofTwo.body["id"])}`)
    assert.deepInclude(details.body, { attachedFileIds: [a, b], workspaceId: null, profileId: null })

    const { body } = yield* send("GET", "/api/v4/runs", { key: "wak_shop" })
    assert.lengthOf(rowsOf(body["runs"]), 1)
    const listed = yield* send("GET", "/api/v3/workspaces", { key: "wak_shop" })
    const [workspace, ...others] = rowsOf(listed.body["items"])
    assert.deepStrictEqual([workspace?.["name"], others], ["Attached files", []])

    const profile = yield* send("POST", "/api/v4/profiles", { key: "wak_shop", body: { name: "Signed in" } })
    const profileId = String(profile.body["id"])
    const ofAll = yield* ask("shop", "POST", "/runs", {
      task: "Send all",
      workspaceId: workspace?.["id"],
      browserSettings: { profileId }
    })
    assert.deepInclude(ofAll.body, { workspaceId: workspace?.["id"] }, ofAll.text)
    const again = yield* ask("shop", "POST", "/runs/retry", { ids: [ofAll.body["id"]] })
    const [{ run } = { run: {} }] = again.body["started"] as ReadonlyArray<{ readonly run: Json }>
    for (const id of [ofAll.body["id"], run["id"]]) {
      const one = yield* ask("shop", "GET", `/runs/${String(id)}`)
      assert.deepInclude(one.body, { profileId, workspaceId: workspace?.["id"] })
      assert.lengthOf(one.body["attachedFileIds"] as Array<string>, 3)
    }
    yield* send("DELETE", `/api/v4/profiles/${profileId}`, { key: "wak_shop" })
    const without = yield* ask("shop", "POST", "/runs/retry", { ids: [ofAll.body["id"], ofTwo.body["id"]] })
    assert.deepStrictEqual(without.body["refused"], [
      { id: ofAll.body["id"], detail: "Its browser profile was deleted" }
    ])
    assert.lengthOf(without.body["started"] as Array<unknown>, 1)
  }).pipe(Effect.provide(layerFilesAdmin))
)

it.live("a run can't use files or a profile of another key, not even with an admin key", () =>
  Effect.gen(function* () {
    const [file = ""] = yield* upload("shop", { "a.csv": "1,2" })
    const profile = yield* send("POST", "/api/v4/profiles", { key: "wak_shop", body: { name: "Signed in" } })
    const workspaces = yield* send("GET", "/api/v3/workspaces", { key: "wak_shop" })
    const [workspace] = rowsOf(workspaces.body["items"])
    for (const key of ["blog", "root"]) {
      const files = yield* ask(key, "POST", "/runs", { task: "x", attachedFileIds: [file] })
      assert.strictEqual(files.status, 422, files.text)
      assert.include(files.text, `You have no file with the id ${file}`)
      const all = yield* ask(key, "POST", "/runs", { task: "x", workspaceId: workspace?.["id"] })
      assert.strictEqual(all.status, 422, all.text)
      const browserSettings = { profileId: profile.body["id"] }
      assert.strictEqual((yield* ask(key, "POST", "/runs", { task: "x", browserSettings })).status, 404)
      assert.deepStrictEqual((yield* ask(key, "GET", "/profiles")).body, { rows: [], total: 0 })
    }
    const own = yield* ask("shop", "GET", "/profiles?search=signed")
    assert.deepInclude(rowsOf(own.body["rows"])[0], { id: profile.body["id"], name: "Signed in", lastUsedAt: null })
    assert.strictEqual((yield* ask("shop", "GET", "/profiles?search=%00")).status, 422)
  }).pipe(Effect.provide(layerFilesAdmin))
)

it.live("refuses files with unsafe paths, too many files and too large ones", () =>
  Effect.gen(function* () {
    const wanted = (name: string, size = 1) => ({ name, contentType: "text/csv", size })
    for (const [files, status] of [
      [[], 422],
      [[wanted("../a.csv")], 422],
      [[wanted("a\0.csv")], 422],
      [[wanted("a.csv", -1)], 422],
      [[wanted("a.csv", 1001)], 413],
      [Array.from({ length: 21 }, (_, n) => wanted(`${n}.csv`)), 422]
    ] as const) {
      const { status: received, text } = yield* ask("shop", "POST", "/files", { files })
      assert.strictEqual(received, status, text)
    }
  }).pipe(Effect.provide(layerFilesAdmin))
)

it.live("packs all downloads of a run into a valid archive, with their names and bytes", () =>
  Effect.gen(function* () {
    const workspaces = (yield* Workspaces) ?? assert.fail("no workspaces")
    const { address } = yield* Server
    const created = yield* ask("shop", "POST", "/runs", { task: "Get the reports" })
    const run = String(created.body["id"])
    const files = { "report.csv": "1,2", "r\u00e9sum\u00e9.txt": "x".repeat(900), "empty.txt": "" }
    for (const [path, text] of Object.entries(files)) {
      const bytes = Stream.fromIterable(text.match(/.{1,100}/gu) ?? []).pipe(Stream.map((part) => Buffer.from(part)))
      yield* workspaces.attach({ id: run, owner: "shop" }, { path, contentType: "text/plain" }, bytes, text.length)
    }
    const archive = (key: string) =>
      Effect.promise(async () => {
        const headers = { "X-Service-API-Key": `wak_${key}` }
        const response = await fetch(`${address}/api/v4/runs/${run}/attachments.zip`, { headers })
        return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
      })
    const { bytes } = yield* archive("shop")
    const texts = Record.map(unzipSync(bytes), (content) => new TextDecoder().decode(content))
    assert.deepStrictEqual(texts, files)
    // a directory entry has the checksum 16 bytes after its beginning
    for (const [name, text] of Object.entries(files)) {
      const entry = Buffer.from(bytes).lastIndexOf(Buffer.from(name)) - 46
      assert.strictEqual(Buffer.from(bytes).readUInt32LE(entry + 16), crc32(text))
    }
    assert.strictEqual((yield* archive("blog")).status, 404)
  }).pipe(Effect.provide(layerSharedFiles))
)

it.live("shows a run's downloads to its owner and admins, and always saves them under their names", () =>
  Effect.gen(function* () {
    const workspaces = yield* Workspaces
    const { address } = yield* Server
    const created = yield* ask("shop", "POST", "/runs", { task: "Get the report" })
    const run = String(created.body["id"])
    const name = `<img src=x>'\u202e".html`
    const attached = { path: name, contentType: "text/html" }
    yield* workspaces?.attach({ id: run, owner: "shop" }, attached, Stream.make(Buffer.from("<p>")), 3) ?? Effect.void
    for (const key of ["shop", "root"]) {
      const [file, ...others] = rowsOf((yield* ask(key, "GET", `/runs/${run}/attachments`)).body)
      assert.deepInclude(file, { name, contentType: "text/html", sizeBytes: 3 })
      assert.lengthOf(others, 0)
      const path = `/admin/v1/runs/${run}/attachments/${String(file?.["id"])}`
      const response = yield* Effect.promise(() =>
        fetch(`${address}${path}`, { headers: { "X-Service-API-Key": `wak_${key}` } })
      )
      assert.strictEqual(new URL(response.url).origin, new URL(address).origin)
      assert.strictEqual(
        response.headers.get("content-disposition"),
        "attachment; filename*=UTF-8''%3Cimg%20src%3Dx%3E%27%E2%80%AE%22.html"
      )
      assert.strictEqual(response.headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(yield* Effect.promise(() => response.text()), "<p>")
      assert.strictEqual((yield* ask(key, "GET", `/runs/${run}/attachments/unknown`)).status, 404)
    }
    assert.strictEqual((yield* ask("blog", "GET", `/runs/${run}/attachments`)).status, 404)
  }).pipe(Effect.provide(layerSharedFiles))
)

it.live("refuses files on a server without file storage", () =>
  Effect.gen(function* () {
    const has = (yield* ask("shop", "GET", "/server")).body["has"] as Array<string>
    assert.notInclude(has, "files")
    assert.notInclude(has, "replays")
    const { status } = yield* ask("shop", "POST", "/files", { files: [{ name: "a", contentType: "a/b", size: 1 }] })
    assert.strictEqual(status, 404)
    assert.strictEqual((yield* ask("shop", "GET", "/profiles")).status, 404)
    assert.strictEqual((yield* ask("shop", "POST", "/runs", { task: "x", attachedFileIds: ["a"] })).status, 422)
    const run = String((yield* ask("shop", "POST", "/runs", { task: "x" })).body["id"])
    assert.deepStrictEqual(rowsOf((yield* ask("shop", "GET", `/runs/${run}/attachments`)).body), [])
  }).pipe(Effect.provide(layerAdmin()))
)
