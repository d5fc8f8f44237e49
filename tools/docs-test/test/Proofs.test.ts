import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../src/Documents.ts"

/** Pages that name the test for each statement, as a link with the test's name as title; and at least how many. */
const pages = {
  "packages/testing/conformance/COMPARISON.md": 20,
  "packages/testing/conformance/FAILURES.md": 20,
  "docs/runtimes.md": 9
}

const linesOf = (page: string) => readFileSync(join(root, page), "utf8").split("\n")

/** The rows of a page's tables, without their heads. */
const rows = (page: string) => linesOf(page).filter((line) => /^\| (?!\||---|When )/u.test(line))

const links = (text: string) =>
  [...text.matchAll(/\]\(([^)\s]+\.test\.ts)(?: "([^"]*)")?\)/gu)].map(([, file = "", name]) => ({ file, name }))

for (const [page, least] of Object.entries(pages)) {
  describe(`the tests of ${page}`, () => {
    const all = links(linesOf(page).join("\n"))

    it("are named", () => assert.isAtLeast(all.length, least))

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

describe("packages/testing/conformance/FAILURES.md", () => {
  for (const row of rows("packages/testing/conformance/FAILURES.md")) {
    it(`${row.split("|")[1]?.trim()} has a test`, () => assert.isNotEmpty(links(row)))
  }
})

describe("packages/testing/conformance/COMPARISON.md", () => {
  it("has a row with a test for each mistake, except W24, because the description has no webhooks", () => {
    const found = rows("packages/testing/conformance/COMPARISON.md").flatMap((row) => {
      const number = /^\| (W\d+[bc]?) \|/u.exec(row)?.[1]
      return number === undefined ? [] : [{ number, isHeld: links(row).length > 0 || row.startsWith("| W24 ") }]
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
