import { assert, it } from "@effect/vitest"
import { ScriptedModel } from "@webagent/scripted-model"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chmodSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { threeNodes } from "./node.ts"
import { folder, ready, start } from "./program.ts"
import { followTasks, prices } from "./ScriptedAgent.ts"

const harness = fileURLToPath(new URL("../../harness/src/main.ts", import.meta.url))
const scriptedAgent = fileURLToPath(new URL("../../harness/test/suites/scripted-agent.suite.ts", import.meta.url))

interface Report {
  readonly results: ReadonlyArray<{
    readonly name: string
    readonly verdict: string
    readonly needs: ReadonlyArray<string>
  }>
}

/** What the harness says of the server at an address. */
const harnessRun = Effect.fnUntraced(function* (target: string, path: string, args: ReadonlyArray<string>) {
  const reports = join(path, "report")
  // a scenario that waits for a busy machine does not hang
  const given = ["run", ...args, "--target", target, "--report-dir", reports, "--timeout", "5m"]
  const run = yield* start(given, { WEBAGENT_API_KEY: "K" }, harness)
  const { code, stderr } = yield* run.ended
  const { results }: Report = JSON.parse(readFileSync(join(reports, "report.json"), "utf8"))
  return { code, results, said: `${run.stdout()}${stderr}` }
})

const targets = {
  "a database file": Effect.gen(function* () {
    const file = join(yield* folder, "server.db")
    const { v4 = "" } = yield* ready(yield* start(["serve", "--port", "0", "--api-key", "K", "--data", file]))
    return new URL(v4).origin
  }),
  "three nodes over one Postgres, with requests in rotation": Effect.flatMap(
    Layer.build(TestPostgres.layer),
    (postgres) => Effect.provideContext(threeNodes, postgres)
  )
}

for (const [over, target] of Object.entries(targets)) {
  it.live(`every built-in suite passes over ${over}; only those of the control API are skipped`, () =>
    Effect.gen(function* () {
      const { code, results, said } = yield* harnessRun(yield* target, yield* folder, ["--built-in"])
      assert.deepStrictEqual(
        results
          .filter(({ needs, verdict }) => verdict !== (needs.includes("control-api") ? "skipped" : "passed"))
          .map(({ name, verdict }) => `${name}: ${verdict}`),
        [],
        said
      )
      assert.isAbove(results.length, 180)
      assert.strictEqual(code, 0, said)
    })
  )
}

it.live(
  "the built-in scenarios pass with a real agent, real browsers and a model that follows the task",
  () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel
      followTasks(model)
      const path = yield* folder
      // browsers of a server that is root run as another user
      chmodSync(path, 0o711)
      const named = ["--model", "openai-compatible:scripted", "--model-url", model.baseUrl["openai-compatible"]]
      // what a container forbids is not what is tested here
      const browsers = ["--min-isolation", "none", "--max-browsers", "14"]
      const server = yield* start(
        ["serve", "--port", "0", "--api-key", "K", "--data", join(path, "server.db"), ...named, ...prices, ...browsers],
        { TMPDIR: path }
      )
      const { v4 = "" } = yield* ready(server)
      // browsers that start at once are all slow to start
      const { code, results, said } = yield* harnessRun(v4, path, [scriptedAgent, "--allow-paid", "--concurrency", "3"])
      assert.deepStrictEqual(
        results.filter(({ verdict }) => verdict !== "passed").map(({ name, verdict }) => `${name}: ${verdict}`),
        [],
        said
      )
      assert.isAtLeast(results.length, 45)
      assert.strictEqual(code, 0, said)
    }).pipe(Effect.provide(ScriptedModel.layer), Effect.scoped),
  // half a minute of CPU time, which a busy machine gives in ten
  600_000
)
