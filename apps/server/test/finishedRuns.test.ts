import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { folder, ready, run, send, start, until } from "./program.ts"

const isFinished = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
  ["completed", "failed", "cancelled"].includes(String(body["status"]))

it.live("the log has one line per finished run and per refused key, and /metrics has the reasons", () =>
  Effect.gen(function* () {
    const path = join(yield* folder, "server.db")
    const created = yield* run(["keys", "create", "--data", path, "--name", "shop"])
    const key = created.stdout.trim()
    const program = yield* start([
      "serve",
      "--port",
      "0",
      "--data",
      path,
      "--log",
      "json",
      "--drain-within",
      "0 seconds"
    ])
    const { v4 } = yield* ready(program)
    const perform = Effect.fnUntraced(function* (script: string) {
      const { body } = yield* send(v4, key, "POST", "/runs", { task: `Find a mug [simulate ${script}]` })
      yield* until(send(v4, key, "GET", `/runs/${String(body["id"])}`), isFinished)
      return String(body["id"])
    })
    const completed = yield* perform("output=found cost=0.25 duration=10ms")
    const failed = yield* perform("outcome=failed error=secret-of-a-page cost=0.5 duration=10ms")
    const { body } = yield* send(v4, key, "POST", "/runs", { task: "Find a mug [simulate duration=40s]" })
    const open = String(body["id"])
    yield* until(send(v4, key, "GET", `/runs/${open}`), ({ body }) => body["status"] === "running")
    const refused = yield* send(v4, "wak_wrong", "GET", `/runs/${open}`)
    assert.strictEqual(refused.status, 401)
    const metrics = (apiKey: string) =>
      Effect.map(send(new URL(v4 ?? "").origin, apiKey, "GET", "/metrics"), ({ body }) => String(body["text"]))
    const detailed = yield* metrics(key)
    assert.match(
      detailed,
      /webagent_key_run_outcomes_total\{.*status="failed",reason="agent",model="[^"]+",key="shop"\} 1\n/u
    )
    assert.match(detailed, /webagent_key_run_cost_usd_total\{.*key="shop"\} 0\.75\n/u)
    for (const wrong of ["", "wak_wrong"]) {
      const open = yield* metrics(wrong)
      assert.match(open, /webagent_run_outcomes_total\{.*status="failed",reason="agent",model="[^"]+"\} 1\n/u)
      assert.match(open, /webagent_run_cost_usd_total\{.*\} 0\.75\n/u)
      assert.notInclude(open, "shop")
    }
    program.process.kill("SIGTERM")
    const { stderr } = yield* program.ended
    const lines = stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    const finished = lines.filter(({ message }) => message === "Run finished")
    assert.deepStrictEqual(
      finished.map(({ annotations: { key, reason, run, status, usd }, level }) => [
        level,
        run,
        key,
        status,
        reason,
        usd
      ]),
      [
        ["INFO", completed, "shop", "completed", "done", "0.25"],
        ["WARN", failed, "shop", "failed", "agent", "0.5"],
        ["WARN", open, "shop", "failed", "node_closed", finished[2]?.annotations.usd]
      ]
    )
    assert.hasAllKeys(finished[0]?.annotations, ["run", "key", "status", "reason", "model", "steps", "usd", "ms"])
    const [refusal, ...more] = lines.filter(({ message }) => message === "Refused an API key")
    assert.lengthOf(more, 0)
    assert.deepInclude(refusal.annotations, {
      path: `/api/v4/runs/${open}`,
      status: 401,
      client: "127.0.0.1",
      request: refused.headers.get("x-request-id")
    })
    assert.notMatch(stderr, /wak_|secret-of-a-page/u)
  })
)
