import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../src/Documents.ts"

describe("ARCHITECTURE.md", () => {
  it("has at most 2,500 words, because decisions belong in docs/decisions", () => {
    const words = readFileSync(join(root, "ARCHITECTURE.md"), "utf8").match(/\S*\w\S*/gu) ?? []
    assert.isAtMost(words.length, 2500)
  })
})
