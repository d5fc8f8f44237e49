import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { readProofs, withDates, withProof, withTable } from "../status.ts"
import { root } from "./Workflow.ts"

describe("the recorded results", () => {
  const page = readFileSync(join(root, "tools/workspace/STATUS.md"), "utf8")

  it("are those in status.json", () => {
    const readme = readFileSync(join(root, "README.md"), "utf8")
    assert.strictEqual(withTable(page, readProofs()), page, "Run: node tools/workspace/status.ts")
    assert.strictEqual(withDates(readme, readProofs()), readme, "Run: node tools/workspace/status.ts")
  })

  it("get a passed test's facts and date, and keep the others", () => {
    const before = {
      cluster: { date: "2026-01-01", facts: "0 warnings" },
      server: { date: "2026-01-01", facts: "old" }
    }
    const proofs = withProof(before, "server", "new", new Date("2026-02-03T04:05:06Z"))
    assert.deepStrictEqual(proofs, { ...before, server: { date: "2026-02-03", facts: "new" } })
    assert.include(withTable(page, proofs), "| server | new | 2026-02-03 |")
    assert.include(withTable(page, proofs), "| cluster | 0 warnings | 2026-01-01 |")
    assert.include(withDates(page, proofs), "were last tested between 2026-01-01 and 2026-02-03 (")
    assert.include(withDates(page, withProof({}, "server", "new", new Date("2026-02-03"))), "tested on 2026-02-03 (")
  })
})
