import { assert, describe, it } from "@effect/vitest"
import { Cost } from "../src/index.ts"

describe("Cost.total", () => {
  it.each([
    [[], "0", 0, 0],
    [["0.1", "0.2"], "0.3", 2, 0],
    [["0.0132", "+.5", "-3.", "1"], "-1.4868", 4, 0],
    [["9007199254740993", "0.00000000000000000001"], "9007199254740993.00000000000000000001", 2, 0],
    [["-0.5", "0.25", ".25"], "0", 3, 0],
    [["-.05", "0"], "-0.05", 2, 0],
    [["007.500"], "7.5", 1, 0],
    [["1", null, undefined, "1e3", "", ".", "free"], "1", 1, 6]
  ] as ReadonlyArray<[ReadonlyArray<string | null | undefined>, string, number, number]>)(
    "of %j is %s",
    (costs, total, known, unknown) => {
      assert.deepStrictEqual(Cost.total(costs), { total, known, unknown })
    }
  )
})
