import { assert, describe, it } from "@effect/vitest"
import * as ConfirmText from "../../src/words/ConfirmText.ts"
import type { Confirmation } from "@webagent/report/RunReport"

const said = (figure: Confirmation["figure"]) => ConfirmText.text({ figure, outcome: "not confirmed", trials: [] })

describe("the text about extra trials", () => {
  it("mentions that durations were compared with the other scenarios", () => {
    assert.strictEqual(said("duration"), "0 of 0 extra trials passed: not slower compared with the other scenarios")
    assert.strictEqual(said("pass rate"), "0 of 0 extra trials passed: pass rate does not look worse")
  })
})
