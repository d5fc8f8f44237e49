import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { call } from "./inProcess.ts"
import { runIn } from "../page/pageData.ts"

const slowest = fileURLToPath(new URL("../../../examples/src/33_slowest.reporter.ts", import.meta.url))
const suite = fileURLToPath(new URL("example.suite.ts", import.meta.url))

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "webagent-own-reporter-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

const written = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const directoryOf = (name: string) => join(folder, name)
const readIn = (name: string, file: string) => readFileSync(join(directoryOf(name), file), "utf8")

const run = (name: string, ...args: ReadonlyArray<string>) =>
  call(["run", suite, "--name", "passes", "--report-dir", directoryOf(name), ...args])

const hasReport = (name: string) => JSON.parse(readIn(name, "report.json")).counts.passed === 1

describe("a reporter from a module", () => {
  it("runs next to built-in reporters, and the flag may be repeated", async () => {
    const other = written(
      "counts.mjs",
      `import { writeFileSync } from "node:fs"
      const seen = []
      const note = (name) => () => void seen.push(name)
      export default {
        name: "counts",
        onRunStarted: note("run"),
        onScenarioStarted: note("scenario"),
        onTrialStarted: note("trial"),
        onTrialEnded: note("trial ended"),
        onScenarioEnded: async ({ name, verdict }) => void seen.push(name + " " + verdict),
        onRunEnded: ({ report }) =>
          writeFileSync(${JSON.stringify(join(folder, "counts.json"))}, JSON.stringify([...seen, report.results.length]))
      }`
    )
    const { code, stderr } = await run("next", "--reporter", "json", "--reporter", slowest, "--reporter", other)
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(readIn("next", "slowest.txt"), /^\d+ ms {2}passes\n$/u)
    assert.deepStrictEqual(JSON.parse(readFileSync(join(folder, "counts.json"), "utf8")), [
      "run",
      "scenario",
      "trial",
      "trial ended",
      "passes passed",
      1
    ])
    assert.isTrue(hasReport("next"))
  })

  it("gets the files of built-in reporters, and the page links only to these", async () => {
    const files = written(
      "files.mjs",
      `import { writeFileSync } from "node:fs"
      export default {
        name: "files",
        make: ({ files }) => ({
          onRunEnded: () => writeFileSync(${JSON.stringify(join(folder, "files.json"))}, JSON.stringify(files))
        })
      }`
    )
    for (const [name, reporters, expected] of [
      ["alone", "html", ["report.html"]],
      ["both", "html,junit", ["report.html", "junit.xml"]]
    ] as const) {
      const { code, stderr } = await run(name, "--reporter", reporters, "--reporter", files)
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.deepStrictEqual(JSON.parse(readFileSync(join(folder, "files.json"), "utf8")), expected)
      const { files: linked } = runIn(join(folder, name, "report.html"))
      assert.deepStrictEqual(
        linked.map((file) => file.name),
        expected.slice(1)
      )
    }
  })

  it("gets the run's findings and their words", async () => {
    const lines = written(
      "findings.mjs",
      `import { writeFileSync } from "node:fs"
      export default {
        name: "findings",
        onRunEnded: ({ findings, words }) => {
          const lines = findings.map((finding) => [finding.severity, finding.kind._tag, \`\${words.lineOf(finding)}\`])
          writeFileSync(${JSON.stringify(join(folder, "findings.json"))}, JSON.stringify([\`\${words.title}\`, ...lines]))
        }
      }`
    )
    const { code } = await call([
      "run",
      suite,
      "--name",
      "fails",
      "--report-dir",
      directoryOf("findings"),
      "--reporter",
      lines
    ])
    const [title, ...findings] = JSON.parse(readFileSync(join(folder, "findings.json"), "utf8"))
    assert.deepStrictEqual([code, typeof title], [1, "string"])
    assert.deepStrictEqual(findings[0].slice(0, 2), ["error", "Failed"])
    assert.include(findings[0][2], "fails")
  })

  it("gets its options from the configuration, with paths relative to its file", async () => {
    mkdirSync(join(folder, "project"))
    written(
      "project/options.mjs",
      `import { writeFileSync } from "node:fs"
      import { defineReporter } from "webagent-harness"
      import * as Schema from "effect/Schema"
      export default defineReporter({
        name: "options",
        options: Schema.Struct({ text: Schema.String }),
        make: ({ options }) => ({
          onRunEnded: () => writeFileSync(${JSON.stringify(join(folder, "options.txt"))}, options.text)
        })
      })`
    )
    const config = (name: string, options: string) =>
      written(`project/${name}.json`, `{ "reporters": ["json", ["./options.mjs", ${options}]] }`)
    const { code, stderr } = await run("options", "--config", config("right", '{ "text": "as configured" }'))
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.strictEqual(readFileSync(join(folder, "options.txt"), "utf8"), "as configured")
    const wrong = await run("wrong-options", "--config", config("wrong", '{ "txt": "as configured" }'))
    assert.strictEqual(wrong.code, 2)
    assert.match(
      wrong.stderr,
      /the options of reporter \S+options\.mjs: txt: is not a known field; did you mean "text"\?\n/u
    )
  })

  it("html writes its second file relative to the configuration", async () => {
    mkdirSync(join(folder, "html"))
    const config = written("html/config.json", '{ "reporters": [["html", { "file": "pages/night.html" }]] }')
    const { code, stderr } = await run("html-report", "--config", config)
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(readFileSync(join(folder, "html/pages/night.html"), "utf8"), "<html")
  })

  const mistakes: Readonly<Record<string, { readonly text: string; readonly line: RegExp }>> = {
    "without a default export": { text: "export const reporter = {}", line: /^\S+ has no reporter\. Export one by/u },
    "without handlers": { text: 'export default { name: "empty" }', line: /^\S+ has no reporter\. Export one by/u },
    "with a misspelled handler": {
      text: 'export default { name: "typo", onRunEnd: () => {} }',
      line: /has a handler onRunEnd, which is never called\. Did you mean onRunEnded\?\n$/u
    },
    "that throws while it is loaded": { text: 'throw new Error("no token")', line: /no token\n$/u },
    "that throws when it is created": {
      text: 'export default { name: "broken", make: () => { throw new Error("no token") } }',
      line: /^Reporter \S+ cannot start: no token\.\n$/u
    }
  }
  for (const [title, { line, text }] of Object.entries(mistakes)) {
    it(`${title}: one error before anything runs`, async () => {
      const path = written(`${title.replaceAll(" ", "-")}.mjs`, text)
      const { code, stderr, stdout } = await run("mistake", "--reporter", "console", "--reporter", path)
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.match(stderr, line)
    })
  }

  it("that doesn't exist: one error before anything runs", async () => {
    const { code, stderr, stdout } = await run("none", "--reporter", "console", "--reporter", "./none.ts")
    assert.deepStrictEqual([code, stdout], [2, ""])
    assert.match(stderr, /^No file \S+none\.ts.* Correct the path\.\n$/u)
  })

  const failing = {
    "throws in the first handler": 'onRunStarted: () => { throw new Error("no token") }',
    "throws in the last handler": 'onRunEnded: () => { throw new Error("no token") }',
    rejects: 'onScenarioEnded: async () => { throw new Error("no token") }'
  }
  for (const [title, handler] of Object.entries(failing)) {
    it(`that ${title}: one error, and every other report is written`, async () => {
      const path = written(`${title.replaceAll(" ", "-")}.mjs`, `export default { name: "broken", ${handler} }`)
      const { code, stderr } = await run(title, "--reporter", path, "--reporter", "json", "--reporter", slowest)
      assert.deepStrictEqual([code, stderr], [2, `Reporter ${path} failed: no token.\n`])
      assert.isTrue(hasReport(title))
      assert.match(readIn(title, "slowest.txt"), /passes\n$/u)
    })
  }
})
