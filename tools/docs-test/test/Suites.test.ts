import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../src/Documents.ts"

/** Pages that show how a run of every built-in suite ends. */
const pages = ["README.md", "apps/harness/README.md"]

const textOf = (page: string) => readFileSync(join(root, page), "utf8")

/** How many scenarios each built-in suite has. */
const scenarios = (): ReadonlyMap<string, number> => {
  const main = join(root, "apps/harness/src/main.ts")
  const args = ["--conditions=@webagent/source", main, "list", "--built-in", "--json"]
  const { suites } = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as {
    readonly suites: ReadonlyArray<{ readonly name: string; readonly scenarios: ReadonlyArray<unknown> }>
  }
  return new Map(suites.map(({ name, scenarios }) => [name, scenarios.length]))
}

describe("runs of every built-in suite in documents", () => {
  const counts = scenarios()

  for (const page of pages) {
    it(`${page} shows the number of scenarios`, () => {
      const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
      const shown = [...textOf(page).matchAll(/^PASSED: all (\d+) scenarios passed .* · 0 leaked browsers · .*$/gmu)]
      assert.isNotEmpty(shown)
      for (const [line, count] of shown) assert.strictEqual(Number(count), all, line)
    })
  }

  it("apps/harness/README.md shows the number of scenarios per suite", () => {
    const shown = [...textOf("apps/harness/README.md").matchAll(/^ {2}([\w-]+) +(\d+)\/(\d+) /gmu)]
    assert.isNotEmpty(shown)
    for (const [line, suite = "", passed, of] of shown) {
      assert.deepStrictEqual([Number(passed), Number(of)], [counts.get(suite), counts.get(suite)], line)
    }
  })
})
