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

describe("the linter", () => {
  beforeEach(() => cpSync(join(root, "oxlint.config.ts"), join(place, "oxlint.config.ts")))

  for (const [file, path] of [
    ["packages/client/v4/src/Runs.ts", "effect"],
    ["packages/service/server/src/http/listener/Listener.ts", "@effect/platform-node"]
  ] as const) {
    it(`refuses the barrel ${path} in ${file}`, () => {
      write({ [file]: imports(path) })
      const { output, status } = run("oxlint", "--deny-warnings", "packages", "apps")
      assert.strictEqual(status, 1)
      assert.include(output, "no-restricted-imports")
    })
  }

  for (const [what, text] of [
    ["a named import", 'import { writeSync } from "node:fs"\nwriteSync(1, "row")\n'],
    ["a namespace import", 'import * as fs from "node:fs"\nfs.writeSync(1, "row")\n']
  ] as const) {
    it(`refuses to print with writeSync through ${what}, in a test program`, () => {
      write({ "packages/service/sql/test/writer.ts": text })
      const { output, status } = run("oxlint", "--deny-warnings", "packages", "apps")
      assert.strictEqual(status, 1)
      assert.include(output, "writeSync")
    })
  }

  it("refuses a cycle of files, including types", () => {
    write({
      "packages/client/v4/src/A.ts": 'import type { B } from "./B.ts"\nexport type A = B | 1\n',
      "packages/client/v4/src/B.ts": 'import type { A } from "./A.ts"\nexport type B = A | 2\n'
    })
    assert.include(run("oxlint", "--deny-warnings", "packages", "apps").output, "no-cycle")
  })

  for (const call of ["Date.now()", "Math.random()", "setTimeout(() => undefined, 1)", "performance.now()"]) {
    it(`refuses ${call} in a package`, () => {
      write({ "packages/client/v4/src/Clock.ts": `export const value = ${call}\n` })
      assert.match(run("oxlint", "--deny-warnings", "packages", "apps").output, /no-restricted-(?:globals|properties)/u)
    })
  }
})
