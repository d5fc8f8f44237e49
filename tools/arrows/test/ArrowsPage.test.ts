import { assert, describe, it } from "vitest"
import { page, stale } from "../src/ArrowsPage.ts"

describe("ARROWS.md", () => {
  const rules = { "packages/a": { imports: ["packages/client/b"], folders: { ".": [], v4: ["."] } } } as const

  it("shows each package and folder with its imports", () => {
    assert.deepStrictEqual(page(rules).split("\n").slice(-6), [
      "```",
      "packages/a -> b",
      "  src      -> -",
      "  src/v4   -> src",
      "```",
      ""
    ])
    assert.deepStrictEqual(stale(page(rules), rules), [])
  })

  it("is out of date after a change to the table", () => {
    assert.deepStrictEqual(stale(page(rules), { ...rules, "packages/c": { imports: [] } }), [
      "tools/arrows/ARROWS.md is out of date. Run pnpm boundaries --write."
    ])
  })
})
