import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../src/Documents.ts"

/** Pages that say of each thing which test holds it, a link to its file with its name as the title; and how many at least. */
const pages = { "docs/comparison.md": 20, "docs/what-happens-when.md": 20, "docs/runtimes.md": 10 }

const linesOf = (page: string) => readFileSync(join(root, page), "utf8").split("\n")

/** The rows of a page's tables, without their heads. */
const rows = (page: string) => linesOf(page).filter((line) => /^\| (?!\||---)/u.test(line))

const links = (text: string) =>
  [...text.matchAll(/\]\(([^)\s]+\.test\.ts)(?: "([^"]*)")?\)/gu)].map(([, file = "", name]) => ({ file, name }))

for (const [page, least] of Object.entries(pages)) {
  describe(`the tests of ${page}`, () => {
    const all = links(linesOf(page).join("\n"))

    it("names tests", () => assert.isAtLeast(all.length, least))

    for (const { file, name } of all) {
      it(`${file}: ${name}`, () => {
        const path = join(root, dirname(page), file)
        assert.isTrue(existsSync(path), `${file} is not there`)
        assert.isNotEmpty(name, "the link needs the name of the test as its title")
        assert.include(readFileSync(path, "utf8"), name ?? "")
      })
    }
  })
}

describe("docs/what-happens-when.md", () => {
  for (const row of rows("docs/what-happens-when.md")) {
    it(`${row.split("|")[1]?.trim()}: is held by a test`, () => assert.isNotEmpty(links(row)))
  }
})

describe("docs/comparison.md", () => {
  it("has a row for each misbehaviour, held by a test unless the service describes no such thing", () => {
    const found = rows("docs/comparison.md").flatMap((row) => {
      const number = /^\| (W\d+[bc]?) \|/u.exec(row)?.[1]
      return number === undefined ? [] : [{ number, isHeld: links(row).length > 0 || row.includes("are described") }]
    })
    const numbers = Array.from({ length: 26 }, (_, index) => `W${index + 1}`)
    numbers.splice(6, 0, "W6b", "W6c")
    assert.deepStrictEqual(
      found.map(({ number }) => number),
      numbers
    )
    assert.deepStrictEqual(
      found.filter(({ isHeld }) => !isHeld),
      []
    )
  })
})
