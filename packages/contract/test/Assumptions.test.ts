import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"

const root = new URL("../../../", import.meta.url)
const rows = readFileSync(new URL("../ASSUMPTIONS.md", import.meta.url), "utf8")
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
    it(`${number}. ${gap}: names files that exist`, () => {
      for (const cell of [where, test]) {
        const files = [...cell.matchAll(/`([^`]+)`/gu)].flatMap((match) => match[1] ?? [])
        assert.isNotEmpty(files)
        for (const file of files) assert.isTrue(existsSync(new URL(file, root)), file)
      }
    })
  }
})
