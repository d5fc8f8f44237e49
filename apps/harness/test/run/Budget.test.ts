import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as Budget from "../../src/run/Budget.ts"
import * as Money from "@webagent/cli/Money"
import { scenarioKey } from "../../src/run/RunnerOptions.ts"
import type { Skip } from "@webagent/report/Skip"
import type { RunReport } from "@webagent/report/RunReport"
import { TrialLog } from "../../src/observe/TrialLog.ts"
import { drawing } from "@webagent/statistics/Drawing"
import { run, type StageOptions, suiteOf } from "./stage.ts"

type Told = Parameters<typeof suiteOf>[1]

/** Runs a suite in virtual time. */
const inTime = (told: Told, options: StageOptions) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(run([suiteOf("suite", told)], options))
    yield* TestClock.adjust("10 hours")
    return (yield* Fiber.join(fiber)).report
  })

let runs = 0
const costs = (usd: string) => Effect.map(TrialLog, (log) => log.costs.set(`run-${runs++}`, usd))

const reasons = ({ results }: RunReport) => results.map(({ skip, verdict }) => skip ?? verdict)

const priced = (name: string, usd: string, budget: `${number} USD`, after = "1 second"): Told[number] => [
  name,
  Effect.andThen(Effect.sleep(after as "1 second"), costs(usd)),
  { needs: ["money"], budget }
]

const limit = { cost_usd: "1.00" }

