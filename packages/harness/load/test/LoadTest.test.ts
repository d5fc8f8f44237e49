import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { loadTests } from "../src/LoadTest.ts"

describe("loadTests", () => {
  it("every load test has a script of its name, and every script is a load test", () => {
    const folder = new URL("../k6/", import.meta.url)
    const scripts = readdirSync(folder).filter((name) => name.endsWith(".load.ts"))
    assert.deepStrictEqual(
      Object.keys(loadTests).toSorted(),
      scripts.map((script) => script.replace(".load.ts", "")).toSorted()
    )
    for (const [known, { name }] of Object.entries(loadTests)) {
      assert.strictEqual(name, known)
      assert.include(readFileSync(new URL(`${name}.load.ts`, folder), "utf8"), `make("${name}")`)
    }
  })
})
