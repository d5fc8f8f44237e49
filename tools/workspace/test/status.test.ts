import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { readProofs, withProof, withTable } from "../status.ts"
import { root } from "./Workflow.ts"

describe("the status in the README", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8")

  it("is the one that the tests have recorded", () => {
    assert.strictEqual(withTable(readme, readProofs()), readme, "Run: node tools/workspace/status.ts")
  })

  it("gets the facts and the date of a test that passed, and keeps those of others", () => {
    const before = {
      cluster: { date: "2026-01-01", facts: "0 warnings" },
      server: { date: "2026-01-01", facts: "old" }
    }
    const proofs = withProof(before, "server", "new", new Date("2026-02-03T04:05:06Z"))
    assert.deepStrictEqual(proofs, { ...before, server: { date: "2026-02-03", facts: "new" } })
    assert.include(withTable(readme, proofs), "| server | new | 2026-02-03 |")
    assert.include(withTable(readme, proofs), "| cluster | 0 warnings | 2026-01-01 |")
  })
})
