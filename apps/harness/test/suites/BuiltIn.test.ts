import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { builtIn } from "../../src/suites/BuiltIn.ts"

/** Pages that show how a run of every built-in suite ends. */
const pages = ["README.md", "apps/harness/README.md", "docs/nightly.md"]

/** The fences of a page in which a run of all built-in suites, and no other, came to a good end. */
const shown = (page: string): ReadonlyArray<number> => {
  const text = readFileSync(fileURLToPath(new URL(`../../../../${page}`, import.meta.url)), "utf8")
  return [...text.matchAll(/^(\d+) passed in .* · 0 leaked browsers$/gmu)].map(([, count]) => Number(count))
}

describe("the built-in suites", () => {
  it("are as many scenarios as the documents show that passed", async () => {
    const suites = await Promise.all(Object.values(builtIn).map((load) => load()))
    const scenarios = suites.reduce((sum, { default: suite }) => sum + suite.scenarios.length, 0)
    const counts = pages.map((page) => [page, ...new Set(shown(page))])
    assert.deepStrictEqual(
      counts,
      pages.map((page) => [page, scenarios])
    )
  })

  it("are named in their READMEs with as many scenarios as they have", async () => {
    const { default: sessions } = (await builtIn["v2-sessions"]?.()) ?? {}
    const [first] =
      /v2-sessions +(\d+)\/(\d+)/u
        .exec(readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8"))
        ?.slice(1) ?? []
    assert.strictEqual(Number(first), sessions?.scenarios.length)
  })
})
