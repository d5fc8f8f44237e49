import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll } from "vitest"
import { callIn } from "./inProcess.ts"

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
  "a pattern of the configuration without a file": {
    files: { ...shop, ...config('{ suites: "suits/*.suite.ts" }') },
    line: "No file matches suits/*.suite.ts in HERE. Correct the pattern, or name the files."
  },
  "a misspelt key": {
    files: { ...shop, ...config("{ trails: 3 }") },
    line: 'webagent.config.ts: trails: is not a known field; did you mean "trials"?'
  },
  "an unknown reporter": {
    files: { ...shop, ...config('{ reporters: ["console", "juint"] }') },
    line: 'webagent.config.ts: reporters[1]: expected REPORTERS, got "juint"; did you mean "junit"?'
  },
  "a bad limit": {
    files: { ...shop, ...config('{ limits: { "buys a mug": { maxCost: "cheap" } } }') },
    line: 'webagent.config.ts: limits["buys a mug"].maxCost: expected an amount such as "5 USD" or "0.50 USD", got "cheap".'
  },
  "a limit of no scenario": {
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
  "a target that is not there": {
    files: { ...shop, ...config('{ targets: { staging: { url: "http://127.0.0.1:9" } } }') },
    args: ["--target", "stagign"],
    line: 'webagent.config.ts has no target "stagign". Did you mean staging?'
  },
  "a configuration without a default export": {
    files: { ...shop, "webagent.config.ts": "export const config = {}\n" },
    line: "webagent.config.ts has no default export. End it with export default defineConfig({ ... })."
  },
  "a configuration that is not there": {
    files: shop,
    args: ["--config", "other.config.ts"],
    line: "No such file: HERE/other.config.ts."
  },
  "a variable that makes no sense": {
    files: shop,
    env: { WEBAGENT_HARNESS_TRIALS: "many" },
    line: 'WEBAGENT_HARNESS_TRIALS: expected an integer, got "many".'
  },
  "a history that cannot be read": {
    files: { ...shop, ...config('{ history: "nights.ndjson" }'), "nights.ndjson/night": "" },
    line: "--history: cannot read the history: LINE"
  },
  "two suites of one name": {
    files: { ...shop, "other.suite.ts": passing("shop") },
    line: 'other.suite.ts and shop.suite.ts both have a suite named "shop". Rename one.'
  },
  "two scenarios of one name": {
    files: {
      "shop.suite.ts": `import { scenario, Suite } from "@webagent/scenario/promise"
export default Suite.make("shop", [scenario("buys", () => {}), scenario("buys", () => {})])
`
    },
    line: 'shop.suite.ts could not be loaded: Suite "shop" has two scenarios named "buys".\n  at shop.suite.ts:2'
  },
  "a suite that throws while it is loaded": {
    files: { "shop.suite.ts": 'throw new Error("no shop today")\n' },
    line: "shop.suite.ts could not be loaded: no shop today\n  at shop.suite.ts:1"
  },
  "a suite that imports what is not installed": {
    files: { "shop.suite.ts": 'import "no-such-package"\nexport default 1\n' },
    line: "shop.suite.ts imports no-such-package, which is not installed beside the file. Install it there, or move the file."
  },
  "a file without a suite": {
    files: { "shop.suite.ts": "export default 1\n" },
    line: 'shop.suite.ts has no suite as its default export. End it with export default Suite.make("name", [...]).'
  },
  "an option that a scenario does not have": {
    files: { "shop.suite.ts": passing("shop", "{ trails: 3 }") },
    line: 'shop.suite.ts could not be loaded: Scenario "buys a mug": "trails" is not an option of a scenario. Use one of: OPTIONS\n  at shop.suite.ts:3'
  },
  "only: true in CI": {
    files: { "shop.suite.ts": passing("shop", "{ only: true }") },
    env: { CI: "true" },
    line: 'shop.suite.ts:3: "buys a mug" has only: true, so CI would run nothing else. Remove it, or add --allow-only.'
  }
}

const escaped = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, "\\$&")

describe("a mistake of a configuration or a suite", () => {
  for (const [what, { args = [], env = {}, files, line }] of Object.entries(mistakes)) {
    it(`${what}: one line and exit code 2`, async () => {
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
