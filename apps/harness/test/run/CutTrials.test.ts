import { assert, describe, it } from "@effect/vitest"
import { scenario, type ScenarioOptions } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import * as CutBound from "../../src/run/CutBound.ts"
import * as CutCost from "@webagent/report/CutCost"
import * as CutTrials from "@webagent/report/CutTrials"
import type { LearnedScenario } from "@webagent/nights/LearnedScenario"
import type { RunHeader } from "@webagent/report/RunReport"
import { run, suiteOf } from "./stage.ts"

const learned = (dearest_usd: string): LearnedScenario => ({
  suite: "shop",
  name: "pays",
  nights: 3,
  passRate: 1,
  duration_p75_ms: 1,
  cost_usd: "0.01",
  dearest_usd,
  requests: 1,
  lastVerdicts: [],
  lastRun: "2026-11-20T00:00:00Z",
  source: undefined
})

const most = (options: ScenarioOptions, change: Partial<CutBound.Bounds> = {}) =>
  CutBound.mostOf(
    { suite: "shop", scenario: scenario("pays", options, function* () {}) },
    { trials: null, trialBudget_usd: undefined, learned: undefined, ended: [], ...change }
  )

describe("what a trial that was cut may have cost", () => {
  it("is nothing where it cannot cost, and its part of the budget where it has one", () => {
    assert.strictEqual(most({}), "0")
    assert.strictEqual(most({ needs: ["money"], budget: "0.30 USD", trials: 3 }), "0.1")
    // a declared budget is for the declared trials, and holds in proportion
    assert.strictEqual(most({ needs: ["money"], budget: "0.30 USD", trials: 3 }, { trials: 6 }), "0.1")
    assert.strictEqual(most({ needs: ["money"] }, { trialBudget_usd: "0.25", trials: 4 }), "0.25")
  })

  it("is what the dearest night's trials or the dearest of this run cost, where that is more, or nothing is declared", () => {
    const paid = { needs: ["money"] } as const
    assert.isUndefined(most(paid))
    assert.strictEqual(most(paid, { learned: learned("0.04") }), "0.04")
    assert.strictEqual(
      most(paid, { learned: learned("0.04"), ended: [{ cost_usd: "0.05" }, { cost_usd: "0" }] }),
      "0.05"
    )
    assert.strictEqual(most({ ...paid, budget: "0.03 USD" }, { learned: learned("0.04") }), "0.04")
  })

  it("all together cost what is known at least, and nobody knows what at most where one has no bound", () => {
    assert.deepStrictEqual(CutBound.sum(["0.1", "0"], ["0.02"]), { trials: 2, known_usd: "0.02", most_usd: "0.1" })
    assert.deepStrictEqual(CutBound.sum(["0.1"], ["0.2"]), { trials: 1, known_usd: "0.2", most_usd: "0.2" })
    assert.strictEqual(CutBound.sum(["0.1", undefined], []).most_usd, null)
  })

  it("counts over all times that a run, and each of its shards, was killed", () => {
    const at = { at: "2026-11-21T10:00:00.000Z", kept: 0, after_ms: 0 }
    const cut = { trials: 1, known_usd: "0.01", most_usd: "0.1" }
    const header: RunHeader = {
      tool: { name: "webagent-harness", version: "0.1.0" },
      startedAt: at.at,
      seed: 1,
      concurrency: 1,
      trials: null,
      limits: {},
      target: { name: "a", address: "http://a.test", simulated: false, capabilities: [] },
      suites: []
    }
    assert.isUndefined(CutTrials.of({ header }))
    assert.isUndefined(
      CutTrials.of({ header: { ...header, resumed: [at, { ...at, cut: { ...cut, known_usd: "0", most_usd: "0" } }] } })
    )
    const twice = { ...header, resumed: [{ ...at, cut }, at, { ...at, cut }] }
    assert.deepStrictEqual(CutTrials.of({ header: twice }), { trials: 2, known_usd: "0.02", most_usd: "0.2" })
    assert.strictEqual(CutTrials.heldFor(twice), "0.2")
    const shard = { index: 1, of: 2, startedAt: at.at, duration_ms: 1, interrupted: false, resumed: [{ ...at, cut }] }
    assert.deepStrictEqual(
      CutTrials.of({ header, shards: [shard, { ...shard, index: 2 }] }),
      CutTrials.of({ header: twice })
    )
    const unbound = { ...header, resumed: [{ ...at, cut: { ...cut, most_usd: null } }] }
    assert.strictEqual(CutTrials.of({ header: unbound })?.most_usd, null)
    assert.strictEqual(CutTrials.heldFor(unbound), "0.01")
  })

  it("in words", () => {
    const words = (known_usd: string, most_usd: string | null, trials = 2) =>
      CutCost.text({ trials, known_usd, most_usd })
    assert.strictEqual(
      words("0.02", "0.5"),
      "2 trials that were cut cost nobody knows what: 0.02 USD at least, up to 0.50 USD"
    )
    assert.strictEqual(words("0", "0.5", 1), "1 trial that was cut cost nobody knows what: up to 0.50 USD")
    assert.strictEqual(words("0", null, 1), "1 trial that was cut cost nobody knows what: with no bound")
    assert.strictEqual(words("0.5", "0.5"), "2 trials that were cut cost 0.50 USD")
  })

  it.effect("counts against --max-cost: what it leaves is too little, and no more begins", () =>
    Effect.gen(function* () {
      const suite = suiteOf("shop", [
        ["pays", Effect.void, { needs: ["money"], budget: "0.30 USD" }],
        ["pays more", Effect.void, { needs: ["money"], budget: "0.50 USD" }]
      ])
      const verdicts = (cut: string) =>
        Effect.map(
          run([suite], {
            limits: { cost_usd: "0.60" },
            resumed: [
              {
                at: "2026-11-21T10:00:00.000Z",
                kept: 0,
                after_ms: 0,
                cut: { trials: 1, known_usd: "0", most_usd: cut }
              }
            ]
          }),
          ({ report }) => report.results.map(({ reason, verdict }) => reason ?? verdict)
        )
      assert.deepStrictEqual(yield* verdicts("0.10"), ["passed", "passed"])
      assert.deepStrictEqual(yield* verdicts("0.20"), ["passed", "--max-cost (0.60 USD) was reached"])
      assert.deepStrictEqual(yield* verdicts("0.40"), [
        "--max-cost (0.60 USD) was reached",
        "--max-cost (0.60 USD) was reached"
      ])
    })
  )
})
