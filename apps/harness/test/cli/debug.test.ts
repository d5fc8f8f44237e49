import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { run } from "./program.ts"

describe("run --debug", () => {
  it("shows each trial's requests on standard error, one trial after the other", async () => {
    const folder = mkdtempSync(join(tmpdir(), "webagent-debug-"))
    const args = ["run", "test/cli/example.suite.ts", "--tag", "quick", "--trials", "2", "--debug"]
    const { code, stderr, stdout } = await run([...args, "--report-dir", folder])
    rmSync(folder, { recursive: true })
    assert.strictEqual(code, 0, stdout)
    assert.include(stdout, " · 1 at a time\n")
    const [first = "", ...lines] = stderr.trim().split("\n")
    assert.strictEqual(first, "example › passes · trial 1")
    assert.include(lines, "example › passes · trial 2")
    assert.match(
      lines[0] ?? "",
      /^ {2}POST {2}\/api\/v4\/runs {2}201 {2}[\d.]+ m?s {2}sent \{"task":"Buy a red mug .+ got \{"id":/u
    )
    assert.notInclude(stderr, "wak_")
  })
})
