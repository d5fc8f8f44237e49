import { assert, describe, it } from "@effect/vitest"
import { Ledger, LedgerMemory } from "@webagent/core"
import { ScriptedServer } from "@webagent/scripted-server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Downloads, layerAccount, Profiles, Workspaces } from "../src/Account.ts"
import { layer as layerOver } from "./client.ts"

const layer = Layer.provideMerge(layerAccount, layerOver())

const secret = "s3cr3t-link"

/** A service whose links for uploads answer as the test says. */
const linking = (status: number) =>
  Effect.map(ScriptedServer, (server) => {
    server.script = ({ method, url }) =>
      method === "PUT"
        ? { status, text: `no, ${url}` }
        : {
            json: {
              files: [{ name: "a.txt", path: "in/a.txt", uploadUrl: `/links/${secret}`, id: "f-1" }]
            }
          }
    return server
  })

describe("Workspaces", () => {
  it.live("upload sends a file to its link once, without the API key", () =>
    Effect.gen(function* () {
      const server = yield* linking(200)
      const workspaces = yield* Workspaces
      const files = yield* workspaces.upload("w-1", [{ name: "a.txt", content: "hi", contentType: "text/plain" }], {
        prefix: "in",
        idempotencyKey: "up-1"
      })
      assert.deepStrictEqual(files, [{ name: "a.txt", path: "in/a.txt", id: "f-1" }])
      const [request, put, ...rest] = server.requests
      assert.lengthOf(rest, 0)
      assert.strictEqual(request?.url, "/api/v4/workspaces/w-1/files/upload?prefix=in")
      assert.strictEqual(request?.headers["idempotency-key"], "up-1")
      assert.deepStrictEqual(JSON.parse(request?.body ?? ""), {
        files: [{ name: "a.txt", contentType: "text/plain", size: 2 }],
        allowOverrides: true
      })
      assert.deepStrictEqual([put?.method, put?.url, put?.body], ["PUT", `/links/${secret}`, "hi"])
      assert.strictEqual(put?.headers["content-type"], "text/plain")
      assert.isUndefined(put?.headers["x-service-api-key"])
    }).pipe(Effect.provide(layer))
  )

  it.live("upload fails with the file's path, and never shows the link", () =>
    Effect.gen(function* () {
      yield* linking(403)
      const workspaces = yield* Workspaces
      const error = yield* Effect.flip(workspaces.upload("w-1", [{ name: "a.txt", content: "hi" }]))
      assert.strictEqual(error._tag, "TransportError")
      assert.include(error.message, "(signed link of in/a.txt)")
      assert.notInclude(JSON.stringify(error) + String(error) + String(error.stack), secret)
    }).pipe(Effect.provide(layer))
  )

  it.live("upload sends no file if the response lacks a link or a content is invalid, and names the file", () =>
    Effect.gen(function* () {
      const server = yield* linking(200)
      const workspaces = yield* Workspaces
      const files = [
        { name: "a.txt", content: "hi" },
        { name: "b.txt", content: "ho" }
      ]
      const { origin } = new URL(server.address)
      const error = yield* Effect.flip(workspaces.upload("w-1", files))
      assert.strictEqual(
        error.message,
        `PUT ${origin}/(file b.txt): not sent, the response has no link for it. Upload it again.`
      )
      const wrongs: ReadonlyArray<readonly [files: unknown, message: string]> = [
        [
          [files[0], { name: "c.txt" }],
          "/(file c.txt): not sent, content must be text, bytes or a Blob; got undefined."
        ],
        [[{ name: "c.txt", content: 5 }], "/(file c.txt): not sent, content must be text, bytes or a Blob; got 5."],
        [
          [{ name: "c.txt", content: new Map() }],
          "/(file c.txt): not sent, content must be text, bytes or a Blob; got {}."
        ],
        ["c.txt", "/(file undefined): not sent, content must be text, bytes or a Blob; got undefined."],
        [undefined, "/(file undefined): not sent, content must be text, bytes or a Blob; got undefined."]
      ]
      for (const [wrong, message] of wrongs) {
        const error = yield* Effect.flip(workspaces.upload("w-1", wrong as typeof files))
        assert.strictEqual(error._tag === "TransportError" ? error.reason._tag : error._tag, "InvalidRequest")
        assert.strictEqual(error.message, `PUT ${origin}${message}`)
      }
      assert.deepStrictEqual(
        server.requests.map(({ method }) => method),
        ["POST"]
      )
    }).pipe(Effect.provide(layer))
  )

  it.live("upload ends at its timeout if the link doesn't respond", () =>
    Effect.gen(function* () {
      const server = yield* linking(200)
      const { script } = server
      server.script = (request, count) => (request.method === "PUT" ? () => undefined : script(request, count))
      const workspaces = yield* Workspaces
      const error = yield* Effect.flip(
        workspaces.upload("w-1", [{ name: "a.txt", content: "hi" }], { timeout: "300 millis" })
      )
      assert.strictEqual(error._tag === "TransportError" ? error.reason._tag : error._tag, "Timeout")
    }).pipe(Effect.provide(layer))
  )

  it.live("reports a service without workspaces, and an unknown workspace, as different errors", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const workspaces = yield* Workspaces
      server.script = () => ({ status: 404, json: { detail: "Not Found" } })
      assert.strictEqual((yield* Effect.flip(workspaces.get("w-1")))._tag, "OperationUnavailableError")
      server.script = () => ({ status: 404, json: { detail: "Workspace not found" } })
      assert.strictEqual((yield* Effect.flip(workspaces.get("w-1")))._tag, "WorkspaceNotFoundError")
    }).pipe(Effect.provide(layer))
  )
})

