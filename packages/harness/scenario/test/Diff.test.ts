import { assert, describe, it } from "@effect/vitest"
import { diff } from "../src/Diff.ts"

describe("diff", () => {
  it("shows only differences, with their context and place", () => {
    const task = (cost: string) => ({ id: "a", status: "finished", llm: "x", cost, output: "12 EUR", metadata: {} })
    const session = (cost: string) => ({ id: "s", tasks: [task("0.01"), task(cost)] })
    assert.deepStrictEqual(diff(session("0.02"), session("0.03")), [
      "  … in .tasks[1]",
      '  status: "finished"',
      '  llm: "x"',
      '- cost: "0.02"',
      '+ cost: "0.03"',
      '  output: "12 EUR"',
      "  metadata: {}"
    ])
  })

  it("ignores the order of fields, but shows missing and added ones", () => {
    assert.isUndefined(diff({ a: 1, b: 2 }, { b: 2, a: 1 }))
    assert.deepStrictEqual(diff({ a: 1, b: 2 }, { c: 4, b: undefined, a: 1 }), [
      "  {",
      "    a: 1",
      "-   b: 2",
      "+   b: undefined",
      "+   c: 4",
      "  }"
    ])
  })

  it("finds the difference in a long value", () => {
    const offers = (price: number) => ({
      page: { offers: Array.from({ length: 20_000 }, (_, id) => ({ id, price: id === 12_345 ? price : 1 })) }
    })
    assert.deepStrictEqual(diff(offers(2), offers(3)), [
      "  … in .page.offers",
      "  {",
      "    id: 12345",
      "-   price: 2",
      "+   price: 3",
      "  }",
      "  {"
    ])
    const words = (last: string) => [...Array.from({ length: 60_000 }, String), last]
    assert.deepStrictEqual(diff(words("a"), words("b"))?.slice(-3), ['-   "a"', '+   "b"', "  ]"])
  })

  it("accepts two texts without a common line and any number of lines", () => {
    const text = (word: string) => Array.from({ length: 150_000 }, (_, line) => `${word} ${line}`).join("\n")
    const lines = diff(text("a"), text("b"))
    assert.deepStrictEqual([lines?.length, lines?.[0], lines?.at(-1)], [41, "- a 0", "  … and 299960 lines more"])
  })

  it("keeps the rest in place if an item was added to a list or removed", () => {
    assert.deepStrictEqual(diff([1, 2, 3, 4, 5, 6, 7], [1, 3, 4, 5, 6, 7, 8]), [
      "  [",
      "    1",
      "-   2",
      "    3",
      "    4",
      "  …",
      "    6",
      "    7",
      "+   8",
      "  ]"
    ])
  })

  it("shows a long text by its lines, and a long line at its difference", () => {
    assert.deepStrictEqual(diff("a\nb\nc\nd", "a\nb\nX\nd"), ["  a", "  b", "- c", "+ X", "  d"])
    const long = (middle: string) => `${"x".repeat(100)}${middle}${"y".repeat(200)}`
    const shown = diff({ text: long("A") }, { text: long("BB") }) ?? []
    assert.deepStrictEqual(
      [shown[1], shown[2]],
      [`-   …${"x".repeat(30)}A${"y".repeat(30)}…`, `+   …${"x".repeat(30)}BB${"y".repeat(30)}…`]
    )
  })

  it("is omitted if one line shows everything", () => {
    for (const [expected, actual] of [
      ["completed", "failed"],
      [1, 2],
      [{}, []],
      [{ a: 1 }, undefined],
      ["{}", {}]
    ]) {
      assert.isUndefined(diff(expected, actual))
    }
  })

  it("is short, however much differs, and fast", () => {
    const many = (by: number) => Array.from({ length: 3000 }, (_, index) => ({ index: index * by }))
    const shown = diff(many(2), many(3)) ?? []
    assert.isAtMost(shown.length, 41)
    assert.match(shown.at(-1) ?? "", /^ {2}… and \d+ lines more$/u)
  })

  it("ends for a value that contains itself", () => {
    const knot: Record<string, unknown> = { a: 1 }
    knot["self"] = knot
    assert.include(diff({ a: 2, self: 1 }, knot) ?? [], "+   self: (itself)")
  })
})
