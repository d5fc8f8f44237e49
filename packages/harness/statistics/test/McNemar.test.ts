import { assert, describe, it } from "vitest"
import * as McNemar from "../src/McNemar.ts"

describe("McNemar's exact test", () => {
  it("returns the values of statsmodels for the same pairs", () => {
    assert.closeTo(McNemar.worse({ lost: 10, won: 2 }) / 0.019_287_109_375, 1, 1e-9)
    assert.closeTo(McNemar.worse({ lost: 121, won: 59 }) / (4.434_449_263_764_755e-6 / 2), 1, 1e-9)
    assert.closeTo(McNemar.worse({ lost: 1, won: 6 }) / 0.992_187_5, 1, 1e-9)
    assert.closeTo(McNemar.better({ lost: 1, won: 6 }) / 0.0625, 1, 1e-9)
    assert.closeTo(McNemar.better({ lost: 5, won: 5 }) / 0.623_046_875, 1, 1e-9)
    assert.strictEqual(McNemar.worse({ lost: 0, won: 0 }), 1)
  })
})
