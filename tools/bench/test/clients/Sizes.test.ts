import { assert, describe, it } from "vitest"
import { textBySource } from "../../src/clients/Sizes.ts"

describe("textBySource", () => {
  it("returns the source of each piece of a line", () => {
    // 0: none, 3: a, 5: b, 8: a, 10: none
    const map = { mappings: "A,GAAA,ECAA,GDAA,E;", sources: ["a", "b"] }
    assert.deepStrictEqual(Object.fromEntries(textBySource("012aabbbaa?", map)), { "": "012?", a: "aaaa", b: "bbb" })
  })

  it("continues counting sources from line to line", () => {
    const map = { mappings: "AAAA;ACAA", sources: ["a", "b"] }
    assert.deepStrictEqual(Object.fromEntries(textBySource("one\ntwo", map)), { a: "one", b: "two" })
  })
})
