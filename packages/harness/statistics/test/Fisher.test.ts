import { assert, describe, it } from "vitest"
import * as Fisher from "../src/Fisher.ts"

describe("Fisher's exact test", () => {
  // Fisher's lady who tastes tea, and tables that SciPy 1 was asked about
  const tables = [
    [3, 4, 1, 4, 0.985_714_285_714_285_7, 0.242_857_142_857_142_83],
    [8, 10, 1, 6, 0.999_125_874_125_874_1, 0.024_475_524_475_524_483],
    [6, 15, 142, 150, 4.562_319_086_878_932e-7, 0.999_999_984_862_339_1],
    [1, 5, 143, 150, 6.869_026_745_835_9e-5, 0.999_999_338_608_153_8],
    [0, 5, 30, 30, 3.080_411_050_050_519e-6, 1]
  ] as const

  for (const [passed, of, passedBefore, ofBefore, fewer, more] of tables) {
    it(`returns the known chances of ${passed} in ${of} compared with ${passedBefore} in ${ofBefore}`, () => {
      const [now, before] = [
        { passed, of },
        { passed: passedBefore, of: ofBefore }
      ]
      assert.closeTo(Fisher.fewer(now, before) / fewer, 1, 1e-9)
      assert.closeTo(Fisher.more(now, before) / more, 1, 1e-9)
    })
  }

  it("is exact with tens of thousands of trials", () => {
    const [now, before] = [
      { passed: 5000, of: 5200 },
      { passed: 50_000, of: 51_000 }
    ]
    assert.isBelow(Math.abs(Fisher.fewer(now, before) / 2.083_887_486_397_841e-16 - 1), 1e-6)
  })
})
