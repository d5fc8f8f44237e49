import { assert, describe, it } from "vitest"
import { stale, written } from "../src/Section.ts"

const page = `# Page

<!-- arrows: written from tools/arrows/src/arrows.ts by \`pnpm boundaries --write\` -->

<!-- /arrows -->

## Next
`

describe("the section of ARCHITECTURE.md", () => {
  const rules = { "packages/a": { imports: ["packages/client/b"], folders: { ".": [], v4: ["."] } } } as const

  it("shows each package and folder, and leaves the rest of the page alone", () => {
    assert.deepStrictEqual(written(page, rules).split("\n").slice(2, 13), [
      "<!-- arrows: written from tools/arrows/src/arrows.ts by `pnpm boundaries --write` -->",
      "",
      "```",
      "packages/a -> b",
      "  src      -> -",
      "  src/v4   -> src",
      "```",
      "",
      "<!-- /arrows -->",
      "",
      "## Next"
    ])
    assert.deepStrictEqual(stale(written(page, rules), rules), [])
  })

  it("is stale after a change to the table", () => {
    assert.deepStrictEqual(stale(page, { ...rules, "packages/c": { imports: [] } }), [
      "ARCHITECTURE.md: its arrows are out of date. Run pnpm boundaries --write."
    ])
  })
})