describe("a limit of money", () => {
  it.effect("subtracts the charge of interrupted trials from the remaining amount", () =>
    Effect.gen(function* () {
      const at = { at: "2026-11-21T10:00:00.000Z", kept: 0, after_ms: 0 }
      const verdicts = (most_usd: string) =>
        Effect.map(
          inTime([priced("a", "0.3", "0.30 USD"), priced("b", "0.3", "0.50 USD")], {
            limits: { cost_usd: "0.80" },
            concurrency: 1,
            resumed: [{ ...at, cut: { trials: 1, most_usd } }]
          }),
          reasons
        )
      const reached = { _tag: "CostLimit", limit_usd: "0.80" } as const
      assert.deepStrictEqual(yield* verdicts("0"), ["passed", "passed"])
      assert.deepStrictEqual(yield* verdicts("0.20"), ["passed", reached])
      assert.deepStrictEqual(yield* verdicts("0.60"), [reached, reached])
    })
  )

  it.effect("does not start a trial that no longer fits the limit, and reports it", () =>
    Effect.gen(function* () {
      const report = yield* inTime(
        [priced("a", "0.5", "0.60 USD"), priced("b", "0.4", "0.40 USD"), priced("c", "0.01", "0.20 USD")],
        { limits: limit, concurrency: 1 }
      )
      assert.deepStrictEqual(reasons(report), ["passed", "passed", { _tag: "CostLimit", limit_usd: "1.00" }])
      assert.strictEqual(report.cost_usd, "0.9")
    })
  )

  it.effect("delays a trial until running ones have cost less than their budgets", () =>
    Effect.gen(function* () {
      const report = yield* inTime(
        [priced("a", "0.1", "0.60 USD", "5 seconds"), priced("b", "0.1", "0.60 USD"), priced("c", "0.1", "0.60 USD")],
        { limits: limit, concurrency: 3 }
      )
      assert.deepStrictEqual(reasons(report), ["passed", "passed", "passed"])
      assert.deepStrictEqual(
        report.results.map(({ started_ms }) => started_ms),
        [0, 5000, 6000]
      )
    })
  )

  it.effect("does not start a trial without a budget, or with one above the limit", () =>
    Effect.gen(function* () {
      const report = yield* inTime(
        [["open", Effect.void, { needs: ["money"] }], priced("dear", "0.1", "1.01 USD"), ["free", Effect.void]],
        { limits: limit }
      )
      assert.deepStrictEqual(reasons(report), [
        { _tag: "NoBudget" },
        { _tag: "OverCostLimit", worst_usd: "1.01", limit_usd: "1.00" },
        "passed"
      ])
    })
  )

  it.effect("limits trials without a budget to a default one", () =>
    Effect.gen(function* () {
      const told: Told = [["open", costs("0.3"), { needs: ["money"], trials: 3 }]]
      const enough = yield* inTime(told, { limits: { ...limit, trialBudget_usd: "0.3" } })
      assert.deepStrictEqual(reasons(enough), ["passed"])
      const little = yield* inTime(told, { limits: { ...limit, trialBudget_usd: "0.2" }, concurrency: 1 })
      assert.deepStrictEqual(
        little.results[0]?.trials.map(({ skip, verdict }) => skip ?? verdict),
        ["passed", "passed", "passed"]
      )
      assert.deepStrictEqual(
        [little.results[0]?.verdict, little.results[0]?.failure?.expected, little.results[0]?.failure?.actual],
        ["failed", "at most 0.60 USD", "0.90 USD"]
      )
    })
  )

  it.effect("starts no more trials of a scenario that has spent its budget, which has failed", () =>
    Effect.gen(function* () {
      const report = yield* inTime([["spends", costs("0.5"), { budget: "0.80 USD", trials: 4 }]], { concurrency: 1 })
      const [result] = report.results
      assert.deepStrictEqual(
        result?.trials.map(({ skip, verdict }) => skip ?? verdict),
        ["passed", "passed", { _tag: "BudgetUsed", budget_usd: "0.8" }, { _tag: "BudgetUsed", budget_usd: "0.8" }]
      )
      assert.deepStrictEqual([result?.verdict, result?.failure?.kind], ["failed", "budget"])
    })
  )

  it.effect("scales a declared budget with the number of trials", () =>
    Effect.gen(function* () {
      const report = yield* inTime([["repeated", costs("0.1"), { budget: "0.30 USD", trials: 3 }]], { trials: 6 })
      assert.deepStrictEqual([report.results[0]?.verdict, report.cost_usd], ["passed", "0.6"])
    })
  )

  it.effect("reserves the highest possible cost while a cost is unknown", () =>
    Effect.gen(function* () {
      const made = Effect.map(TrialLog, (log) =>
        log.made.set("s-1", { kind: "session", sessionId: undefined, at_ms: 0 })
      )
      const report = yield* inTime(
        [
          ["made", made, { needs: ["money"], budget: "0.60 USD" }],
          priced("b", "0.4", "0.40 USD"),
          priced("c", "0.1", "0.10 USD")
        ],
        { limits: limit, concurrency: 1 }
      )
      assert.deepStrictEqual(reasons(report), ["passed", "passed", { _tag: "CostLimit", limit_usd: "1.00" }])
    })
  )

  it.effect("treats the cost of an unstopped run and of a lost create as unknown", () =>
    Effect.gen(function* () {
      const at = { at_ms: 0, key: "k" }
      const waysToMake: ReadonlyArray<(log: TrialLog) => void> = [
        (log) => {
          log.made.set("r-1", { kind: "run", sessionId: undefined, at_ms: 0 })
          log.costs.set("r-1", "0.01")
        },
        (log) => {
          log.ledger.add({ ...at, _tag: "opening", kind: "run", method: "", path: "", origin: "", requestId: "" })
          log.ledger.add({ ...at, _tag: "unknown", reason: "no answer" })
        }
      ]
      for (const make of waysToMake) {
        const report = yield* inTime(
          [
            ["made", Effect.map(TrialLog, make), { needs: ["money"], budget: "0.60 USD" }],
            priced("b", "0.5", "0.50 USD")
          ],
          { limits: limit, concurrency: 1 }
        )
        assert.deepStrictEqual(reasons(report), ["passed", { _tag: "CostLimit", limit_usd: "1.00" }])
      }
    })
  )

  it.effect("does not rerun a trial that may have cost money, even after an infrastructure error", () =>
    Effect.gen(function* () {
      const away = Effect.fail({ _tag: "TooManyRequestsError" })
      for (const [isOver, reruns] of [
        [true, 2],
        [false, 0]
      ] as const) {
        let next = 0
        const made = Effect.map(TrialLog, (log) => {
          const id = `r-${next++}`
          log.made.set(id, { kind: "run", sessionId: undefined, at_ms: 0 })
          log.costs.set(id, "0.01")
          if (isOver) log.results.add(id)
        })
        const report = yield* inTime([["away", Effect.andThen(made, away), { needs: ["money"], budget: "0.60 USD" }]], {
          limits: { ...limit, reruns: 3 }
        })
        const [trial] = report.results[0]?.trials ?? []
        const why = isOver ? ({ _tag: "FailedAgain", reruns: 2 } as const) : ({ _tag: "CostUnknown" } as const)
        assert.deepStrictEqual([trial?.reruns.length, trial?.notRerun], [reruns, why])
      }
    })
  )

  it.effect("includes the cost of an earlier run", () =>
    Effect.gen(function* () {
      const told = [priced("a", "0.5", "0.60 USD"), priced("b", "0.5", "0.60 USD")]
      const before = yield* inTime(told.slice(0, 1), {})
      const [trial] = before.results[0]?.trials ?? []
      assert.isDefined(trial)
      const done = new Map([[JSON.stringify(["suite", "a", 0]), trial]])
      assert.deepStrictEqual(reasons(yield* inTime(told, { limits: limit, done })), [
        "passed",
        { _tag: "CostLimit", limit_usd: "1.00" }
      ])
    })
  )

  it.effect("exceeds the limit at most by the overspending of scenarios that run in parallel", () =>
    Effect.gen(function* () {
      const draw = drawing(7)
      const whole = (below: number) => Math.floor(draw() * below)
      const usd = (millionths: number) => Money.share(String(millionths), 1, 1_000_000)
      for (let world = 0; world < 150; world++) {
        const concurrency = 1 + whole(4)
        const honest = world % 2 === 0
        let most_over = 0
        const told = Array.from({ length: 1 + whole(12) }, (_, index): Told[number] => {
          const trials = 1 + whole(3)
          const budget = 1 + whole(400_000)
          const paid = Array.from({ length: trials }, () => whole(Math.floor((honest ? 1 : 2) * (budget / trials))))
          most_over = Math.max(most_over, paid.reduce((sum, cost) => sum + cost, 0) - budget)
          let next = 0
          const trial = Effect.suspend(() => {
            const cost = usd(paid[next++] ?? 0)
            return Effect.andThen(Effect.sleep(`${1 + whole(9)} seconds`), costs(cost))
          })
          return [`s${index}`, trial, { needs: ["money"], trials, budget: `${usd(budget) as "1"} USD` }]
        })
        const most = 100_000 + whole(900_000)
        const { cost_usd } = yield* inTime(told, { limits: { cost_usd: usd(most) }, concurrency })
        const bound = usd(most + concurrency * most_over)
        assert.isFalse(Money.isMore(cost_usd, bound), `world ${world}: ${cost_usd} of ${bound}`)
        if (honest) assert.isFalse(Money.isMore(cost_usd, usd(most)))
      }
    })
  )
})

