import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../src/Documents.ts"

/** Pages that show how a run of every built-in suite ends. */
const pages = ["README.md", "apps/harness/README.md"]

const textOf = (page: string) => readFileSync(join(root, page), "utf8")

/** How many scenarios each built-in suite has, by what the program lists: a line for each suite, and one below for each. */
const scenarios = (): ReadonlyMap<string, number> => {
  const program = ["--conditions=@webagent/source", join(root, "apps/harness/src/main.ts"), "list"]
  const counts = new Map<string, number>()
  let suite = ""
  for (const line of execFileSync(process.execPath, program, { encoding: "utf8" }).split("\n")) {
    if (line.startsWith("  ")) counts.set(suite, (counts.get(suite) ?? 0) + 1)
    else suite = line.split(" ")[0] ?? ""
  }
  return counts
}

describe("what documents show of a run of every built-in suite", () => {
  const counts = scenarios()

  for (const page of pages) {
    it(`${page}: as many passed as there are`, () => {
      const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
      const shown = [...textOf(page).matchAll(/^GREEN: all (\d+) scenarios passed .* · 0 leaked browsers · .*$/gmu)]
      assert.isNotEmpty(shown)
      for (const [line, count] of shown) assert.strictEqual(Number(count), all, line)
    })
  }

  it("apps/harness/README.md: a suite has as many as there are", () => {
    const shown = [...textOf("apps/harness/README.md").matchAll(/^ {2}([\w-]+) +(\d+)\/(\d+) /gmu)]
    assert.isNotEmpty(shown)
    for (const [line, suite = "", passed, of] of shown) {
      assert.deepStrictEqual([Number(passed), Number(of)], [counts.get(suite), counts.get(suite)], line)
    }
  })
})
