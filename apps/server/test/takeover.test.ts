import { assert, it } from "@effect/vitest"
import { type ModelMessage, ScriptedModel } from "@webagent/scripted-model"
import { ScriptedServer } from "@webagent/scripted-server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chmodSync } from "node:fs"
import { once } from "node:events"
import { join } from "node:path"
import { WebSocket } from "ws"
import { folder, ready, send, start, until as untilAnswer } from "./program.ts"

const call = (name: string, input: unknown): ModelMessage => ({
  calls: [{ name, input }],
  usage: { input: 10, output: 1 }
})

const until = (isSo: () => boolean) => Effect.repeat(Effect.sleep("20 millis"), { while: () => !isSo() })

/** A page that is one field, which shows its text in its title. */
const page = `<!doctype html><meta charset=utf-8><title>empty</title>
<input aria-label=Code style="position:fixed;inset:0;width:100vw;height:100vh"
  oninput="document.title = 'typed ' + this.value">`

/** The socket of a live page, with the texts that came. */
const open = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = new WebSocket(`${url.replace(/^http/u, "ws")}/socket`)
      const texts: Array<string> = []
      const pictures = { count: 0 }
      socket.on("message", (data, isBinary) => (isBinary ? pictures.count++ : texts.push(String(data))))
      await once(socket, "open")
      const input = (message: object) => socket.send(JSON.stringify(message))
      return { socket, texts, pictures, input }
    }),
    ({ socket }) => Effect.sync(() => socket.terminate())
  )

const mouse = { _tag: "Mouse", x: 0.5, y: 0.5, button: "left", clicks: 1, modifiers: 0 }

it.live("a person takes over a real browser in the middle of a run, types, and the agent continues with the page", () =>
  Effect.gen(function* () {
    // a server of its own: the model's is another one
    const site = Context.get(yield* Layer.build(Layer.fresh(ScriptedServer.layer)), ScriptedServer)
    const model = yield* ScriptedModel
    site.script = () => ({ headers: { "content-type": "text/html" }, text: page })
    const path = yield* folder
    // browsers of a server that is root run as another user
    chmodSync(path, 0o711)
    const program = yield* start(
      `serve --browsers chromium --min-isolation none --port 0 --api-key K --admin-key A
        --allow-private ${new URL(site.address).host} --data ${join(path, "server.db")}
        --model openai-compatible:scripted-1 --model-url ${model.baseUrl["openai-compatible"]}`.split(/\s+/u),
      { TMPDIR: path }
    )
    const { v4 = "" } = yield* ready(program)
    const admin = v4.replace("/api/v4", "/admin/v1")
    const asked = (method: string, route: string, body?: object) => send(admin, "A", method, route, body)

    const taken = Promise.withResolvers<void>()
    model.script = async ({ text }, count) => {
      if (count === 1) return call("navigate", { url: site.address })
      if (count > 2) return call("done", { success: true, output: /typed (\w+)/u.exec(text)?.[1] ?? "nothing" })
      await taken.promise
      return call("wait", { seconds: 0 })
    }
    const created = yield* send(v4, "K", "POST", "/runs", { task: "Fill in the code" })
    const run = String(created.body["id"])
    yield* until(() => model.requests.length === 2)
    const details = yield* asked("GET", `/runs/${run}`)
    const control = `/browsers/${String(details.body["browserId"])}/control`
    const { body, status } = yield* asked("POST", control, { seconds: 60 })
    assert.strictEqual(status, 200)
    assert.strictEqual((yield* send(admin, "K", "POST", control, {})).status, 409)
    const { input, pictures, texts } = yield* open(String(body["url"]))
    taken.resolve()
    yield* until(() => pictures.count > 0)
    input({ ...mouse, action: "pressed", buttons: 1 })
    input({ ...mouse, action: "released", buttons: 0 })
    for (const key of "4711") {
      const pressed = { _tag: "Key", key, code: `Digit${key}`, keyCode: key.charCodeAt(0), modifiers: 0 }
      input({ ...pressed, action: "pressed" })
      input({ ...pressed, action: "released" })
    }
    yield* until(() => texts.some((text) => text.includes('"title":"typed 4711"')))
    assert.include(texts.join("\n"), '"control":true')
    // the agent has its next step, and waits with it
    const steps = JSON.parse(String((yield* asked("GET", `/runs/${run}/steps`)).body["text"])) as ReadonlyArray<unknown>
    assert.lengthOf(steps, 1)
    assert.strictEqual(model.requests.length, 2)
    assert.strictEqual((yield* asked("DELETE", control)).status, 204)
    const over = yield* untilAnswer(
      send(v4, "K", "GET", `/runs/${run}`),
      ({ body: { status: now } }) => now !== "running"
    )
    assert.deepInclude(over.body, { status: "completed", result: "4711" })
    const events = yield* send(v4, "K", "GET", `/runs/${run}/events`)
    const types = (events.body["events"] as ReadonlyArray<{ readonly type: string }>).map(({ type }) => type)
    assert.deepStrictEqual(
      types.filter((type) => /running|control|completed/u.test(type)),
      ["run.running", "run.control.taken", "run.control.released", "run.completed"]
    )
    const log = yield* asked("GET", `/audit?target=${String(details.body["browserId"])}`)
    const actions = (log.body["rows"] as ReadonlyArray<{ readonly action: string; readonly status: number }>).map(
      (row) => `${row.action} ${row.status}`
    )
    assert.deepStrictEqual(actions, [
      "browsers.releaseControl 204",
      "browsers.takeControl 409",
      "browsers.takeControl 200"
    ])
  }).pipe(Effect.scoped, Effect.provide(Layer.fresh(ScriptedModel.layer)))
)
