import { assert } from "@effect/vitest"
import { ScriptedModel } from "@webagent/scripted-model"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { randomBytes } from "node:crypto"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll } from "vitest"
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
  site,
  test
} from "./modelServer.ts"
import { folder, ready, send, start, until } from "./program.ts"

const runtime = ManagedRuntime.make(TestPostgres.layer)
afterAll(() => runtime.dispose())

const secret = "canary & hunter2"

/** The forms in which a value is written on pages, in addresses and in JSON. */
const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), "hunter2"]

const withoutSecret = (texts: ReadonlyArray<string>) => {
  for (const text of texts) for (const form of forms) assert.notInclude(text, form)
}

const login = `<form action=/welcome method=post><input aria-label=User name=u id=u></form><b id=o></b>
  <button onclick="o.textContent='You are '+u.value">Show</button>`

const signIn = (model: ScriptedModel["Service"], address: string) =>
  script(
    model,
    call("navigate", { url: `${address}/login` }),
    (now) => call("type", { index: numberOf(now, "User"), text: "<secret:pin>" }),
    (now) => call("click", { index: numberOf(now, "Show") }),
    (now) => call("done", { success: true, output: /You are (<\S+>)/u.exec(now)?.[1] ?? now })
  )

const bindings = (shop: Parameters<typeof hostOf>[0]) => [
  { alias: "pin", source: { type: "inline", value: secret }, allowedDomains: [hostOf(shop)] }
]

test(
  "the value of a run's secret is in no request, response, event, log, recording, trace or file, even after a kill while it waits",
  Effect.gen(function* () {
    const model = yield* ScriptedModel
    const shop = yield* site({ login })
    const path = yield* folder
    const flags = [...modelFlags(model), "--max-browsers", "1", "--log-level", "debug"]
    const first = yield* serve([shop], flags, {}, path)
    // the only browser is taken until the server is killed
    model.script = () => new Promise(() => undefined)
    const blocking = yield* create(first.v4, { task: "Wait" })
    yield* until(send(first.v4, key, "GET", `/runs/${blocking.id}/status`), ({ body }) => body["status"] === "running")
    const body = { task: "Sign in as <secret:pin>", secretBindings: bindings(shop), enableRecording: true }
    const made = yield* send(first.v4, key, "POST", "/runs", body)
    assert.strictEqual(made.status, 201, JSON.stringify(made.body))
    const id = String(made.body["id"])
    first.program.process.kill("SIGKILL")
    const killed = yield* first.program.ended
    // stored, and not as plain text
    const database = filesBelow(path).filter((file) => file.startsWith(join(path, "server.db")))
    const stored = database.map(contentOf)
    assert.isTrue(stored.some((text) => text.includes("Sign in as <secret:pin>")))
    withoutSecret([killed.stderr, first.program.stdout(), JSON.stringify(made.body), ...stored])

    const collector = yield* site({ "v1/traces": "" })
    const recording = ["--record-dialogues", join(path, "dialogues")]
    const tracing = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "SPAN_ONLY"
    }
    const second = yield* serve([shop], [...flags, ...recording], tracing, path)
    signIn(model, shop.address)
    const run = yield* ended(second.v4, id)
    assert.deepInclude(run.body, { status: "completed", result: "<secret:pin>" }, JSON.stringify(run.body))
    const reads = yield* Effect.forEach(
      [
        send(second.v4, key, "GET", `/runs/${id}/steps`),
        send(second.v4, key, "GET", `/runs/${id}/events`),
        send(second.v4, key, "GET", "/runs"),
        send(second.v4?.replace("/api/v4", "/admin/v1"), key, "GET", `/runs/${id}`),
        send(second.v2, key, "GET", `/tasks/${id}`),
        send(second.v3, key, "GET", `/sessions/${String(made.body["sessionId"])}`)
      ],
      (read) => read
    )
    second.program.process.kill("SIGTERM")
    const { stderr } = yield* second.program.ended
    const traces = collector.requests.map(({ body }) => body)
    assert.include(traces.join(""), "You are <secret:pin>")
    assert.include(readFileSync(join(path, "dialogues", `${id}.ndjson`), "utf8"), "You are <secret:pin>")
    withoutSecret([
      ...traces,
      ...[run, ...reads, ...model.requests].map(({ body }) => JSON.stringify(body)),
      stderr,
      second.program.stdout(),
      ...filesBelow(path).map(contentOf)
    ])
  })
)

