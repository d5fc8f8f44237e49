import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { documents, folder as schemas } from "../../schema/generate.ts"
import * as ScriptedK6 from "./load/ScriptedK6.ts"
import * as ScriptedService from "./load/ScriptedService.ts"
import { begin, call } from "./inProcess.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-json-"))
const history = join(folder, "history.ndjson")
const suite = "test/cli/weather.suite.ts"

beforeAll(async () => {
  for (const name of ["before", "after"]) {
    const reports = ["--reporter", "json", "--report-dir", join(folder, name)]
    await call(["run", suite, "--history", history, "--record", "--trials", "1", ...reports])
  }
  mkdirSync(join(folder, "ledger"))
})
afterAll(() => rmSync(folder, { recursive: true }))

const ajv = new Ajv2020({ strict: false })
const validate = (schema: string, document: unknown) => {
  const valid = ajv.validate(JSON.parse(readFileSync(new URL(`${schema}.json`, schemas), "utf8")), document)
  assert.isTrue(valid, ajv.errorsText())
}

/** The one document that a command prints, by its schema in docs. */
const printed = async (schema: string, args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => {
  const { stdout } = await call([...args, "--json"], env)
  assert.match(stdout, /^\{.*\}\n$/u)
  const document = JSON.parse(stdout)
  validate(schema, document)
  return document
}

describe("docs/json", () => {
  it("match the code's schemas; if not: npm run docs", () => {
    assert.deepStrictEqual(readdirSync(schemas).toSorted(), Object.keys(documents()).toSorted())
    for (const [name, text] of Object.entries(documents())) {
      assert.strictEqual(readFileSync(new URL(name, schemas), "utf8"), text, name)
    }
  })

  it("are all listed on their page", () => {
    const page = readFileSync(new URL("../json-output.md", schemas), "utf8")
    for (const name of Object.keys(documents())) assert.include(page, `](json/${name})`)
  })
})

describe.concurrent("--json prints one document by its schema", () => {
  it("list", async () => {
    const { suites } = await printed("list", ["list"])
    const runs = suites.find(({ name }: { readonly name: string }) => name === "v4-runs")
    assert.include(runs.scenarios[0].needs, "money")
  })

  it("plan, with skipped scenarios and the reasons", async () => {
    const plan = await printed("plan", ["plan", "versions", "v4-runs", "--target", "https://your.service"])
    assert.isFalse(plan.simulated)
    const why = plan.scenarios.flatMap(({ skip }: { readonly skip: unknown }) => skip ?? [])
    assert.deepInclude(why[0], { certain: true })
  })

  it("history, of all scenarios, of one, and with verdicts", async () => {
    const all = await printed("history", ["history", "--history", history])
    assert.strictEqual(all.nights.length, 2)
    const one = await printed("history", ["history", "--history", history, "--scenario", "ALWAYS"])
    assert.deepStrictEqual(
      one.nights[1].scenarios.map(({ name }: { readonly name: string }) => name),
      ["always holds"]
    )
    const { tier } = await printed("history-judge", ["history", "--history", history, "--judge"])
    assert.notStrictEqual(tier, "red")
  })

  it("compare", async () => {
    const { scenarios } = await printed("compare", ["compare", join(folder, "before"), join(folder, "after")])
    assert.strictEqual(scenarios, 2)
  })

  it("reap, with an empty ledger and with an open browser", async () => {
    const ledger = join(folder, "ledger")
    const args = ["cleanup", "--ledger", ledger, "--dry-run"]
    assert.deepStrictEqual(await printed("cleanup", args), { ledger, dryRun: true, items: [] })
    const opened = [
      { ledger: 1 },
      {
        _tag: "opening",
        at_ms: 1,
        key: "k-1",
        kind: "browser",
        method: "POST",
        origin: "https://your.service",
        path: "/api/v4/browsers",
        requestId: "r-1"
      },
      { _tag: "opened", at_ms: 2, key: "k-1", id: "b-1" }
    ]
    writeFileSync(join(ledger, "other.ndjson"), opened.map((row) => `${JSON.stringify(row)}\n`).join(""))
    const { items } = await printed("cleanup", args)
    assert.deepInclude(items[0], { kind: "browser", id: "b-1", key: "k-1", state: "left" })
  })

  it("doctor", async () => {
    const { checks } = await printed("doctor", ["doctor", "--target", "http://127.0.0.1:9"], { PATH: "" })
    const failed = checks.find(({ status }: { readonly status: string }) => status === "failed")
    assert.deepInclude(failed, { name: "key", found: "WEBAGENT_API_KEY is not set" })
  })

  it("drift, of two services that the suites run against", async () => {
    const { compared, differences } = await printed("drift", ["drift", "simulated", "simulated", "versions"])
    assert.isNotEmpty(compared)
    assert.deepStrictEqual(differences, [])
  })

  it("load, with its progress on standard error", async () => {
    const k6 = ScriptedK6.write(folder, `sumUp(${JSON.stringify(ScriptedK6.summary({ checks: false }))})`)
    const key = "wak_example"
    const service = await ScriptedService.start({ key, simulated: true })
    const reports = ["--report-dir", join(folder, "load")]
    const env = { WEBAGENT_API_KEY: key, WEBAGENT_K6: k6.path }
    const args = ["load", "smoke", "--target", service.address, "--json", ...reports]
    const { code, stderr, stdout } = await call(args, env)
    service.close()
    assert.isNotEmpty(stdout, stderr)
    const report = JSON.parse(stdout)
    validate("load", report)
    assert.deepStrictEqual([code, report.verdict, existsSync(report.page)], [1, "failed", true])
    assert.match(stderr, /\nfailed: checks · /u)
  })

  it("serve, with one line per request", async () => {
    const serving = begin(["serve", "--port", "0", "--json"])
    const { address } = JSON.parse(await serving.says("\n"))
    await fetch(`${address}/health`)
    const lines = (await serving.says("/health")).trimEnd().split("\n")
    serving.stop()
    assert.strictEqual(lines.length, 2)
    for (const line of lines) validate("serve", JSON.parse(line))
  })
})

describe("a mistake with --json", () => {
  it("prints a line on standard error, and nothing on standard output", async () => {
    for (const args of [
      ["plan", "v4-rnus", "--json"],
      ["history", "--history", "none.ndjson", "--json"],
      ["history", "--history", history, "--json", "--html"]
    ]) {
      const { code, stderr, stdout } = await call(args)
      assert.deepStrictEqual([code, stdout, stderr.split("\n").length], [2, "", 2], stderr)
    }
  })
})
