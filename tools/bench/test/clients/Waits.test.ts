import { assert, describe, it } from "vitest"
import { peakOf } from "../../src/clients/Waits.ts"

describe("peakOf", () => {
  it("is the highest number within 100 ms, wherever these begin", () => {
    assert.strictEqual(peakOf([]), 0)
    assert.strictEqual(peakOf([5, 104]), 2)
    assert.strictEqual(peakOf([5, 105]), 1)
    assert.strictEqual(peakOf([300, 0, 90, 180, 181, 189]), 4)
  })
})
