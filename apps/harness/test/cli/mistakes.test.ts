import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll } from "vitest"
import { callIn } from "./inProcess.ts"
import { start } from "./program.ts"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "webagent-mistakes-")))
afterAll(() => rmSync(folder, { recursive: true }))

const passing = (name: string, options = "{}") => `import { scenario, Suite } from "@webagent/scenario/promise"
export default Suite.make("${name}", [
  scenario("buys a mug", ${options}, ({ check }) => check.isTrue(true))
])
`

const config = (text: string) => ({ "webagent.config.ts": `export default ${text}\n` })

interface Mistake {
  readonly files: Readonly<Record<string, string>>
  readonly args?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** What standard error says; HERE is the folder of the project. */
  readonly line: string
}

const shop = { "shop.suite.ts": passing("shop") }

const mistakes: Readonly<Record<string, Mistake>> = {
  "a pattern without a file": {
    files: shop,
    args: ["suits/**/*.suite.ts"],
    line: "No file matches suits/**/*.suite.ts in HERE. Correct the pattern, or name the files."
  },
  "a configured pattern without a file": {
    files: { ...shop, ...config('{ suites: "suits/*.suite.ts" }') },
    line: "No file matches suits/*.suite.ts in HERE. Correct the pattern, or name the files."
  },
  "options of a reporter without options": {
    files: { ...shop, ...config('{ reporters: [["console", { columns: 80 }], "html"] }') },
    line: 'webagent.config.ts: reporter console takes no options. Use "console" alone.'
  },
  "reporters of a watched run": {
    files: shop,
    args: ["shop.suite.ts", "--watch", "--reporter", "junit"],
    line: "--watch prints to the terminal and writes no reports. Remove --reporter."
  },
  "a misspelled key": {
    files: { ...shop, ...config("{ trails: 3 }") },
    line: 'webagent.config.ts: trails: is not a known field; did you mean "trials"?'
  },
  "a misspelled key in a configuration that is a promise": {
    files: { ...shop, ...config("Promise.resolve({ trails: 3 })") },
    line: 'webagent.config.ts: trails: is not a known field; did you mean "trials"?'
  },
  "a folder for suites": {
    files: { "suites/shop.suite.ts": passing("shop"), ...config('{ suites: "suites" }') },
    line: 'suites is a folder. Name its files with a pattern: "suites/**/*.suite.{ts,mts,js,mjs}".'
  },
  "a folder with a trailing slash": {
    files: { "suites/shop.suite.ts": passing("shop") },
    args: ["suites/"],
    line: 'suites/ is a folder. Name its files with a pattern: "suites/**/*.suite.{ts,mts,js,mjs}".'
  },
  "a suite with a scenario in place of a list": {
    files: {
      "shop.suite.ts": `import { scenario, Suite } from "@webagent/scenario/promise"
export default Suite.make("shop", scenario("buys", () => {}))
`
    },
    line: 'shop.suite.ts:2: Suite "shop": its scenarios must be a list: Suite.make("shop", [scenario(...)]).'
  },
  "a scenario without its function": {
    files: {
      "shop.suite.ts": `import { scenario, Suite } from "@webagent/scenario/promise"
export default Suite.make("shop", [scenario("buys", { trials: 2 })])
`
    },
    line: 'shop.suite.ts:2: Scenario "buys": it has no body: its last argument must be a function.'
  },
  "two misspelled keys": {
    files: { ...shop, ...config("{ trails: 3, concurency: 2 }") },
    line: 'webagent.config.ts: trails: is not a known field; did you mean "trials"?\nwebagent.config.ts: concurency: is not a known field; did you mean "concurrency"?'
  },
  "a misspelled key in a JSON configuration": {
    files: { ...shop, "webagent.config.json": '{ "trails": 3 }' },
    line: 'webagent.config.json: trails: is not a known field; did you mean "trials"?'
  },
  "a syntax error in a JSON configuration": {
    files: { ...shop, "webagent.config.json": '{\n  "trials": 3,\n}' },
    line: "webagent.config.json could not be loaded: LINE"
  },
  "an unknown reporter": {
    files: { ...shop, ...config('{ reporters: ["console", "juint"] }') },
    line: 'webagent.config.ts: reporters[1]: expected REPORTERS, or a path such as ./reporter.ts, got "juint"; did you mean "junit"?'
  },
  "a bad limit": {
    files: { ...shop, ...config('{ limits: { "buys a mug": { maxCost: "cheap" } } }') },
    line: 'webagent.config.ts: limits["buys a mug"].maxCost: expected an amount such as "5 USD" or "0.50 USD", got "cheap".'
  },
  "a limit for an unknown scenario": {
    files: { ...shop, ...config('{ limits: { shpo: { maxCost: "1 USD" } } }') },
    line: 'webagent.config.ts: limits["shpo"]: no suite, scenario or tag has this name. Did you mean "shop"? See: npm run harness -- list'
  },
  "a target without its variable": {
    files: {
      ...shop,
      ...config('{ target: "staging", targets: { staging: { url: "http://127.0.0.1:9", apiKeyEnv: "STAGING_KEY" } } }')
    },
    line: "No API key: set STAGING_KEY."
  },
  "an unknown target": {
    files: { ...shop, ...config('{ targets: { staging: { url: "http://127.0.0.1:9" } } }') },
    args: ["--target", "stagign"],
    line: 'webagent.config.ts has no target "stagign". Did you mean staging?'
  },
  "a suite without scenarios": {
    files: {
      "empty.suite.ts": 'import { Suite } from "@webagent/scenario/promise"\nexport default Suite.make("empty", [])\n'
    },
    line: 'Suite "empty" (empty.suite.ts) has no scenario. Add one.'
  },
  "a configuration without a default export": {
    files: { ...shop, "webagent.config.ts": "export const config = {}\n" },
    line: "webagent.config.ts has no default export. End it with export default defineConfig({ ... })."
  },
  "a syntax error in the configuration": {
    files: { ...shop, ...config("{\n  trials: 3,,\n}") },
    line: "webagent.config.ts:2: Unexpected token LINE"
  },
  "a syntax error in a JavaScript configuration": {
    files: { ...shop, "webagent.config.mjs": "export default {\n  trials: 3 3\n}\n" },
    line: "webagent.config.mjs:2: Unexpected number"
  },
  "a syntax error in an import of the configuration": {
    files: {
      ...shop,
      "part.ts": "export const trials = = 3\n",
      "webagent.config.ts": 'import "./part.ts"\nexport default {}\n'
    },
    line: "webagent.config.ts could not be loaded: part.ts:1: Expression expected"
  },
  "a configuration that imports a missing file": {
    files: { ...shop, "webagent.config.ts": '\nimport { trials } from "./trials.ts"\nexport default { trials }\n' },
    line: "webagent.config.ts:2: there is no file trials.ts to import."
  },
  "a configuration with a missing named import": {
    files: {
      ...shop,
      "webagent.config.ts": 'import { defineConfg } from "webagent-harness"\nexport default defineConfg({})\n'
    },
    line: "webagent.config.ts:1: The requested module 'webagent-harness' does not provide an export named 'defineConfg'"
  },
  "a configuration that throws": {
    files: { ...shop, "webagent.config.ts": '\n\nexport default { trials: process.env["NOPE"].length }\n' },
    line: "webagent.config.ts:3: Cannot read properties of undefined (reading 'length')"
  },
  "a time without a unit": {
    files: { ...shop, ...config('{ timeout: "30" }') },
    line: 'webagent.config.ts: timeout: expected a time such as "30s", "500ms", "5 minutes", or milliseconds as a number, got "30".'
  },
  "a missing configuration": {
    files: shop,
    args: ["--config", "other.config.ts"],
    line: "No file HERE/other.config.ts. Correct the path."
  },
  "an invalid variable": {
    files: shop,
    env: { WEBAGENT_HARNESS_TRIALS: "many" },
    line: 'WEBAGENT_HARNESS_TRIALS: expected an integer, got "many".'
  },
  "an unreadable history": {
    files: { ...shop, ...config('{ history: "nights.ndjson" }'), "nights.ndjson/night": "" },
    line: "--history: cannot read the history: LINE"
  },
  "two suites with the same name": {
    files: { ...shop, "other.suite.ts": passing("shop") },
    line: 'other.suite.ts and shop.suite.ts both have a suite named "shop". Rename one.'
  },
  "two scenarios with the same name": {
    files: {
      "shop.suite.ts": `import { scenario, Suite } from "@webagent/scenario/promise"
export default Suite.make("shop", [scenario("buys", () => {}), scenario("buys", () => {})])
`
    },
    line: 'shop.suite.ts:2: Suite "shop" has two scenarios named "buys".'
  },
  "a suite that throws while it is loaded": {
    files: { "shop.suite.ts": 'throw new Error("no shop today")\n' },
    line: "shop.suite.ts:1: no shop today"
  },
  "a suite that imports a missing package": {
    files: { "shop.suite.ts": 'import "no-such-package"\nexport default 1\n' },
    line: "shop.suite.ts imports no-such-package, which is not installed beside the file. Install it there, or move the file."
  },
  "a file without a suite": {
    files: { "shop.suite.ts": "export default 1\n" },
    line: 'shop.suite.ts has no suite as its default export. End it with export default Suite.make("name", [...]).'
  },
  "an unknown option of a scenario": {
    files: { "shop.suite.ts": passing("shop", "{ trails: 3 }") },
    line: 'shop.suite.ts:3: Scenario "buys a mug": "trails" is not an option of a scenario. Use one of: OPTIONS'
  },
  "only: true in CI": {
    files: { "shop.suite.ts": passing("shop", "{ only: true }") },
    env: { CI: "true" },
    line: 'shop.suite.ts:3: "buys a mug" has only: true, so CI would run nothing else. Remove it, or add --allow-only.'
  }
}

