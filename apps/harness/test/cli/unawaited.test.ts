import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { run } from "./program.ts"

describe("a promise that no scenario awaits", () => {
  it("is said in a line when it is rejected; the other scenarios go on, and the report is written", async () => {
    const folder = mkdtempSync(join(tmpdir(), "webagent-unawaited-"))
    const args = ["run", "test/cli/unawaited.suite.ts", "--report-dir", folder, "--reporter", "console,json"]
    const { code, stderr, stdout } = await run(args)
    assert.strictEqual(code, 1, stdout)
    assert.match(
      stderr,
      /^A promise that no scenario awaited was rejected: Error: boo, \/.+unawaited\.suite\.ts:6\. Add the await; this run counts as failed\.\n$/u
    )
    const { results } = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"))
    assert.lengthOf(results, 2)
    rmSync(folder, { recursive: true })
  })
})