describe("Profiles", () => {
  it.live("a create isn't in the ledger, because a profile costs nothing by itself", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status: 201, json: { id: "p-1" } })
      const profiles = yield* Profiles
      yield* profiles.create({ name: "Ada" })
      assert.isString(server.requests[0]?.headers["idempotency-key"])
      assert.deepStrictEqual(yield* (yield* Ledger.Current).open, [])
    }).pipe(Effect.provide(layer), Effect.provide(LedgerMemory.layer))
  )
})

describe("Downloads", () => {
  it.live("are listed and read by path, and an unknown path isn't an unknown browser", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const downloads = yield* Downloads
      server.script = ({ url }) =>
        url === "/links/1"
          ? { text: "1,2" }
          : url.includes("b-1")
            ? { json: { files: [{ path: "a.csv", size: 3, url: "/links/1" }], hasMore: false } }
            : { status: 404, json: { detail: url.includes("b-2") ? "Browser not found" : "Not Found" } }
      const files = yield* Stream.runCollect(downloads.list("b-1", { limit: 5 }))
      assert.deepStrictEqual(
        files.map(({ path }) => path),
        ["a.csv"]
      )
      assert.strictEqual(new TextDecoder().decode(yield* downloads.get("b-1", "a.csv")), "1,2")
      const missing = yield* Effect.flip(downloads.get("b-1", "b.csv"))
      assert.deepInclude(missing, { _tag: "BrowserNotFoundError", detail: 'There is no file "b.csv"' })
      assert.strictEqual((yield* Effect.flip(downloads.listPage("b-2")))._tag, "BrowserNotFoundError")
      assert.strictEqual((yield* Effect.flip(downloads.listPage("b-3")))._tag, "OperationUnavailableError")
      assert.deepStrictEqual(
        server.requests.slice(0, 3).map(({ url }) => url),
        [
          "/api/v4/browsers/b-1/downloads?limit=5",
          "/api/v4/browsers/b-1/downloads?prefix=a.csv&includeUrls=true",
          "/links/1"
        ]
      )
    }).pipe(Effect.provide(layer))
  )
})
