import { assert, describe, it } from "@effect/vitest"
import * as FailureDiff from "../../src/reporters/FailureDiff.ts"
import { coloured, plain } from "@webagent/cli/Style"

const diff = ["  …", "  a: 1", "- b: 2", "+ b: 3"]

describe("FailureDiff", () => {
  it("says which sign is which, and needs no colour", () => {
    assert.deepStrictEqual(FailureDiff.lines(diff, plain), ["- expected  + got", ...diff])
  })

  it("where there is colour, what was expected and what came have one each", () => {
    const [, , same, expected, got] = FailureDiff.lines(diff, coloured)
    assert.deepStrictEqual(
      [same, expected, got],
      [coloured.faint("  a: 1"), coloured.bad("- b: 2"), coloured.good("+ b: 3")]
    )
  })
})
