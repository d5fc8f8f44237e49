import { assert, describe, it } from "@effect/vitest"
import { counted, cut, duration, moment, number, percent } from "../src/Text.ts"

describe("Text", () => {
  it("shows a duration with three digits, and with two units from a minute on", () => {
    const cases = [
      [0, "0 ms"],
      [0.42, "0.4 ms"],
      [9.96, "10 ms"],
      [41.2, "41 ms"],
      [999.6, "1 s"],
      [1312, "1.31 s"],
      [41_240, "41.2 s"],
      [59_960, "1 min"],
      [125_000, "2 min 05 s"],
      [3_599_700, "1 h"],
      [5_400_000, "1 h 30 min"],
      [86_399_000, "24 h"]
    ] as const
    assert.deepStrictEqual(
      cases.map(([value]) => duration(value)),
      cases.map(([, text]) => text)
    )
  })

  it("shows a share in percent, a number with separators, and a noun in singular or plural", () => {
    assert.deepStrictEqual(
      [percent(1), percent(0.975), percent(1 / 3), percent(0.0123, 2)],
      ["100 %", "97.5 %", "33.3 %", "1.23 %"]
    )
    assert.deepStrictEqual([number(8214), number(1.55)], ["8,214", "1.6"])
    assert.deepStrictEqual([counted(1, "try", "s"), counted(2099, "request")], ["1 try", "2,099 requests"])
  })

  it("shows a moment with its zone, and marks truncated text", () => {
    assert.strictEqual(moment("2026-11-21T09:12:44.123Z"), "2026-11-21 09:12:44 UTC")
    assert.deepStrictEqual([cut("long", 4), cut("longer", 4), cut("long", 0)], ["long", "lon…", ""])
  })
})
