import { assert, describe, it } from "@effect/vitest"
import { scenario } from "@webagent/scenario"
import * as Forecast from "../../src/run/Forecast.ts"
import { sourceOf } from "../../src/run/Plan.ts"

interface Told {
  readonly seconds?: number
  readonly worst?: string | undefined
  readonly trials?: number
  readonly lacking?: string
}

const candidate = (name: string, { lacking, seconds, trials = 1, ...told }: Told = {}): Forecast.Candidate => {
  const planned = { suite: "suite", scenario: scenario(name, { needs: ["money"] }, function* () {}) }
  const learned =
    seconds === undefined
      ? undefined
      : {
          suite: "suite",
          name,
          nights: 9,
          passRate: 1,
          duration_p75_ms: seconds * 1000,
          cost_usd: "0",
          requests: 10,
          lastVerdicts: [],
          lastRun: "2026-11-20T00:00:00Z",
          source: sourceOf(planned.scenario)
        }
  return {
    planned,
    learned,
    worst_usd: "worst" in told ? told.worst : "0.5",
    open: trials,
    lacking: lacking === undefined ? undefined : { _tag: "Unserved", why: lacking },
    timeout_ms: 30_000,
    confirm_usd: "0.1"
  }
}

const reasons = ({ rows }: Forecast.Forecast) =>
  rows.map(({ candidate: { planned }, skip }) => [planned.scenario.name, skip?.why, skip?.certain])

describe("Forecast", () => {
  it("estimates the time of parallel trials, each started as early as possible", () => {
    const told = [candidate("a", { seconds: 4, trials: 2 }), candidate("b", { seconds: 2, trials: 3 })]
    assert.strictEqual(Forecast.make(told, {}, 1).expected_ms, 14_000)
    assert.strictEqual(Forecast.make(told, {}, 2).expected_ms, 8000)
    assert.strictEqual(Forecast.make(told, {}, 100).expected_ms, 4000)
  })

  it("assumes the limit of each trial for a scenario without history, within the time limits", () => {
    const told = [candidate("a", { trials: 3 }), candidate("b", { trials: 2 }), candidate("c", { lacking: "money" })]
    assert.strictEqual(Forecast.make(told, {}, 2).longest_ms, 90_000)
    assert.strictEqual(Forecast.make(told, { scenarioTime_ms: 10_000 }, 2).longest_ms, 30_000)
    assert.strictEqual(Forecast.make(told, { time_ms: 80_000 }, 2).longest_ms, 80_000)
    assert.strictEqual(Forecast.make([], {}, 2).longest_ms, 0)
  })

  it("assumes the median of the others for a new scenario, and nothing if all are new", () => {
    const some = Forecast.make([candidate("a", { seconds: 4 }), candidate("b")], {}, 1)
    assert.deepStrictEqual([some.expected_ms, some.unknown], [8000, 1])
    const none = Forecast.make([candidate("a")], {}, 1)
    assert.deepStrictEqual([none.expected_ms, none.unknown], [undefined, 1])
  })

  it("excludes a scenario whose trial exceeds its time limit, and possibly some trials of others", () => {
    const told = [
      candidate("a", { seconds: 5 }),
      candidate("b", { seconds: 2, trials: 6 }),
      candidate("c", { seconds: 2, trials: 4 })
    ]
    const reached = { _tag: "ScenarioTimeLimit", limit_ms: 5000 } as const
    assert.deepStrictEqual(reasons(Forecast.make(told, { scenarioTime_ms: 5000 }, 2)), [
      ["a", reached, true],
      ["b", reached, false],
      ["c", undefined, undefined]
    ])
  })

  it("sums up all budgets for the worst case, and counts scenarios without one separately", () => {
    const told = [
      candidate("a", { worst: "0.1" }),
      candidate("b", { worst: "0.2" }),
      candidate("c", { worst: undefined })
    ]
    const { unbounded, worst_usd } = Forecast.make(told, {}, 1)
    assert.deepStrictEqual([worst_usd, unbounded], ["0.3", 1])
  })

  it("lists scenarios that a money limit excludes, certainly or possibly", () => {
    const told = [
      candidate("open", { worst: undefined }),
      candidate("dear", { worst: "2" }),
      candidate("a", { worst: "0.7" }),
      candidate("b", { worst: "0.7" }),
      candidate("c", { worst: "0.3" }),
      candidate("needy", { lacking: "no control API" })
    ]
    const forecast = Forecast.make(told, { cost_usd: "1" }, 1)
    assert.deepStrictEqual(reasons(forecast), [
      ["open", { _tag: "NoBudget" }, true],
      ["dear", { _tag: "OverCostLimit", worst_usd: "2", limit_usd: "1" }, true],
      ["a", undefined, undefined],
      ["b", { _tag: "CostLimit", limit_usd: "1" }, false],
      ["c", undefined, undefined],
      ["needy", { _tag: "Unserved", why: "no control API" }, true]
    ])
    assert.deepStrictEqual([forecast.trials, forecast.worst_usd, forecast.short], [3, "1.7", true])
  })

  it("lists scenarios that limits of time and requests exclude", () => {
    const told = [candidate("a", { seconds: 4 }), candidate("b", { seconds: 4 })]
    const short = Forecast.make(told, { time_ms: 6000 }, 1)
    assert.strictEqual(short.expected_ms, 6000)
    assert.deepStrictEqual(reasons(short), [
      ["a", undefined, undefined],
      ["b", { _tag: "TimeLimit", limit_ms: 6000 }, false]
    ])
    assert.deepStrictEqual(reasons(Forecast.make(told, { requests: 10 }, 1)), [
      ["a", undefined, undefined],
      ["b", { _tag: "RequestLimit", limit: 10 }, false]
    ])
  })

  it("limits the cost of extra trials by their number, and by those of each paid scenario", () => {
    const told = ["a", "b"].map((name) => candidate(name))
    assert.strictEqual(Forecast.make(told, {}, 2).confirm_usd, "0")
    assert.strictEqual(Forecast.make(told, { confirm: 100, paidConfirm: 3 }, 2).confirm_usd, "0.6")
    assert.strictEqual(Forecast.make(told, { confirm: 5, paidConfirm: 3 }, 2).confirm_usd, "0.5")
  })
})
