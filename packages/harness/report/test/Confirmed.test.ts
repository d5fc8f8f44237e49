import { assert, describe, it } from "@effect/vitest"
import * as Confirmed from "../src/Confirmed.ts"
import type { Confirmation } from "../src/RunReport.ts"

const said = (figure: Confirmation["figure"]) => Confirmed.text({ figure, outcome: "not confirmed", trials: [] })

describe("Confirmed", () => {
  it("says of durations that they were compared with the other scenarios", () => {
    assert.strictEqual(said("duration"), "0 of 0 confirm trials passed: not slower beside the other scenarios")
    assert.strictEqual(said("pass rate"), "0 of 0 confirm trials passed: pass rate does not look worse")
  })
})
