import { assert, describe, it } from "@effect/vitest"
import * as Advice from "../../src/cli/Advice.ts"
import type { RunOptions } from "../../src/cli/RunFlags.ts"
import * as Attention from "../../src/reporters/Attention.ts"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import type { JudgedRow } from "@webagent/report/NightJudgement"
import { green, night } from "../reporters/fixture.ts"

const options = { target: "simulated", seed: 1 } as RunOptions
const nextOf = (results: ReadonlyArray<ScenarioResult>) => {
  const report: RunReport = { ...night, results }
  return Advice.next(options, ({ name }) => `run ${name}`)(report)
}

describe("Advice", () => {
  it("suggests a replay of the worst finding, wherever in the run it was", () => {
    const [worst] = Attention.items(night)
    assert.isDefined(worst?.result)
    for (const results of [night.results, night.results.toReversed()]) {
      assert.strictEqual(nextOf(results), `run ${worst?.result?.name}`)
    }
  })

  it("suggests the scenario that added most when the whole night is worse, if one is known", () => {
    const judged = { figure: "cost", scenario: null, verdict: "regressed", evidence: "" } as JudgedRow
    const [first] = green.results
    const contributor = { suite: first?.suite ?? "", name: first?.name ?? "", now: "", before: "", change: 1, share: 1 }
    const nextOf = (row: JudgedRow) => {
      const judgement = { verdict: "regressed", nights: 9, passedOver: [], differences: [], rows: [row] } as const
      return Advice.next(options, ({ name }) => `run ${name}`)({ ...green, judgement })
    }
    assert.isUndefined(nextOf(judged))
    assert.strictEqual(nextOf({ ...judged, contributors: [contributor] }), `run ${first?.name}`)
    assert.include(Advice.next(options, () => "run")(green), "--target")
  })

  it("names the user's own suites for a real service, else a built-in one", () => {
    const nextOf = (suites: RunReport["header"]["suites"]) =>
      Advice.next(options, () => "run")({ ...green, header: { ...green.header, suites } })
    assert.include(nextOf([{ name: "v4-runs", scenarios: 1 }]), "run --target https://your.service --suite v4-runs ")
    assert.include(
      nextOf([{ name: "shop", scenarios: 1, argument: "my shop.suite.ts" }]),
      'run --target https://your.service "my shop.suite.ts" '
    )
  })

  it("does not suggest a replay of a scenario in quarantine", () => {
    const known = night.results.filter(Attention.isQuarantined)
    assert.lengthOf(known, 1)
    assert.include(nextOf(known), "--target https://your.service")
  })
})
