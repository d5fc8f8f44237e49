import { assert, describe, it } from "@effect/vitest"
import * as FailureDiff from "../../src/reporters/FailureDiff.ts"
import { coloured, plain } from "@webagent/cli/Style"

const diff = ["  …", "  a: 1", "- b: 2", "+ b: 3"]

describe("FailureDiff", () => {
  it("explains its signs, and needs no color", () => {
    assert.deepStrictEqual(FailureDiff.lines(diff, plain), ["- expected  + got", ...diff])
  })

  it("uses one color each for the expected and the actual value", () => {
    const [, , same, expected, got] = FailureDiff.lines(diff, coloured)
    assert.deepStrictEqual(
      [same, expected, got],
      [coloured.faint("  a: 1"), coloured.bad("- b: 2"), coloured.good("+ b: 3")]
    )
  })
})
