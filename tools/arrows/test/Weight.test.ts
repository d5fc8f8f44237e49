import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { grown, longFunctionsOf, weightOf } from "../src/Weight.ts"

let root = ""
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "webagent-weight-"))
  const files = [
    "packages/one/src/One.ts",
    "packages/one/test/One.test.ts",
    "tools/bench/main.ts",
    "top.mjs",
    "tools/one.test.mjs"
  ]
  for (const file of files) {
    mkdirSync(join(root, file, ".."), { recursive: true })
    writeFileSync(join(root, file), "const a = 1\nconst b = 2\n")
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const functionOf = (lines: number) => `const f = () => {\n${"  f()\n".repeat(lines - 2)}}\n`

describe("Weight", () => {
  it("counts source lines outside tests and benches", () => {
    assert.deepStrictEqual(weightOf(root), { lines: 4, longFunctions: [] })
  })

  it("lists functions over 150 lines", () => {
    assert.deepStrictEqual(longFunctionsOf("a.ts", functionOf(150)), [])
    assert.deepStrictEqual(longFunctionsOf("a.ts", `\n${functionOf(151)}`), ["a.ts:2: 151 lines"])
  })

  it("reports each number that is over its limit", () => {
    const weight = { lines: 10, longFunctions: ["a.ts:2: 151 lines"] }
    assert.deepStrictEqual(grown(weight, { lines: 10, longFunctions: 1 }), [])
    const [lines, functions] = grown(weight, { lines: 9, longFunctions: 0 })
    assert.include(String(lines), "There are 10 source lines, 1 more")
    assert.include(String(functions), "a.ts:2: 151 lines")
  })
})
