import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, inject, it } from "vitest"
import type { Manifest } from "../src/Package.ts"
import { type Dependencies, installedBin, installInto } from "../src/Project.ts"
import { versionInUse } from "../src/Registry.ts"

const npm = { ...inject("npm"), from: inject("project") }

const versionOf = (name: string) => inject("packed").find((packed) => packed.name === name)?.version ?? "none"
const harness = {
  "webagent-harness": versionOf("webagent-harness"),
  "@webagent/scenario": versionOf("@webagent/scenario")
}

const vitest = (createRequire(import.meta.url)("vitest/package.json") as Manifest).version

const inProject = async (wanted: Dependencies, use: (folder: string) => void) => {
  const folder = mkdtempSync(join(tmpdir(), "webagent-init-"))
  try {
    await installInto(folder, wanted, npm)
    use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What a program of a project prints, as its user calls it; throws when it does not end with 0. */
const call = (folder: string, command: string, ...args: ReadonlyArray<string>) =>
  execFileSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    // the package manager that runs the tests is not the one that runs the program
    env: { ...process.env, npm_config_user_agent: undefined, NO_COLOR: "1", NODE_OPTIONS: "", CI: "true" }
  })

const npx = (folder: string, ...args: ReadonlyArray<string>) => call(folder, "npx", "--no-install", ...args)

describe("npx webagent-harness init && npx webagent-harness run", () => {
  it("passes in a folder with only the packages", () =>
    inProject({ dependencies: harness }, (folder) => {
      const wrote = npx(folder, "webagent-harness", "init")
      assert.match(wrote, /^wrote +webagent\.config\.js$/mu)
      assert.match(wrote, /^next +npx webagent-harness run$/mu)
      assert.notMatch(wrote, /^install/mu)
      const ran = npx(folder, "webagent-harness", "run")
      assert.match(ran, /^next +npx webagent-harness run --target staging suites\/first\.suite\.js/mu)
      assert.match(ran, /PASSED: 1 of 1 scenario passed/u)
    }))

  it("passes in a vitest project with TypeScript, whose tests and types still pass", () =>
    inProject(
      {
        dependencies: { effect: versionInUse("effect") },
        devDependencies: {
          ...harness,
          vitest,
          typescript: versionInUse("typescript"),
          "@types/node": versionInUse("@types/node")
        }
      },
      (folder) => {
        const test = 'import { expect, it } from "vitest"\nit("adds", () => expect(1 + 1).toBe(2))\n'
        writeFileSync(join(folder, "own.test.ts"), test)
        const options = { module: "nodenext", target: "es2024", strict: true, noEmit: true, skipLibCheck: true }
        writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options }))
        const wrote = npx(folder, "webagent-harness", "init")
        assert.match(wrote, /^wrote +webagent\.config\.ts$/mu)
        assert.match(wrote, /^left alone +your tests/mu)
        assert.match(npx(folder, "webagent-harness", "run"), /PASSED: 1 of 1 scenario passed/u)
        call(folder, installedBin(folder, "tsc"))
        assert.match(call(folder, installedBin(folder, "vitest"), "run"), /Tests {2}1 passed/u)
        assert.strictEqual(readFileSync(join(folder, "own.test.ts"), "utf8"), test)
        assert.isTrue(existsSync(join(folder, ".github/workflows/webagent-nightly.yml")))
      }
    ))
})