const waits = (count: number, after: "1 second" | "10 seconds" = "10 seconds"): Told =>
  Array.from({ length: count }, (_, index) => [`s${index}`, Effect.sleep(after)])

describe("a limit of time", () => {
  it.effect("stops running trials when it ends, and starts no others", () =>
    Effect.gen(function* () {
      const report = yield* inTime(waits(3), { limits: { time_ms: 15_000 }, concurrency: 1 })
      assert.deepStrictEqual(reasons(report), [
        "passed",
        { _tag: "TimeLimit", limit_ms: 15000 },
        { _tag: "TimeLimit", limit_ms: 15000 }
      ])
      assert.deepStrictEqual(
        report.results.map(({ trials, verdict }) => [verdict, trials.length]),
        [
          ["passed", 1],
          ["skipped", 1],
          ["skipped", 0]
        ]
      )
      assert.strictEqual(report.duration_ms, 15_000)
      assert.isFalse(report.interrupted)
    })
  )

  it.effect("does not start a scenario that usually takes longer than the remaining time", () =>
    Effect.gen(function* () {
      const of = (name: string, duration_p75_ms: number) => ({
        suite: "suite",
        name,
        nights: 9,
        passRate: 1,
        duration_p75_ms,
        cost_usd: "0",
        requests: 1,
        lastVerdicts: [],
        lastRun: "2026-11-20T00:00:00Z",
        source: undefined
      })
      const learned = new Map([
        [scenarioKey("suite", "s0"), of("s0", 10_000)],
        [scenarioKey("suite", "s1"), of("s1", 20_000)],
        [scenarioKey("suite", "s2"), of("s2", 4_000)]
      ])
      const report = yield* inTime([...waits(2), ["s2", Effect.sleep("4 seconds")]], {
        limits: { time_ms: 15_000 },
        concurrency: 1,
        learned
      })
      assert.deepStrictEqual(reasons(report), ["passed", { _tag: "TimeLimit", limit_ms: 15000 }, "passed"])
    })
  )

  it.effect("can apply to all trials of one scenario", () =>
    Effect.gen(function* () {
      const told: Told = [
        ["long", Effect.sleep("10 seconds"), { trials: 3 }],
        ["short", Effect.sleep("1 second"), { trials: 3 }]
      ]
      const report = yield* inTime(told, { limits: { scenarioTime_ms: 15_000 }, concurrency: 1 })
      const cut = { _tag: "ScenarioTimeLimit", limit_ms: 15000 } as const
      assert.deepStrictEqual(
        report.results.map(({ trials }) => trials.map(({ skip, verdict }) => skip ?? verdict)),
        [
          ["passed", cut, cut],
          ["passed", "passed", "passed"]
        ]
      )
      assert.deepStrictEqual(
        report.results.map(({ verdict }) => verdict),
        ["passed", "passed"]
      )
    })
  )

  it.effect("allows no reruns after its end", () =>
    Effect.gen(function* () {
      const away = Effect.fail({ _tag: "TooManyRequestsError" })
      const report = yield* inTime([["away", away]], { limits: { time_ms: 400, reruns: 3 } })
      const skip = { _tag: "TimeLimit", limit_ms: 400 } as const
      assert.deepStrictEqual(report.results[0]?.trials[0]?.notRerun, { _tag: "Skipped", skip })
    })
  )
})

