import type { RunDetails } from "@webagent/admin"
import { Server, SimulatedService } from "@webagent/simulation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { execFile } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { scenarioOf, suiteFileOf } from "../../src/features/run/scenario.ts"
import { type RunBody, samples } from "../../src/features/start/code.ts"
import { hostile, makeWorld } from "../server/World.ts"

const run = promisify(execFile)
const root = fileURLToPath(new URL("../../../../", import.meta.url))
// inside the package, so that its dependencies are found, and outside node_modules, where Node runs no TypeScript
const folder = fileURLToPath(new URL(`../../.webagent/code-${process.pid}/`, import.meta.url))
const tsc = join(createRequire(import.meta.url).resolve("typescript/package.json"), "..", "bin", "tsc")

const output = { price: 89, note: `"it's" ${"`"}\${x}${"`"} \u2028`, ["__proto__"]: { a: 1 } }

/** A body with everything that a form can have, and texts that would end a string, a comment or a command. */
const body: RunBody = {
  task: `Find a 'red' "mug" \${HOME} $(false) \\ ${hostile[1]} */ [simulate output={"price":89}]\nand its price`,
  outputSchema: { type: "object", properties: { price: { type: "number" }, "a-b": {} }, required: [] },
  maxCostUsd: 0.5,
  modelParams: { effort: "high" },
  browserSettings: { record: false }
}

const world = makeWorld(20)
const [first] = [...world.runs.values()].filter(({ status }) => status === "completed")
if (first === undefined) throw new Error("The world has no completed run")
const recorded = world.details({
  ...first,
  task: String(body.task),
  model: null,
  result: JSON.parse(JSON.stringify(output))
})

const suites: Readonly<Record<string, RunDetails>> = {
  "right.suite.ts": { ...recorded, task: 'Find a mug [simulate output={"price":89}]', result: { price: 89 } },
  "wrong.suite.ts": { ...recorded, task: 'Find a mug [simulate output={"price":90}]', result: { price: 89 } },
  "hostile.suite.ts": { ...recorded, title: hostile[0], outputSchema: body["outputSchema"] as Record<string, never> },
  "text.suite.ts": { ...recorded, result: hostile[1], budget: { costUsd: "0.5", tokens: null, durationMs: null } },
  "failed.suite.ts": { ...recorded, status: "failed", result: null, task: "[simulate outcome=failed]" }
}

const fileOf = {
  TypeScript: "promise.ts",
  Effect: "effect.ts",
  "Published client": "published.ts",
  fetch: "fetch.ts"
} as const

describe("generated code", () => {
  const scope = Effect.runSync(Scope.make())
  let address = ""
  let env: NodeJS.ProcessEnv = {}
  const code = (name: string) => samples.find((sample) => sample.name === name)?.code(body, address) ?? ""
  const node = (...args: ReadonlyArray<string>) =>
    run(process.execPath, ["--conditions=@webagent/source", ...args], { cwd: folder, env })

  beforeAll(async () => {
    const parts = await Effect.runPromise(
      Scope.provide(
        Layer.build(SimulatedService.layer({ turnDuration: "5 millis", apiKeyHeader: "X-Browser-Use-API-Key" })),
        scope
      )
    )
    const { address: at, apiKeys } = Context.get(parts, Server)
    address = at
    env = { ...process.env, WEBAGENT_API_KEY: apiKeys[0] ?? "" }
    mkdirSync(folder, { recursive: true })
    for (const [name, file] of Object.entries(fileOf)) writeFileSync(join(folder, file), code(name))
    for (const [file, details] of Object.entries(suites)) writeFileSync(join(folder, file), scenarioOf(details))
    const compilerOptions = { noEmit: true, declaration: false, declarationMap: false, sourceMap: false }
    const tsconfig = { extends: `${root}tsconfig.base.json`, compilerOptions, include: ["*.ts"] }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig))
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("compiles: clients and scenarios, with every option and hostile texts", async () => {
    const { stdout } = await run(process.execPath, [tsc, "-p", folder]).catch(
      (error: { readonly stdout: string }) => error
    )
    assert.strictEqual(stdout, "")
  })

  it("starts the run with curl", async () => {
    const { stdout } = await run("sh", ["-c", code("curl")], { env })
    const created = JSON.parse(stdout) as { readonly id: string; readonly task: string }
    assert.strictEqual(created.task, body.task)
  })

  for (const name of ["TypeScript", "Effect", "Published client", "fetch"] as const) {
    it(`starts the run with ${name}`, async () => {
      const { stdout } = await node(fileOf[name])
      assert.match(stdout, name === "fetch" ? /id: '[\w-]+'/u : /^completed \{ price: 89 \}/u)
    })
  }

  it("adds the server to an assistant, with a key that the MCP endpoint accepts, and comments out the task", async () => {
    // the assistant's command line prints what it got
    const assistant = `claude() { printf '%s\\n' "$@"; }\n${code("MCP")}`
    const { stdout } = await run("sh", ["-c", assistant], { env })
    const args = stdout.trimEnd().split("\n")
    assert.deepStrictEqual(args.slice(0, 5), ["mcp", "add", "--transport", "http", "webagent"])
    const [, , , , , url = "", flag, header = ""] = args
    assert.strictEqual(flag, "--header")
    const [name = "", value = ""] = header.split(": ")
    const response = await fetch(url, {
      method: "POST",
      headers: { [name]: value, "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      })
    })
    assert.strictEqual(response.status, 200)
    await response.body?.cancel()
  })

  it("runs as a suite whose oracle accepts the original result, refutes another, and is required for a failed run", async () => {
    const harness = `${root}apps/harness/src/main.ts`
    const result = async (file: string) =>
      node(harness, "run", file)
        .then(({ stdout }) => stdout)
        .catch((error: { readonly stdout: string; readonly stderr: string }) => `${error.stdout}${error.stderr}`)
    assert.match(await result("right.suite.ts"), /PASSED/u)
    const wrong = await result("wrong.suite.ts")
    assert.match(wrong, /FAILED/u)
    assert.include(wrong, '{"price":90}')
    assert.match(await result("failed.suite.ts"), /FAILED/u)
  })

  it("names a suite's file only by words of the task", () => {
    assert.strictEqual(suiteFileOf({ task: "../../etc/passwd & Find a mug" }), "etc-passwd-find-a-mug.suite.ts")
    assert.strictEqual(suiteFileOf({ task: "日本" }), "run.suite.ts")
  })
})