const escaped = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, "\\$&")

describe("a mistake in a configuration or a suite", () => {
  for (const [what, { args = [], env = {}, files, line }] of Object.entries(mistakes)) {
    it(`prints one line and exits with code 2: ${what}`, async () => {
      const here = join(folder, what.replaceAll(/\W+/gu, "-"))
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(here, path)), { recursive: true })
        writeFileSync(join(here, path), text)
      }
      const { code, stderr, stdout } = await callIn(here, ["run", ...args], env)
      const expected = escaped(line)
        .replaceAll("HERE", escaped(here))
        .replace("REPORTERS", "one of [\\w, ]+")
        .replace("OPTIONS", "[\\w, ]+\\.")
        .replace("LINE", "[^\\n]+")
      assert.match(stderr, new RegExp(`^${expected}\\n$`, "u"))
      assert.deepStrictEqual([code, stdout], [2, ""])
    })
  }
})

it("a suite that exits its process while loading causes one line and exit code 2, even in its own process", async () => {
  const here = join(folder, "exits")
  mkdirSync(here)
  writeFileSync(join(here, "shop.suite.ts"), 'import "./part.ts"\nexport default 1\n')
  writeFileSync(join(here, "part.ts"), "\nprocess.exit(7)\n")
  const { code, stderr, stdout } = await start(["run", "shop.suite.ts"], {}, here).ended
  assert.deepStrictEqual(
    [code, stderr, stdout],
    [2, "part.ts:2: process.exit(7) ended the run while shop.suite.ts loaded. Remove the call.\n", ""]
  )
})