describe("a limit of requests", () => {
  it.effect("starts no trial once it is reached, counting the requests of running trials", () =>
    Effect.gen(function* () {
      const sends = (count: number) =>
        Effect.andThen(
          Effect.map(TrialLog, (log) => (log.requests += count)),
          Effect.sleep("1 second")
        )
      const report = yield* inTime(
        [
          ["a", sends(5)],
          ["b", sends(5)],
          ["c", sends(1)],
          ["d", sends(1)]
        ],
        { limits: { requests: 10 }, concurrency: 2 }
      )
      const reached = { _tag: "RequestLimit", limit: 10 } as const
      assert.deepStrictEqual(reasons(report), ["passed", "passed", reached, reached])
      assert.strictEqual(report.counts.requests, 10)
    })
  )

  it.effect("allows no reruns after its end", () =>
    Effect.gen(function* () {
      const sent = Effect.map(TrialLog, (log) => (log.requests += 5))
      const away = Effect.andThen(sent, Effect.fail({ _tag: "TooManyRequestsError" }))
      const report = yield* inTime([["away", away]], { limits: { requests: 10, reruns: 3 } })
      const skip = { _tag: "RequestLimit", limit: 10 } as const
      assert.strictEqual(report.counts.requests, 10)
      assert.deepStrictEqual(report.results[0]?.trials[0]?.notRerun, { _tag: "Skipped", skip })
    })
  )

  it.effect("explains why a scenario that waited for others didn't run", () =>
    Effect.gen(function* () {
      const budget = new Budget.Budget({ cost_usd: "1" })
      const [first, second] = [Budget.account("0.6"), Budget.account("0.6")]
      assert.isUndefined(yield* budget.enter(first))
      const told = yield* Deferred.make<Skip | undefined>()
      yield* Effect.forkChild(Effect.flatMap(budget.enter(second), (answer) => Deferred.succeed(told, answer)))
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* Deferred.isDone(told))
      budget.settle(first, { cost_usd: "0.6", requests: 0 })
      budget.leave(first)
      assert.deepStrictEqual(yield* Deferred.await(told), { _tag: "CostLimit", limit_usd: "1" })
    })
  )
})
