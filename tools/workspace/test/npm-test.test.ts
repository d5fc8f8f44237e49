import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { root } from "./Workflow.ts"

// a workspace of its own with the real turbo, vitest and npm test
const place = realpathSync(mkdtempSync(join(tmpdir(), "webagent-npm-test-")))
const vitest = fileURLToPath(new URL("../vitest.mjs", import.meta.resolve("vitest")))

const write = (files: Readonly<Record<string, string | object>>) => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    writeFileSync(join(place, path), typeof content === "string" ? content : JSON.stringify(content))
  }
}

/** A package whose tests are files of vitest. */
const tested = (name: string, tests: string) => ({
  [`packages/${name}/package.json`]: {
    name,
    scripts: { "test:unit": `node ${vitest} run --config ../../vitest.config.ts --root .` }
  },
  [`packages/${name}/test/${name}.test.ts`]: `import { assert, it } from ${JSON.stringify(import.meta.resolve("vitest"))}\n${tests}\n`
})

const npmTest = (...flags: ReadonlyArray<string>) => {
  const env = { ...process.env, TURBO_CACHE_DIR: join(place, "cache"), NO_COLOR: "1" }
  const program = [join(place, "tools/workspace/test.mjs"), ...flags]
  const { status, stderr, stdout } = spawnSync(process.execPath, program, { cwd: place, encoding: "utf8", env })
  const lines = stdout
    .replaceAll(/\d+\.\d s|\d+ min \d+ s/gu, "TIME")
    .trimEnd()
    .split("\n")
  // how often it says what runs depends on how slow the machine is
  return { status, stderr, lines: lines.filter((line) => !/^ +TIME: (?:running|\d+ waiting)/u.test(line)) }
}

beforeAll(() => {
  for (const file of [".gitignore", "turbo.json", "vitest.config.ts", "tsconfig.base.json"])
    cpSync(join(root, file), join(place, file))
  for (const file of ["test.mjs", "live.mjs", "Progress.mjs"])
    cpSync(join(root, "tools/workspace", file), join(place, "tools/workspace", file))
  mkdirSync(join(place, "node_modules/.bin"), { recursive: true })
  for (const name of ["turbo", "pnpm"]) symlinkSync(join(root, "node_modules", name), join(place, "node_modules", name))
  symlinkSync("../turbo/bin/turbo", join(place, "node_modules/.bin/turbo"))
  write({
    "package.json": {
      name: "tree",
      private: true,
      packageManager: "pnpm@12.21.0",
      scripts: { types: "true", lint: "true", format: "true", boundaries: "true" }
    },
    "pnpm-workspace.yaml": "packages: [packages/*, tools/*]\npmOnFail: ignore\nverifyDepsBeforeRun: false\n",
    ...tested("good", `it("holds", () => {})\nit.skip("is skipped", () => {})`),
    // this one is started before all others, by a turbo of its own
    ...tested("webagent-harness", `it("takes longest", () => {})`)
  })
})

afterAll(() => rmSync(place, { recursive: true }))

describe("npm test", () => {
  it("prints a line per gate and package, and the total", () => {
    const { lines, status, stderr } = npmTest()
    assert.deepStrictEqual(
      [status, [...lines.slice(0, 4), ...lines.slice(4, 6).toSorted(), ...lines.slice(6)], stderr],
      [
        0,
        [
          "ok      types                        TIME",
          "ok      lint                         TIME",
          "ok      format                       TIME",
          "ok      arrows                       TIME",
          "ok      good                         1 passed, 1 skipped, TIME",
          "ok      webagent-harness             1 passed, TIME",
          "",
          "TIME in all",
          "",
          "1 skipped: this machine lacks what they need, or only npm run test:screens runs them",
          "  good: is skipped",
          "",
          "6 passed, 0 failed"
        ],
        ""
      ]
    )
    assert.include(npmTest().lines, "ok      good                         1 passed, 1 skipped, cached")
  })

  it("shows a failure in full before the package has finished, and names the slowest tests", () => {
    write(
      tested(
        "bad",
        `it("differs", () => assert.strictEqual(1, 2, "one and two"))
it("takes its time", () => new Promise((done) => setTimeout(done, 300)))
setTimeout(() => Promise.reject(new Error("left behind")), 100)`
      )
    )
    write({ "packages/none/package.json": { name: "none", scripts: { "test:unit": "echo it ends early; exit 1" } } })
    write(tested("unset", `it("is never reached", () => {})`))
    write({
      "packages/unset/setup.js": `export default () => { throw new Error("no database") }`,
      "packages/unset/vitest.config.ts": `import all from "../../vitest.config.ts"
export default { ...all, test: { ...all.test, globalSetup: ["setup.js"] } }`,
      "packages/unset/package.json": {
        name: "unset",
        type: "module",
        scripts: { "test:unit": `node ${vitest} run --root .` }
      }
    })
    const { lines, status } = npmTest("--slow")
    assert.strictEqual(status, 1)
    const at = (text: string) => lines.findIndex((line) => line.includes(text))
    assert.include(lines, "FAILED  bad > test/bad.test.ts > differs")
    assert.include(lines[at("AssertionError")] ?? "", "one and two: expected 1 to equal 2")
    assert.isBelow(at("AssertionError"), at("FAILED  bad   "))
    assert.include(lines, "FAILED  bad                          1 passed, 1 failed, TIME")
    assert.strictEqual(lines[at("FAILED  none")], "FAILED  none                         its tests did not run, TIME")
    assert.include(lines, "    it ends early")
    assert.notInclude(lines.join("\n"), "ok      unset")
    assert.include(lines, "FAILED  unset                        an error outside of its tests, TIME")
    assert.isAbove(at("no database"), -1)
    const slowest = lines.slice(at("The slowest tests:"))
    assert.isTrue(
      slowest.some((line) => /^ +TIME {2}takes its time \(packages\/bad\/test\/bad\.test\.ts\)$/u.test(line))
    )
    assert.deepStrictEqual(lines.slice(-8), [
      "1 skipped: this machine lacks what they need, or only npm run test:screens runs them",
      "  good: is skipped",
      "",
      "failed: bad > packages/bad/test/bad.test.ts > differs > AssertionError: one and two: expected 1 to equal 2 at packages/bad/test/bad.test.ts:2:28",
      "failed: none: its tests did not run",
      "failed: unset: an error outside of its tests",
      "",
      "7 passed, 3 failed"
    ])
    assert.isAbove(at("left behind"), -1)
  })

  it("refuses an unknown flag", () => {
    assert.deepStrictEqual(npmTest("--fast"), {
      status: 2,
      stderr: "Unknown flag --fast. npm test takes --slow: name the ten slowest tests.\n",
      lines: [""]
    })
  })
})
