import { assert, it } from "@effect/vitest"
import { type ModelMessage, ScriptedModel } from "@webagent/scripted-model"
import * as Effect from "effect/Effect"
import { chmodSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { type Answer, folder, ready, send, start, until } from "./program.ts"

const key = "wak_run_files"

type Json = Readonly<Record<string, unknown>>

const call = (name: string, input: unknown = {}): ModelMessage => ({ calls: [{ name, input }] })

const isOver = ({ body }: Answer) => ["completed", "failed", "cancelled"].includes(String(body["status"]))

const chromium = ["--browsers", "chromium", "--min-isolation", "none", "--model", "openai-compatible:scripted-1"]
const flags = ["serve", "--port", "0", "--api-key", key, ...chromium]

/** A page that shows the names and texts of chosen files, and offers a download. */
const page = `<!doctype html><meta charset=utf-8><body><label>Chosen <input type=file multiple
  onchange="Promise.all([...this.files].map(async (f) => f.name + '=' + (await f.text()))).then((t) => out.textContent = t.join())"></label>
  <p id=out></p><a href="/report.csv" download>Get the report</a></body>`

const site = Effect.acquireRelease(
  Effect.callback<{ readonly address: string; readonly close: () => void }>((resume) => {
    const server = createServer(({ url }, response) => {
      if (url !== "/report.csv") return void response.setHeader("content-type", "text/html").end(page)
      response.setHeader("content-disposition", 'attachment; filename="report.csv"').end("1,2")
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ address: `http://127.0.0.1:${port}`, close: () => server.closeAllConnections() }))
      return undefined
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** The number of the element whose name begins so. */
const numberOf = (now: string, name: string): number =>
  Number(new RegExp(String.raw`\[(\d+) [\w ]+? "${name}`, "u").exec(now)?.[1])

it.live("an agent uploads only the attached files, and its downloads are the run's attachments", () =>
  Effect.gen(function* () {
    const { address } = yield* site
    const model = yield* ScriptedModel
    const path = yield* folder
    // browsers of a server that is root run as another user
    chmodSync(path, 0o711)
    const server = yield* start(
      [
        ...flags,
        "--data",
        join(path, "server.db"),
        "--allow-private",
        new URL(address).host,
        "--model-url",
        model.baseUrl["openai-compatible"]
      ],
      { TMPDIR: path }
    )
    const { v4 } = yield* ready(server)
    const ask = (method: "GET" | "POST", to: string, body?: Json) => send(v4, key, method, to, body)

    const workspace = String((yield* ask("POST", "/workspaces", {})).body["id"])
    const files = [
      { name: "a.txt", size: 5 },
      { name: "secret.txt", size: 6 }
    ]
    const uploads = (yield* ask("POST", `/workspaces/${workspace}/files/upload`, { files })).body["files"]
    const [first, second] = uploads as ReadonlyArray<Json>
    yield* Effect.promise(() => fetch(String(first?.["uploadUrl"]), { method: "PUT", body: "hello" }))
    yield* Effect.promise(() => fetch(String(second?.["uploadUrl"]), { method: "PUT", body: "hidden" }))

    const pages: Array<string> = []
    model.script = ({ text }, count) => {
      pages.push(text)
      switch (count) {
        case 1:
          return call("navigate", { url: address })
        case 2:
          return call("upload", { index: numberOf(text, "Chosen"), names: ["secret.txt"] })
        case 3:
          return call("upload", { index: numberOf(text, "Chosen"), names: ["a.txt"] })
        case 4:
          return call("click", { index: numberOf(text, "Get the report") })
        case 5:
          return call("wait", { seconds: 1 })
        default:
          return call("done", { success: true, output: "sent" })
      }
    }
    const created = yield* ask("POST", "/runs", {
      task: "Send it",
      workspaceId: workspace,
      attachedFileIds: [first?.["id"], "00000000-0000-4000-8000-00000000ffff"]
    })
    assert.strictEqual(created.status, 201, JSON.stringify(created.body))
    assert.deepInclude(created.body, {
      workspaceId: workspace,
      attachedFileIds: [first?.["id"]],
      missingFileIds: ["00000000-0000-4000-8000-00000000ffff"]
    })
    const run = String(created.body["id"])
    const over = yield* until(ask("GET", `/runs/${run}`), isOver)
    assert.deepInclude(over.body, { status: "completed", result: "sent" }, pages.join("\n-----\n"))
    const read = JSON.stringify(model.requests)
    assert.match(read, /Files that you can upload: [^a-z]*a\.txt/u)
    assert.include(read, "The task has no file secret.txt")
    assert.include(read, "a.txt=hello")
    assert.notInclude(read, "hidden")

    const { attachments } = (yield* ask("GET", `/runs/${run}/attachments`)).body
    const [attachment, ...others] = attachments as ReadonlyArray<Json>
    assert.lengthOf(others, 0)
    assert.deepInclude(attachment, { name: "report.csv", sizeBytes: 3, status: "uploaded" })
    const content = yield* Effect.promise(async () => (await fetch(String(attachment?.["url"]))).text())
    assert.strictEqual(content, "1,2")
    const archive = yield* Effect.promise(async () => {
      const response = await fetch(`${v4}/runs/${run}/attachments.zip`, { headers: { "X-Service-API-Key": key } })
      assert.strictEqual(response.headers.get("content-type"), "application/zip")
      return Buffer.from(await response.arrayBuffer()).toString("latin1")
    })
    assert.match(archive, /^PK[\s\S]*report\.csv[\s\S]*1,2[\s\S]*PK/u)
    // the bytes go with the session
    yield* ask("POST", `/sessions/${String(created.body["sessionId"])}/purge`)
    assert.strictEqual((yield* ask("GET", `/runs/${run}/attachments`)).status, 404)
    assert.strictEqual((yield* Effect.promise(() => fetch(String(attachment?.["url"])))).status, 404)
  }).pipe(Effect.provide(ScriptedModel.layer))
)
