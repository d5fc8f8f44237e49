import { assert, layer } from "@effect/vitest"
import { MemoryStore } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { send } from "../../http/send.ts"
import { layerOver } from "../../http/served.ts"

type Item = Readonly<Record<string, unknown>>

const unknown = "00000000-0000-4000-8000-00000000ffff"

/** Workspaces of 1000 bytes. */
const served = layerOver(MemoryStore.layer, { keepsFiles: true })

const create = Effect.map(
  send("POST", "/api/v3/workspaces", { body: { name: "Data" } }),
  ({ body }) => `/api/v3/workspaces/${String(body["id"])}`
)

const items = (body: Item, name: string) => body[name] as ReadonlyArray<Item>

const ask = (path: string, files: ReadonlyArray<Item>, more: Item = {}, query = "") =>
  send("POST", `${path}/files/upload${query}`, { body: { files, ...more } })

/** Sends something to the address of a link, without a key. */
const follow = (method: string, url: unknown, text?: string) => {
  const { pathname, search } = new URL(String(url))
  return send(method, `${pathname}${search}`, { key: null, ...(text === undefined ? {} : { text }) })
}

const put = Effect.fnUntraced(function* (path: string, name: string, text: string, query = "") {
  const { body } = yield* ask(path, [{ name, contentType: "text/csv", size: text.length }], {}, query)
  const [file] = items(body, "files")
  assert.strictEqual((yield* follow("PUT", file?.["uploadUrl"], text)).status, 200)
  return String(file?.["path"])
})

