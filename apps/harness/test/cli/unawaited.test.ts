import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { run } from "./program.ts"
import { lastLineIn } from "./lastLine.ts"
import * as BreachText from "@webagent/findings/words/BreachText"

/** Only its letters, because each report escapes others in its own way. */
const plain = (text: string) => text.replaceAll(/&#?\w+;|\W/gu, "")

describe("a rejected promise that no scenario awaits", () => {
  it("fails its trial or otherwise the run, and every report mentions it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "webagent-unawaited-"))
    const args = ["run", "test/cli/unawaited.suite.ts", "--report-dir", folder, "--concurrency", "1"]
    const { code, stderr, stdout } = await run(args, { GITHUB_ACTIONS: "true" })
    assert.deepStrictEqual([code, stderr], [1, "unawaited › rejects: at the till\n"], stdout)
    const read = (file: string) => readFileSync(join(folder, file), "utf8")
    const { breaches, findings, results } = JSON.parse(read("report.json"))
    interface Result {
      readonly verdict: string
      readonly failure?: { readonly message: string; readonly where: string }
    }
    assert.deepStrictEqual(
      results.map(({ failure, verdict }: Result) => [verdict, failure?.message, failure?.where]),
      [
        [
          "failed",
          "a promise that it did not await was rejected: Error: boo. Add the await.",
          "test/cli/unawaited.suite.ts:10"
        ],
        ["passed", undefined, undefined],
        [
          "failed",
          "UnawaitedCall: the scenario ended before v4.runs.createAndWait did. Await the call.",
          "test/cli/unawaited.suite.ts:18"
        ],
        ["passed", undefined, undefined]
      ]
    )
    assert.lengthOf(breaches, 1)
    const { error, scenario, where } = breaches[0].facts
    assert.deepStrictEqual([error, scenario], ["Error: late", "unawaited › rejects later"])
    assert.match(where, /^\/.+unawaited\.suite\.ts:14$/u)
    assert.strictEqual(findings[0]?.severity, "error")
    assert.include(stdout, `\n${lastLineIn(folder)} · `)
    const sentence = BreachText.text(breaches[0])
    assert.match(stdout, /::error file=[^\n]*unawaited\.suite\.ts,line=10,/u)
    assert.match(stdout, /::error title=[^\n]*promise-not-awaited/u)
    for (const file of ["junit.xml", "summary.md"]) {
      assert.include(plain(read(file)), plain(sentence), file)
    }
    assert.deepStrictEqual(results[0].trials[0].output, [{ stream: "stderr", text: "at the till\n" }])
    assert.include(read("junit.xml"), "<system-err>at the till</system-err>")
    rmSync(folder, { recursive: true })
  })

  it("is a mistake of its file if it happens while the file loads", async () => {
    const folder = mkdtempSync(join(tmpdir(), "webagent-unawaited-"))
    const suite = 'void Promise.reject(new Error("no shop"))\nexport default 1\n'
    writeFileSync(join(folder, "shop.suite.ts"), suite)
    const { code, stderr } = await run(["list"], {}, folder)
    assert.deepStrictEqual([code, stderr], [2, "shop.suite.ts:1: no shop\n"])
    rmSync(folder, { recursive: true })
  })
})
