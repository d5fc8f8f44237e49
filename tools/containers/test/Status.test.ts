import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../src/build/workspace.ts"
import { mergeProofs, readProofs, withTable } from "../src/Status.ts"

describe("the status in the README", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8")

  it("is the one that the test has recorded", () => {
    assert.strictEqual(withTable(readme, readProofs()), readme)
  })

  it("gets the facts and the date of a part that passed, and keeps those of others", () => {
    const before = {
      cluster: { date: "2026-01-01", facts: "0 warnings" },
      server: { date: "2026-01-01", facts: "old" }
    }
    const proofs = mergeProofs(
      before,
      [
        { _tag: "Passed", part: "server", facts: "new", seconds: 1 },
        { _tag: "Skipped", part: "cluster", reason: "no etcd" }
      ],
      new Date("2026-02-03T04:05:06Z")
    )
    assert.deepStrictEqual(proofs, { ...before, server: { date: "2026-02-03", facts: "new" } })
    assert.include(withTable(readme, proofs), "| server | new | 2026-02-03 |")
  })
})
