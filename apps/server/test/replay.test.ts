import { assert } from "@effect/vitest"
import { ScriptedModel } from "@webagent/scripted-model"
import { ScriptedServer } from "@webagent/scripted-server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import {
  call,
  create,
  ended,
  contentOf,
  filesBelow,
  hostOf,
  key,
  modelFlags,
  numberOf,
  script,
  serve,
  test
} from "./modelServer.ts"
import { folder, send } from "./program.ts"

const canary = "canary & hunter2"

/** The forms in which a value is written on pages, in addresses and in JSON. */
const forms = [canary, encodeURIComponent(canary), JSON.stringify(canary).slice(1, -1), "hunter2"]

/** A site with a sign-in, and what reached its server. */
const shop = Effect.map(Layer.build(Layer.fresh(ScriptedServer.layer)), (context) => {
  const server = Context.get(context, ScriptedServer)
  const signedIn: Array<string> = []
  server.script = ({ body, method, url }) => {
    if (method === "POST") {
      signedIn.push(String(new URLSearchParams(body).get("pin")))
      return { headers: { "content-type": "text/html" }, text: "<h1>Welcome</h1><p>Invoice 4711</p>" }
    }
    return {
      headers: { "content-type": "text/html" },
      text: url.startsWith("/login")
        ? `<form method=post action=/in><label>Pin <input name=pin></label><button>Sign in</button></form>`
        : ""
    }
  }
  return { server, signedIn }
})

const secretBindings = (site: ScriptedServer["Service"]) => [
  { alias: "pin", source: { type: "inline", value: canary }, allowedDomains: [hostOf(site)] }
]

test(
  "a replay works after a restart, at no cost and only for its own key, and the secret is in no file, request, trace or log",
  Effect.gen(function* () {
    const model = yield* ScriptedModel
    const { server: site, signedIn } = yield* shop
    const collector = Context.get(yield* Layer.build(Layer.fresh(ScriptedServer.layer)), ScriptedServer)
    collector.script = () => ({ json: {} })
    const path = yield* folder
    const dialogues = join(path, "dialogues")
    const other = "wak_other"
    const flags = [...modelFlags(model), "--record-dialogues", dialogues, "--log-level", "debug", "--api-key", other]
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.address }
    const first = yield* serve([site], flags, environment, path)
    script(
      model,
      call("navigate", { url: `${site.address}/login` }),
      (now) => call("type", { index: numberOf(now, "Pin"), text: "<secret:pin>" }),
      (now) => call("click", { index: numberOf(now, "Sign in") }),
      call("done", { success: true, output: "Invoice 4711" })
    )
    const run = { task: "Sign in with <secret:pin>", secretBindings: secretBindings(site), enableRecording: true }
    const { id } = yield* create(first.v4, run)
    assert.deepInclude((yield* ended(first.v4, id)).body, { status: "completed", result: "Invoice 4711" })
    assert.deepStrictEqual(signedIn, [canary])
    const { body: stepsOf } = yield* send(first.v4, key, "GET", `/runs/${id}/steps`)
    first.program.process.kill("SIGKILL")
    const killed = yield* first.program.ended

    const second = yield* serve([site], flags, environment, path)
    model.requests.length = 0
    const { body: about } = yield* send(String(second.v4).replace("/api/v4", "/admin/v1"), key, "GET", "/server")
    assert.include(about["has"], "replays")
    const foreign = yield* send(second.v4, other, "POST", "/runs", { task: "Again", replayOf: id })
    assert.deepStrictEqual([foreign.status, foreign.body["detail"]], [404, "Run not found"])
    const again = yield* create(second.v4, { ...run, replayOf: { runId: id, asksModel: false } })
    const { body } = yield* ended(second.v4, again.id)
    assert.deepInclude(body, { status: "completed", result: "Invoice 4711", cost: "0", error: null })
    assert.deepStrictEqual(body["replay"], { of: id, asksModel: false, replayed: 4, healed: 0, asked: 0 })
    assert.deepStrictEqual(signedIn, [canary, canary])
    assert.lengthOf(model.requests, 0)
    second.program.process.kill("SIGTERM")
    yield* second.program.ended

    // one file for the run that asked the model, with a line for each response
    const recorded = readdirSync(dialogues)
    assert.deepStrictEqual(recorded, [`${id}.ndjson`])
    const dialogue = join(dialogues, `${id}.ndjson`)
    assert.lengthOf(readFileSync(dialogue, "utf8").trim().split("\n"), 4)
    assert.strictEqual(statSync(dialogue).mode & 0o077, 0)
    const files = filesBelow(path).filter((file) => /dialogues|server\.db|recordings/u.test(file))
    assert.isAbove(files.length, 2)
    assert.isAbove(collector.requests.length, 0)
    const texts = [
      ...files.map(contentOf),
      ...collector.requests.map(({ body }) => body),
      killed.stderr,
      first.program.stdout(),
      second.program.stdout(),
      JSON.stringify([stepsOf, body])
    ]
    for (const text of texts) for (const form of forms) assert.notInclude(text, form)
  })
)