layer(served, { excludeTestServices: true })("v3 workspaces", (it) => {
  it.effect("are created, listed, renamed and deleted with their files", () =>
    Effect.gen(function* () {
      const path = yield* create
      const made = (yield* send("GET", path)).body
      assert.deepInclude(made, { name: "Data", archived: false })
      assert.deepInclude((yield* send("GET", "/api/v3/workspaces?pageSize=1")).body, { items: [made], totalItems: 1 })
      assert.propertyVal((yield* send("PATCH", path, { body: { name: null } })).body, "name", null)
      yield* put(path, "a.csv", "1,2")
      assert.deepStrictEqual((yield* send("GET", `${path}/size`)).body, { usedBytes: 3, maxBytes: 1000 })
      const listed = yield* send("GET", `${path}/files?includeUrls=true`)
      const { url } = items(listed.body, "files")[0] ?? {}
      assert.strictEqual((yield* send("DELETE", path)).status, 204)
      for (const gone of [
        yield* send("GET", path),
        yield* send("PATCH", path, { body: { name: "x" } }),
        yield* send("DELETE", path),
        yield* send("GET", `${path}/size`),
        yield* send("GET", `${path}/files`),
        yield* ask(path, [{ name: "a", size: 1 }]),
        yield* send("DELETE", `${path}/files?path=a.csv`)
      ]) {
        assert.deepStrictEqual([gone.status, gone.body], [404, { detail: "Workspace not found" }])
      }
      assert.strictEqual((yield* follow("GET", url)).status, 404)
      assert.strictEqual((yield* send("GET", `/api/v3/workspaces/${unknown}`)).status, 404)
      // Postgres couldn't store it
      assert.strictEqual((yield* send("POST", "/api/v3/workspaces", { body: { name: "a\0b" } })).status, 422)
    })
  )

  it.effect("upload and download files by links that need no key", () =>
    Effect.gen(function* () {
      const path = yield* create
      assert.strictEqual(yield* put(path, "a.csv", "1,2"), "a.csv")
      assert.strictEqual(yield* put(path, "b.csv", "3,4", "?prefix=in/2026/"), "in/2026/b.csv")
      // a browser saves the file under its name, and not under the last part of the link's path
      const [inFolder] = items((yield* send("GET", `${path}/files?prefix=in/&includeUrls=true`)).body, "files")
      const disposition = (yield* follow("GET", inFolder?.["url"])).headers.get("content-disposition")
      assert.strictEqual(disposition, "attachment; filename*=UTF-8''b.csv")
      const list = (query: string) => Effect.map(send("GET", `${path}/files${query}`), ({ body }) => body)
      const first = yield* list("?limit=1&includeUrls=true")
      const [file] = items(first, "files")
      assert.deepInclude(file, { path: "a.csv", size: 3 })
      const rest = yield* list(`?limit=1&cursor=${String(first["nextCursor"])}`)
      assert.deepInclude(items(rest, "files")[0], { path: "in/2026/b.csv", url: null })
      assert.deepInclude(rest, { hasMore: false, nextCursor: null })
      assert.strictEqual(items(yield* list("?prefix=in/"), "files").length, 1)
      const wrong = yield* send("GET", `${path}/files?prefix=in/&cursor=${String(first["nextCursor"])}`)
      assert.strictEqual(wrong.status, 400)
      const down = yield* follow("GET", file?.["url"])
      assert.deepStrictEqual([down.status, down.text], [200, "1,2"])
      assert.strictEqual(down.headers.get("content-type"), "text/csv")
      assert.strictEqual(down.headers.get("content-disposition"), "attachment; filename*=UTF-8''a.csv")
      assert.include(String(down.headers.get("content-security-policy")), "sandbox")
      const forged = new URL(String(file?.["url"]))
      forged.searchParams.set("path", "in/2026/b.csv")
      assert.strictEqual((yield* follow("GET", forged)).status, 404)
      forged.searchParams.set("path", "a.csv")
      forged.searchParams.set("expires", "9999999999")
      assert.strictEqual((yield* follow("GET", forged)).status, 404)
      assert.strictEqual((yield* send("DELETE", `${path}/files?path=a.csv`)).status, 204)
      const again = yield* send("DELETE", `${path}/files?path=a.csv`)
      assert.deepStrictEqual([again.status, again.body], [404, { detail: "File not found" }])
      assert.strictEqual((yield* send("DELETE", `${path}/files`)).status, 422)
    })
  )

  it.effect("accept one upload per link, with the announced size", () =>
    Effect.gen(function* () {
      const path = yield* create
      const { body } = yield* ask(path, [{ name: "a.txt", size: 3 }])
      const { id, uploadUrl, ...file } = items(body, "files")[0] ?? {}
      assert.deepStrictEqual(file, { name: "a.txt", storedName: "a.txt", path: "a.txt", willOverride: false })
      assert.strictEqual(typeof id, "string")
      assert.strictEqual((yield* follow("PUT", uploadUrl, "four")).status, 413)
      assert.strictEqual((yield* follow("PUT", uploadUrl, "12")).status, 400)
      const forged = new URL(String(uploadUrl))
      forged.searchParams.set("token", "x")
      assert.strictEqual((yield* follow("PUT", forged, "123")).status, 404)
      assert.strictEqual((yield* follow("PUT", uploadUrl, "123")).status, 200)
      assert.strictEqual((yield* follow("PUT", uploadUrl, "123")).status, 404)
      const kept = yield* ask(path, [{ name: "a.txt", size: 3 }], { allowOverrides: false })
      assert.deepInclude(items(kept.body, "files")[0], { storedName: "a (1).txt", willOverride: false })
      const replaced = yield* ask(path, [{ name: "a.txt", size: 3 }])
      assert.deepInclude(items(replaced.body, "files")[0], { storedName: "a.txt", willOverride: true })
    })
  )

  it.effect("refuse names that lead out of the workspace, and files that don't fit", () =>
    Effect.gen(function* () {
      const path = yield* create
      for (const name of ["../a", "/etc/passwd", "a/b", "..", ".", "", "a\u0000b", "a\\b"]) {
        const { body, status } = yield* ask(path, [
          { name: "ok", size: 1 },
          { name, size: 1 }
        ])
        assert.strictEqual(status, 422, name)
        assert.deepInclude(items(body, "detail")[0], { loc: ["body", "files", 1, "name"] }, name)
      }
      for (const prefix of ["../", "/", "a//b", "a/../../b"]) {
        const { status } = yield* ask(path, [{ name: "a", size: 1 }], {}, `?prefix=${encodeURIComponent(prefix)}`)
        assert.strictEqual(status, 422, prefix)
      }
      assert.strictEqual((yield* ask(path, [{ name: "a", size: 1, contentType: "text/csv\r\nx: y" }])).status, 422)
      assert.strictEqual((yield* ask(path, [{ name: "a", size: -1 }])).status, 422)
      const large = yield* ask(path, [{ name: "a", size: 1001 }])
      assert.strictEqual(large.status, 413)
      assert.include(String(large.body["detail"]), "1000 bytes are free")
      const { body } = yield* ask(path, [{ name: "unsized" }])
      const { uploadUrl } = items(body, "files")[0] ?? {}
      assert.strictEqual((yield* follow("PUT", uploadUrl, "x".repeat(1001))).status, 413)
      assert.strictEqual((yield* follow("PUT", uploadUrl, "x".repeat(1000))).status, 200)
    })
  )
})