it("a timer that throws while a suite loads causes one line and exit code 2, even if the suite waits for it", async () => {
  const here = join(folder, "throws")
  mkdirSync(here)
  writeFileSync(
    join(here, "late.suite.ts"),
    'setTimeout(() => {\n  throw new Error("no shop")\n})\nawait new Promise(() => {})\n'
  )
  const { code, stderr, stdout } = await start(["run", "late.suite.ts"], {}, here).ended
  assert.deepStrictEqual([code, stderr, stdout], [2, "late.suite.ts:2: no shop\n", ""])
})

it("run --record refuses a file that isn't a history before anything runs, and keeps it unchanged", async () => {
  const here = join(folder, "no-history")
  mkdirSync(here)
  writeFileSync(join(here, "shop.suite.ts"), passing("shop"))
  writeFileSync(join(here, "shop.json"), '{ "name": "shop" }\n')
  const { code, stderr, stdout } = await callIn(here, ["run", "--record", "--history", "shop.json"])
  const message =
    "--history: shop.json line 1 is not a line of a history: it is no night. Name a file that run --record wrote.\n"
  assert.deepStrictEqual([code, stderr, stdout], [2, message, ""])
  assert.strictEqual(readFileSync(join(here, "shop.json"), "utf8"), '{ "name": "shop" }\n')
})

it("list marks scenarios that don't run, and warns about suite files outside the configuration's patterns", async () => {
  const here = join(folder, "listed")
  mkdirSync(join(here, "suites"), { recursive: true })
  writeFileSync(join(here, "webagent.config.ts"), 'export default { suites: "suites/*.suite.ts" }\n')
  writeFileSync(join(here, "suites", "a.suite.ts"), passing("a", '{ only: true, tags: ["slow"] }'))
  writeFileSync(join(here, "suites", "b.suite.ts"), passing("b", '{ skip: "no shop yet" }'))
  writeFileSync(join(here, "c.suite.mts"), passing("c"))
  const { code, stderr, stdout } = await callIn(here, ["list"])
  assert.deepStrictEqual(
    [code, stdout, stderr],
    [
      0,
      "a  (1)\n  buys a mug   · only · tags slow\n\nb  (1)\n  buys a mug   · skipped: no shop yet\n\n",
      "warning: the configuration's suites (suites/*.suite.ts) leave out 1 suite file: c.suite.mts\n"
    ]
  )
})
