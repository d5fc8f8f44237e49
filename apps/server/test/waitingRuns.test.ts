import { assert, it } from "@effect/vitest"
import { ScriptedModel } from "@webagent/scripted-model"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { type Answer, folder, ready, send, start, until } from "./program.ts"
import { followTasks, prices } from "./ScriptedAgent.ts"

const key = "wak_waiting"

it.live("a run waits for the browser that another client stops, and POST /browsers for a shorter time", () =>
  Effect.gen(function* () {
    const model = yield* ScriptedModel
    followTasks(model)
    const path = yield* folder
    // browsers of a server that is root run as another user
    chmodSync(path, 0o711)
    const url = model.baseUrl["openai-compatible"]
    const program = yield* start(
      [
        "serve",
        "--browsers=chromium",
        "--min-isolation=none",
        "--port=0",
        "--max-browsers=1",
        "--browser-queue-timeout=500ms",
        `--api-key=${key}`,
        "--model=openai-compatible:scripted-1",
        `--model-url=${url}`,
        ...prices,
        `--data=${join(path, "server.db")}`
      ],
      { TMPDIR: path }
    )
    const { v4 } = yield* ready(program)
    const browser = yield* send(v4, key, "POST", "/browsers", {})
    const run = yield* send(v4, key, "POST", "/runs", { task: "Find a mug [simulate output=found]" })
    const get = send(v4, key, "GET", `/runs/${String(run.body["id"])}`)
    const metrics = send(new URL(v4 ?? "").origin, key, "GET", "/metrics")
    yield* until(metrics, ({ body }) => /^webagent_node_waiting_launches 1$/mu.test(String(body["text"])))
    const refused = yield* send(v4, key, "POST", "/browsers", {})
    assert.strictEqual(refused.status, 429)
    assert.strictEqual(refused.headers.get("retry-after"), "5")
    assert.match(String(refused.body["detail"]), /The request waited 500ms for a browser$/u)
    yield* send(v4, key, "PATCH", `/browsers/${String(browser.body["id"])}`, { action: "stop" })
    const isOver = ({ body }: Answer) => body["status"] === "completed" || body["status"] === "failed"
    assert.deepInclude((yield* until(get, isOver)).body, { status: "completed", result: "found" })
  }).pipe(Effect.scoped, Effect.provide(Layer.fresh(ScriptedModel.layer)))
)

it.live("runs and POST /browsers wait for a simulated browser as well, if there is a limit", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const limits = ["--max-browsers=1", "--browser-queue-timeout=100ms"]
    const program = yield* start(["serve", "--port=0", ...limits, `--api-key=${key}`, `--data=${join(path, "s.db")}`])
    const { v4 } = yield* ready(program)
    const browser = yield* send(v4, key, "POST", "/browsers", {})
    const run = yield* send(v4, key, "POST", "/runs", { task: "Find a mug [simulate output=found]" })
    const get = send(v4, key, "GET", `/runs/${String(run.body["id"])}`)
    const { body } = yield* until(get, (answer) => "browserQueue" in answer.body)
    assert.deepInclude(body["browserQueue"], { position: 1, reason: "browsers" })
    assert.match(String((yield* send(v4, key, "POST", "/browsers", {})).body["detail"]), /waited 100ms for a browser$/u)
    yield* send(v4, key, "PATCH", `/browsers/${String(browser.body["id"])}`, { action: "stop" })
    assert.strictEqual((yield* until(get, (answer) => answer.body["status"] === "completed")).body["result"], "found")
  }).pipe(Effect.scoped)
)
