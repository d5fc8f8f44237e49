import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { fences, refreshed, shown } from "../src/Fence.ts"

const root = mkdtempSync(join(tmpdir(), "webagent-fences-"))
writeFileSync(join(root, "shown.ts"), "/** How to run it. */\n\nexport const a = 1\nexport const b = 2\n")
const document = (text: string) => {
  writeFileSync(join(root, "page.md"), text)
  return "page.md"
}

afterAll(() => rmSync(root, { recursive: true }))

describe("Fence", () => {
  it("reads each block's attributes and place", () => {
    const page = document("# Page\n\n```ts file=shown.ts tab=Effect\nold\n```\n\ntext\n\n```sh\nnpm start\n```\n")
    assert.deepStrictEqual(fences(root, page), [
      { document: page, line: 3, end: 5, language: "ts", file: "shown.ts", sample: undefined, code: "old" },
      { document: page, line: 9, end: 11, language: "sh", file: undefined, sample: undefined, code: "npm start" }
    ])
  })

  it("shows a file without the comment at the top", () => {
    assert.strictEqual(shown(root, "shown.ts"), "export const a = 1\nexport const b = 2")
  })

  it("updates a block, even an empty one, and nothing else", () => {
    for (const body of ["", "old\n", "older\nthan\nthat\n"]) {
      const page = document(`before\n\n\`\`\`ts file=shown.ts\n${body}\`\`\`\n\nafter\n`)
      assert.strictEqual(
        refreshed(root, page),
        "before\n\n```ts file=shown.ts\nexport const a = 1\nexport const b = 2\n```\n\nafter\n"
      )
    }
  })

  it("reports an unclosed block with its place", () => {
    assert.throws(() => fences(root, document("a\n```ts\nb\n")), /page\.md:2/u)
  })
})