test(
  "another node with the same profile key types a run's secret, and one without a key refuses it",
  Effect.gen(function* () {
    const model = yield* ScriptedModel
    const shop = yield* site({ login })
    const database = yield* Effect.flatMap(runtime.contextEffect, (context) =>
      Effect.provideContext(
        Effect.flatMap(TestPostgres, ({ database }) => database),
        context
      )
    )
    const profileKey = randomBytes(32).toString("base64")
    const node = Effect.fnUntraced(function* (name: string, environment: Readonly<Record<string, string>>) {
      const path = yield* folder
      // browsers of a server that is root run as another user
      chmodSync(path, 0o711)
      const args = ["serve", "--browsers", "chromium", "--min-isolation", "none", "--port", "0", "--api-key", key]
      const program = yield* start(
        [
          ...args,
          ...modelFlags(model),
          "--data",
          database,
          "--node",
          name,
          "--allow-private",
          hostOf(shop),
          "--max-browsers",
          "1"
        ],
        { TMPDIR: path, ...environment }
      )
      const { v4 } = yield* ready(program)
      return { program, v4 }
    })
    const one = yield* node("one", { WEBAGENT_PROFILE_KEY: profileKey })
    model.script = () => new Promise(() => undefined)
    const blocking = yield* create(one.v4, { task: "Wait" })
    yield* until(send(one.v4, key, "GET", `/runs/${blocking.id}/status`), ({ body }) => body["status"] === "running")
    const { id } = yield* create(one.v4, { task: "Sign in", secretBindings: bindings(shop) })
    one.program.process.kill("SIGKILL")
    yield* one.program.ended
    signIn(model, shop.address)
    // the new key encrypts, and the old one still opens
    const two = yield* node("two", {
      WEBAGENT_PROFILE_KEY: `${randomBytes(32).toString("base64")},${profileKey}`
    })
    const run = yield* ended(two.v4, id)
    assert.deepInclude(run.body, { status: "completed", result: "<secret:pin>" }, JSON.stringify(run.body))
    two.program.process.kill("SIGTERM")
    yield* two.program.ended
    const three = yield* node("three", {})
    const refused = yield* send(three.v4, key, "POST", "/runs", { task: "Sign in", secretBindings: bindings(shop) })
    assert.strictEqual(refused.status, 422)
    assert.match(JSON.stringify(refused.body), /Set WEBAGENT_PROFILE_KEY/u)
  })
)

test(
  "a run selects a model of the file, with its own key and price, and an unknown one returns 422 with their names",
  Effect.gen(function* () {
    const model = yield* ScriptedModel
    const models = join(yield* folder, "models.json")
    const small = {
      model: "anthropic:small-1",
      url: model.baseUrl.anthropic,
      price: "input=1,output=1",
      key: "WEBAGENT_SMALL_KEY"
    }
    writeFileSync(models, JSON.stringify({ small }))
    const { v4 } = yield* serve([], [...modelFlags(model), "--models", models], {
      WEBAGENT_MODEL_KEY: "sk-first",
      WEBAGENT_SMALL_KEY: "sk-small"
    })
    script(model, { ...call("done", { success: true, output: "found" }), usage: { input: 10, output: 1 } })
    const { body } = yield* ended(v4, (yield* create(v4, { task: "Find a mug", model: "small" })).id)
    assert.deepInclude(body, { status: "completed", model: "small", cost: "0.000011" })
    assert.deepStrictEqual(
      model.requests.map(({ headers, model }) => [model, headers["x-api-key"]]),
      [["small-1", "sk-small"]]
    )
    const usual = yield* ended(v4, (yield* create(v4, { task: "Find a mug" })).id)
    assert.propertyVal(usual.body, "model", "scripted-1")
    const refused = yield* send(v4, key, "POST", "/runs", { task: "Find a mug", model: "large" })
    assert.strictEqual(refused.status, 422)
    assert.include(JSON.stringify(refused.body), "send one of scripted-1, small")
  })
)
