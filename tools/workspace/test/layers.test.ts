import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeEach, describe, it } from "vitest"
import { root } from "./Workflow.ts"

// a tree of its own: planted violations must not be seen by the real checks, which may run at the same time
const place = mkdtempSync(join(tmpdir(), "webagent-layers-"))
const bin = (name: string) => join(root, "node_modules", ".bin", name)

const write = (files: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    writeFileSync(join(place, path), text)
  }
}

const run = (command: string, ...args: ReadonlyArray<string>) => {
  const env = { ...process.env, NO_COLOR: "1", TURBO_TELEMETRY_DISABLED: "1" }
  const { status, stderr, stdout } = spawnSync(bin(command), args, { cwd: place, encoding: "utf8", env })
  return { status, output: `${stdout}${stderr}` }
}

beforeEach(() => {
  rmSync(place, { recursive: true, force: true })
  for (const folder of ["packages", "apps"]) mkdirSync(join(place, folder), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(place, "node_modules"))
})

afterAll(() => rmSync(place, { recursive: true }))

const imports = (path: string) => `export * from "${path}"\n`
const server = "packages/service/server/src"
const harness = "apps/harness/src"

describe("the linter holds the arrows between folders", () => {
  beforeEach(() => cpSync(join(root, "oxlint.config.ts"), join(place, "oxlint.config.ts")))

  it("a tree that keeps them passes", () => {
    write({
      [`${server}/domain/Turn.ts`]: "export const turn = 1\n",
      [`${server}/store/Store.ts`]: imports("../domain/Turn.ts"),
      [`${server}/engine/Engine.ts`]: imports("../store/Store.ts"),
      [`${server}/api/v4/Handlers.ts`]: imports("../../engine/Engine.ts"),
      [`${harness}/reporters/JsonReporter.ts`]: imports("../runner/RunReport.ts")
    })
    const { output, status } = run("oxlint", "--deny-warnings", "packages", "apps")
    assert.strictEqual(status, 0, output)
  })

  for (const [file, path] of [
    [`${server}/domain/Turn.ts`, "../engine/Engine.ts"],
    [`${server}/agent/SimulatedAgent.ts`, "../store/MemoryStore.ts"],
    [`${server}/agent/Agent.ts`, "../store/Store.ts"],
    [`${server}/engine/Engine.ts`, "../store/MemoryStore.ts"],
    [`${server}/engine/Engine.ts`, "../http/App.ts"],
    [`${server}/api/v4/Handlers.ts`, "../../store/Store.ts"],
    [`${server}/api/v4/Handlers.ts`, "../v2/Handlers.ts"],
    [`${server}/api/v4/Handlers.ts`, "@webagent/contract/v2"],
    [`${server}/http/App.ts`, "../store/Store.ts"],
    [`${server}/http/App.ts`, "../Server.ts"],
    [`${harness}/runner/Plan.ts`, "../target/Target.ts"],
    [`${harness}/target/Target.ts`, "../commands/run.ts"],
    [`${harness}/reporters/JsonReporter.ts`, "../runner/Runner.ts"],
    [`${harness}/suites/v4-runs.ts`, "../target/Target.ts"],
    [`${harness}/load/K6.ts`, "../commands/load.ts"],
    ["packages/client/v4/src/Runs.ts", "effect"],
    ["packages/service/server/src/http/Listener.ts", "@effect/platform-node"]
  ] as const) {
    it(`${file} may not import ${path}`, () => {
      write({ [file]: imports(path) })
      const { output, status } = run("oxlint", "--deny-warnings", "packages", "apps")
      assert.strictEqual(status, 1)
      assert.include(output, "no-restricted-imports")
    })
  }

  it("a cycle is refused, of types too", () => {
    write({
      "packages/client/v4/src/A.ts": 'import type { B } from "./B.ts"\nexport type A = B | 1\n',
      "packages/client/v4/src/B.ts": 'import type { A } from "./A.ts"\nexport type B = A | 2\n'
    })
    assert.include(run("oxlint", "--deny-warnings", "packages", "apps").output, "no-cycle")
  })

  for (const call of ["Date.now()", "Math.random()", "setTimeout(() => undefined, 1)", "performance.now()"]) {
    it(`a package may not call ${call}`, () => {
      write({ "packages/client/v4/src/Clock.ts": `export const value = ${call}\n` })
      assert.match(run("oxlint", "--deny-warnings", "packages", "apps").output, /no-restricted-(?:globals|properties)/u)
    })
  }
})

describe("turbo holds the arrows between packages", () => {
  const manifest = (name: string, dependencies: ReadonlyArray<string> = []) =>
    JSON.stringify({
      name,
      version: "0.0.0",
      dependencies: Object.fromEntries(dependencies.map((to) => [to, "workspace:^"]))
    })
  const tagged = (tag: string) => JSON.stringify({ extends: ["//"], tags: [tag] })

  beforeEach(() => {
    cpSync(join(root, "turbo.json"), join(place, "turbo.json"))
    write({
      "package.json": JSON.stringify({ name: "layers", private: true, packageManager: "pnpm@12.21.0" }),
      "pnpm-workspace.yaml": "packages: [packages/*, packages/*/*]\n",
      "packages/contract/package.json": manifest("@webagent/contract"),
      "packages/contract/turbo.json": tagged("contract"),
      "packages/client/core/package.json": manifest("@webagent/core", ["@webagent/contract"]),
      "packages/client/core/turbo.json": tagged("core"),
      "packages/client/v4/package.json": manifest("@webagent/v4", ["@webagent/core"]),
      "packages/client/v4/turbo.json": tagged("client"),
      "packages/service/server/package.json": manifest("@webagent/server", ["@webagent/contract"]),
      "packages/service/server/turbo.json": tagged("server")
    })
  })

  it("a tree that keeps them passes", () => {
    const { output, status } = run("turbo", "boundaries")
    assert.strictEqual(status, 0, output)
  })

  it("a client may not depend on the server", () => {
    write({ "packages/client/v4/package.json": manifest("@webagent/v4", ["@webagent/core", "@webagent/server"]) })
    const { output, status } = run("turbo", "boundaries")
    assert.strictEqual(status, 1)
    assert.include(output, "@webagent/server")
  })

  it("an import that no package.json declares is refused", () => {
    write({ "packages/client/core/src/Transport.ts": imports("@webagent/v4") })
    const { output, status } = run("turbo", "boundaries")
    assert.strictEqual(status, 1)
    assert.include(output, "cannot import package `@webagent/v4`")
  })

  it("a package is not reached through the file system", () => {
    write({
      "packages/client/core/src/Transport.ts": "export const transport = 1\n",
      "packages/client/v4/src/Runs.ts": imports("../../core/src/Transport.ts")
    })
    const { output, status } = run("turbo", "boundaries")
    assert.strictEqual(status, 1)
    assert.include(output, "../../core/src/Transport.ts")
  })

  it("a cycle of packages is refused", () => {
    write({ "packages/client/core/package.json": manifest("@webagent/core", ["@webagent/contract", "@webagent/v4"]) })
    const { output, status } = run("turbo", "boundaries")
    assert.strictEqual(status, 1)
    assert.include(output, "Circular package dependency")
  })
})
