import { assert, describe, it } from "@effect/vitest"
import * as ConfirmText from "../../src/words/ConfirmText.ts"
import type { Confirmation } from "@webagent/report/RunReport"
import { reportOf, resultOf, trialOf } from "../reports.ts"

const said = (figure: Confirmation["figure"]) => ConfirmText.text({ figure, outcome: "not confirmed", trials: [] })

const summary = (outcomes: Readonly<Record<string, Confirmation["outcome"]>>) => {
  const report = reportOf(
    Object.entries(outcomes).map(([name, outcome]) =>
      resultOf(name, [trialOf()], { confirm: { figure: "pass rate", outcome, trials: [trialOf(), trialOf()] } })
    )
  )
  const { header } = report
  return ConfirmText.summary({ ...report, header: { ...header, limits: { ...header.limits, confirm: 200 } } })
}

describe("the text about extra trials", () => {
  it("mentions that durations were compared with the other scenarios", () => {
    assert.strictEqual(said("duration"), "0 of 0 extra trials passed: not slower compared with the other scenarios")
    assert.strictEqual(said("pass rate"), "0 of 0 extra trials passed: pass rate does not look worse")
  })

  it("counts the suspicious scenarios by their outcome", () => {
    assert.strictEqual(
      summary({ pays: "confirmed", books: "not confirmed", cancels: "undecided" }),
      "6 of at most 200 extra trials on 3 suspicious scenarios: 1 got worse (shop › pays), 1 didn't, 1 not decided"
    )
    assert.strictEqual(
      summary({ books: "not confirmed" }),
      "2 of at most 200 extra trials on 1 suspicious scenario: 1 didn't get worse"
    )
  })
})
