import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../src/Documents.ts"

const rows = readFileSync(join(root, "packages/contract/ASSUMPTIONS.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| \d+ \|/u.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))

describe("ASSUMPTIONS.md", () => {
  it("numbers its rows", () => {
    assert.deepStrictEqual(
      rows.map((cells) => Number(cells[1])),
      rows.map((_, index) => index + 1)
    )
  })

  for (const [, number = "", gap = "", , , where = "", test = ""] of rows) {
    it(`${number}. ${gap} names files that exist`, () => {
      for (const cell of [where, test]) {
        const files = [...cell.matchAll(/`([^`]+)`/gu)].flatMap((match) => match[1] ?? [])
        assert.isNotEmpty(files)
        for (const file of files) assert.isTrue(existsSync(join(root, file)), file)
      }
    })
  }
})
