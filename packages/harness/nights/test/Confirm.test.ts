import { assert, describe, it } from "@effect/vitest"
import { ofDurations, ofShown, type State } from "../src/Confirm.ts"
import { judge, nextOf, suspects } from "../src/Judge.ts"
import type { NightScenario } from "../src/Night.ts"
import type { Past } from "../src/Past.ts"
import { drawing } from "@webagent/statistics/Drawing"
import { deviation, mean } from "@webagent/statistics/Quantile"
import { middleMean } from "@webagent/statistics/Robust"
import * as StudentT from "@webagent/statistics/StudentT"
import { night, scenario, took } from "./nights.ts"
import { normal, of, rate, rowOf, severityOf, steady, timed, tonight } from "./judged.ts"

describe("extra trials", () => {
  const nights = steady(30)
  const confirm = (passed: number, scored: number) => ({ confirm: { figure: "pass rate", passed, scored } as const })

  it("are requested only for failed scenarios", () => {
    assert.deepStrictEqual(
      suspects(of(nights), tonight(30, 3)).map(({ figure, name }) => [figure, name]),
      [["pass rate", "often"]]
    )
    assert.deepStrictEqual(suspects(of(nights), tonight(30, 5)), [])
  })

  it("confirm a regression in the same night that its planned trials don't show", () => {
    assert.strictEqual(rowOf(judge(of(nights), tonight(30, 3)), "pass rate", "often").verdict, "no evidence")
    const row = rowOf(judge(of(nights), tonight(30, 3, confirm(3, 12))), "pass rate", "often")
    assert.strictEqual(row.verdict, "regressed")
    assert.deepStrictEqual(row.confirm, { passed: 3, scored: 12, outcome: "confirmed" })
  })

  it("clear a scenario that failed by chance if they pass", () => {
    const row = rowOf(judge(of(nights), tonight(30, 1, confirm(30, 30))), "pass rate", "often")
    assert.deepStrictEqual([row.verdict, severityOf(row)], ["no evidence", "warning"])
  })

  it("clear a scenario that was slow by chance, and count in the test of its failures as well", () => {
    const nights = Array.from({ length: 30 }, (_, day) => timed(day, 1))
    const slow = (change: Partial<NightScenario>) => {
      const { scenarios } = timed(30, 1)
      return night(
        30,
        scenarios.map((its) => (its.name === "s0" ? { ...its, ...took(1500), ...change } : its))
      )
    }
    const rows = (change: Partial<NightScenario>) =>
      (["duration", "pass rate"] as const).map((figure) => rowOf(judge(of(nights), slow(change)), figure, "s0").verdict)
    const told = (passed: number, scored: number, time_ms: number) =>
      ({ confirm: { figure: "duration", passed, scored, middle_log: Math.log(time_ms) } }) as const
    assert.deepStrictEqual(rows({}), ["regressed", "no evidence"])
    assert.deepStrictEqual(rows(told(60, 60, 1000)), ["no evidence", "no evidence"])
    const failing = { passed: 4, failed: 1, verdict: "flaky" } as const
    assert.deepStrictEqual(rows({ ...failing, ...told(10, 30, 1000) })[1], "regressed")
    assert.lengthOf(suspects(of(nights), slow(failing)), 1)
  })

  it("must agree with a duration regression over several nights, which takes precedence over others", () => {
    const slowSince = (day: number) => {
      const { scenarios } = timed(day, 1)
      return night(
        day,
        scenarios.map((its) => (its.name === "s0" && day > 27 ? { ...its, ...took(1500) } : its))
      )
    }
    const nights = Array.from({ length: 30 }, (_, day) => slowSince(day))
    const failing = scenario("often", 4)
    const tonight = (change: Partial<NightScenario> = {}) => {
      const { scenarios, ...rest } = slowSince(30)
      return { ...rest, scenarios: scenarios.map((its) => (its.name === "s0" ? { ...its, ...change } : its)) }
    }
    const rowAfter = (passed: number, time_ms: number) =>
      rowOf(
        judge(
          of(nights),
          tonight({ confirm: { figure: "duration", passed, scored: passed, middle_log: Math.log(time_ms) } })
        ),
        "duration",
        "s0"
      )
    assert.strictEqual(rowOf(judge(of(nights), tonight()), "duration", "s0").verdict, "regressed")
    const verdicts = [
      [20, 1000],
      [20, 1200],
      [20, 1300],
      [19, 1000]
    ].map(([passed = 0, time_ms = 0]) => rowAfter(passed, time_ms))
    assert.deepStrictEqual(
      verdicts.map(({ confirm, verdict }) => [verdict, confirm?.outcome]),
      [
        ["no evidence", undefined],
        ["no evidence", undefined],
        ["regressed", "confirmed"],
        // too few to decide
        ["regressed", undefined]
      ]
    )
    const [first] = suspects(of(nights.map((one) => ({ ...one, scenarios: [...one.scenarios, scenario("often")] }))), {
      ...tonight(),
      scenarios: [...tonight().scenarios, failing]
    })
    assert.deepStrictEqual([first?.name, first?.figure], ["s0", "duration"])
  })

  it("stop after twenty for such a duration, and decide for the longer or the usual one", () => {
    const at = (trials: number, own: number, shift = 0.4) =>
      ofShown({ usual: 1, shift, tolerated: 0.05 }, trials, 1 + own)
    assert.deepStrictEqual([at(19, 0.4), at(20, 0.2001), at(20, 0.1999)], ["more", "confirmed", "not confirmed"])
    assert.deepStrictEqual([at(20, 0.0501, 0.06), at(20, 0.0499, 0.06)], ["confirmed", "not confirmed"])
  })

  it("count as passed while they are running", () => {
    const [suspect] = suspects(of(nights), tonight(30, 3))
    const trials = { passed: 1, scored: 3 }
    assert.deepStrictEqual(suspect?.weigh(trials, 2), suspect?.weigh({ passed: 3, scored: 5 }))
    assert.isBelow(suspect?.weigh(trials, 1).evidence ?? 0, suspect?.weigh(trials).evidence ?? 0)
  })

  it("don't enter the baseline", () => {
    const with20 = nights.map((one) => ({
      ...one,
      scenarios: one.scenarios.map((its) => (its.name === "often" ? { ...its, ...confirm(20, 20) } : its))
    }))
    assert.deepStrictEqual(rowOf(judge(of(with20), tonight(30, 4)), "pass rate", "often").before, rate(142, 150))
  })

  it("of durations keep the error rate whenever they stop, and confirm an increase by half", () => {
    const next = drawing(6)
    const runs = 2000
    const known = { usual: 0, deviation: 0.4, shared: 0.002, freedom: 1000, tolerated: Math.log(1.1) }
    const variance = 0.03
    const run = (shift: number, level: number) => {
      let [confirmed, trials] = [0, 0]
      for (let run = 0; run < runs; run++) {
        const usual = Math.sqrt(known.shared) * normal(next)
        const planned = { shift: shift + usual + Math.sqrt(variance) * normal(next), variance }
        const logs: Array<number> = []
        let state: State = "more"
        while (state === "more") {
          logs.push(shift + usual + known.deviation * normal(next))
          state = ofDurations({ ...known, planned, level }, logs.length, middleMean(logs))
        }
        trials += logs.length
        if (state === "confirmed") confirmed++
      }
      return { confirmed: confirmed / runs, trials: trials / runs }
    }
    assert.isAtMost(run(0, 0.01).confirmed, 0.01)
    // the planned median was that of outliers
    const wild = { ...known, level: 0.0001, planned: { shift: 1, variance } }
    assert.strictEqual(ofDurations(wild, 40, 0.1), "not confirmed")
    assert.strictEqual(ofDurations(wild, 40, 0.6), "confirmed")
    const strict = 0.0001
    assert.isBelow(run(0, strict).trials, 20)
    assert.isAbove(run(Math.log(1.5), strict).confirmed, 0.9)
    // not much less than one look at all trials would confirm, which is 0.8
    const variance100 = known.shared + 1 / (1 / variance + 100 / (1.2 * known.deviation ** 2))
    assert.isAbove(run((StudentT.quantile(1 - strict, 1000) + 0.84) * Math.sqrt(variance100), strict).confirmed, 0.6)
  })

  it("of durations stop at exact shifts", () => {
    const known = { usual: 0, deviation: 0.4, shared: 0.002, freedom: 1000, tolerated: Math.log(1.1), level: 0.01 }
    const varianceOf = (count: number) => 0.002 + 1 / (1 / 0.03 + count / (1.2 * 0.4 ** 2))
    const critical = StudentT.quantile(1 - 0.01 / 2, 1000)
    const at = (trials: number, shift: number) =>
      ofDurations({ ...known, planned: { shift, variance: 0.03 } }, trials, shift)
    const last = Math.sqrt(varianceOf(100))
    const shown = (critical * varianceOf(40)) / last
    assert.deepStrictEqual([at(40, shown - 0.0001), at(40, shown + 0.0001)], ["more", "confirmed"])
    const hopeless = critical * last - 1.3 * Math.sqrt(varianceOf(5) - 0.002)
    assert.deepStrictEqual([at(5, hopeless - 0.0001), at(5, hopeless + 0.0001)], ["not confirmed", "more"])
    assert.deepStrictEqual([at(9, 2), at(10, 2), at(2, -2), at(3, -2)], ["more", "confirmed", "more", "not confirmed"])
  })

  it("clear what the planned trials showed if they look usual by themselves", () => {
    const test = { usual: 0, deviation: 0.4, shared: 0.002, freedom: 1000, tolerated: 0.1, level: 0.5 }
    const at = (trials: number, own: number) =>
      ofDurations({ ...test, planned: { shift: 1, variance: 0.03 } }, trials, own)
    assert.deepStrictEqual([at(9, 0.1), at(10, 0.1), at(10, 0.1001)], ["more", "not confirmed", "confirmed"])
  })

  it("are requested for the least likely scenario first, and not for one that failed as usual", () => {
    const nights = steady(30, (day) => [scenario("flaky", day % 4 === 0 ? 5 : 3)])
    const namesOf = (flaky: number) =>
      suspects(of(nights), night(30, [scenario("often", 3), scenario("flaky", flaky), scenario("always", 1)])).map(
        ({ name }) => name
      )
    assert.deepStrictEqual(namesOf(4), ["always", "often"])
    assert.deepStrictEqual(namesOf(1), ["always", "often", "flaky"])
  })

  it("go first to a scenario without a passed trial, until one of them passes", () => {
    const steady = Array.from({ length: 98 }, (_, index) => scenario(`s${index}`, 5))
    const nightOf = (day: number, seldom: number, last: number) =>
      night(day, [scenario("seldom", seldom), ...steady, scenario("last", last)])
    const before = Array.from({ length: 30 }, (_, day) => nightOf(day, 1, 5))
    const [first, second] = suspects(of(before), nightOf(30, 0, 3))
    assert.deepStrictEqual([first?.name, second?.name], ["seldom", "last"])
    // its failures are less news than those of the other one
    const one = { passed: 1, scored: 1 }
    assert.isBelow(first?.weigh(one).evidence ?? 1, second?.weigh(one).evidence ?? 0)
    const states = [
      [0, 1],
      [0, 3],
      [1, 6]
    ].map(([passed = 0, scored = 0]) => first?.weigh({ passed, scored }).state)
    assert.deepStrictEqual(states, ["more", "more", "not confirmed"])
  })

  it("go to a scenario that failed before one that looks slower", () => {
    const nightOf = (day: number, failed: number, slow: Partial<NightScenario> = {}) =>
      night(day, [
        scenario("seldom", 5 - failed),
        ...timed(day, 1).scenarios.map((its, index) => ({
          ...its,
          // nights that differ by about 7 %
          ...took(1000 * Math.exp(0.1 * Math.sin((day + 1) * (index + 1) * 2.4))),
          ...(its.name === "s0" ? slow : {})
        }))
      ])
    const before = Array.from({ length: 30 }, (_, day) => nightOf(day, day % 6 === 0 ? 1 : 0))
    const [first, second] = suspects(of(before), nightOf(30, 1, took(1300)))
    assert.deepStrictEqual(
      [first, second].map((one) => [one?.name, one?.figure]),
      [
        ["seldom", "pass rate"],
        ["s0", "duration"]
      ]
    )
  })

  it("are few for a scenario that fails as often as before, because the evidence doesn't grow", () => {
    const before = steady(30, (day) => [scenario("seldom", day % 3 === 0 ? 4 : 5)])
    const [suspect, ...others] = suspects(of(before), night(30, [scenario("always"), scenario("seldom", 3)]))
    assert.deepStrictEqual([suspect?.name, others], ["seldom", []])
    const stateAfter = (share: number, scored: number) => {
      for (let count = 1; count <= scored; count++) {
        const passed = count - Math.floor(share * count)
        const state = suspect?.weigh({ passed, scored: count }).state
        if (state !== "more") return [state, count]
      }
      return ["more", scored]
    }
    const [usual, manyOfUsual] = stateAfter(0.07, 200)
    const [half, manyOfHalf] = stateAfter(0.5, 200)
    const [third, manyOfThird] = stateAfter(0.3, 200)
    assert.deepStrictEqual([usual, half, third], ["not confirmed", "confirmed", "confirmed"])
    assert.isBelow(Number(manyOfUsual), 25)
    assert.isBelow(Number(manyOfHalf), 25)
    // a bad night for the evidence isn't given up at forty
    assert.isAbove(Number(manyOfThird), 40)
  })

  it("go to the undecided suspect with the most evidence", () => {
    const weighed = (evidence: number, state: State) => ({ weighed: { evidence, state, failing: undefined } })
    const all = [weighed(9, "confirmed"), weighed(2, "more"), weighed(3, "more"), weighed(5, "not confirmed")]
    assert.strictEqual(nextOf(all, 0), all[2])
    assert.isUndefined(nextOf([weighed(9, "confirmed")], 0))
    assert.isUndefined(nextOf([weighed(-1, "more")], 0))
    // each trial that passes lowers the evidence, and each that fails raises it
    const [suspect] = suspects(of(nights), tonight(30, 3))
    const after = (passed: number, scored: number) => suspect?.weigh({ passed, scored }).evidence ?? 0
    assert.isTrue(after(1, 1) < after(0, 0) && after(0, 0) < after(0, 1))
  })

  it("cause no warning if they pass but were too few to decide", () => {
    const others = Array.from({ length: 40 }, (_, index) => scenario(`s${index}`))
    const nights = steady(30, () => others)
    const severityAfter = (confirmed: object) => {
      const failing = night(30, [scenario("always"), scenario("often", 2, confirmed), ...others])
      return severityOf(rowOf(judge(of(nights), failing), "pass rate", "often"))
    }
    assert.deepStrictEqual([severityAfter({}), severityAfter(confirm(3, 3))], ["warning", "none"])
  })

  it("show nothing about durations if they mostly fail", () => {
    const slow = timed(30, 1).scenarios.map((its) => (its.name === "s0" ? { ...its, ...took(1500) } : its))
    const nights = Array.from({ length: 30 }, (_, day) => timed(day, 1))
    const [suspect, ...others] = suspects(of(nights), night(30, slow))
    assert.deepStrictEqual([suspect?.name, suspect?.figure, others], ["s0", "duration", []])
    const isNext = (passed: number, scored: number) =>
      suspect !== undefined && nextOf([{ weighed: suspect.weigh({ passed, scored }) }], 0) !== undefined
    assert.deepStrictEqual([isNext(0, 5), isNext(0, 6), isNext(1, 7), isNext(1, 8)], [true, false, true, false])
    assert.strictEqual(suspect?.said({ passed: 1, scored: 8, middle_log: Math.log(1000) }, "duration"), "more")
  })

  describe("of scenarios that were slower for several nights", () => {
    const isSlow = ({ name }: NightScenario) => Number(name.slice(1)) < 10
    const scenariosOf = (day: number) =>
      Array.from({ length: 40 }, (_, index) =>
        scenario(
          `s${index}`,
          5,
          took(1000 * (index < 10 && day > 27 ? 1.5 : 1) * (1 + 0.02 * Math.sin(5 * day + 11 * index)))
        )
      )
    const nights = Array.from({ length: 30 }, (_, day) => night(day, [...scenariosOf(day), scenario("often")]))
    const tonight = (passed: number, change: Partial<NightScenario> = {}) =>
      night(30, [
        ...scenariosOf(30).map((its) => (its.name === "s0" ? { ...its, ...change } : its)),
        scenario("often", passed)
      ])

    /** The extra trials that each suspect gets: slow ones stay slow, and every other one of "often" fails. */
    const given = (of: Past, limit: number) => {
      const all = suspects(of, tonight(4)).map((suspect) => ({
        suspect,
        trials: { passed: 0, scored: 0, middle_log: Math.log(1500) },
        weighed: suspect.weigh({ passed: 0, scored: 0 })
      }))
      for (let started = 0; started < limit; started++) {
        const next = nextOf(all, started)
        if (next === undefined) break
        const { passed, scored } = next.trials
        const isPassed = next.suspect.figure === "duration" || scored % 2 === 0
        next.trials = { ...next.trials, passed: passed + Number(isPassed), scored: scored + 1 }
        next.weighed = next.suspect.weigh(next.trials)
      }
      return new Map(
        all.map(({ suspect, trials, weighed }) => [suspect.name, { scored: trials.scored, state: weighed.state }])
      )
    }

    it("leave half of the trials to failed scenarios", () => {
      const all = given(of(nights), 60)
      assert.lengthOf([...all.keys()], 11)
      assert.strictEqual(all.get("often")?.state, "confirmed")
      assert.isAbove(all.get("s0")?.scored ?? 0, 0)
    })

    it("aren't run again after they agreed and the scenario was reported", () => {
      const agreed = { confirm: { figure: "duration", passed: 20, scored: 20, middle_log: Math.log(1500) } } as const
      const known = (confirmed: object, reported: ReadonlyArray<number>) =>
        of(
          nights.map((one, day) => ({
            ...one,
            scenarios: one.scenarios.map((its) => (day === 28 && isSlow(its) ? { ...its, ...confirmed } : its)),
            ...(reported.includes(day)
              ? {
                  regressed: one.scenarios
                    .filter(isSlow)
                    .map(
                      ({ name, suite }) =>
                        ({ figure: "duration", scenario: { suite, name }, since: one.startedAt }) as const
                    )
                }
              : {})
          }))
        )
      const names = (past: Past) => suspects(past, tonight(3)).map(({ name }) => name)
      assert.deepStrictEqual(names(known(agreed, [28, 29])), ["often"])
      assert.strictEqual(rowOf(judge(known(agreed, [28, 29]), tonight(3)), "duration", "s0").verdict, "regressed")
      // without trials that agreed, or after a night without a report, they are tested
      assert.lengthOf(names(known({}, [28, 29])), 11)
      assert.lengthOf(names(known(agreed, [28])), 11)
      assert.lengthOf(names(known({ confirm: { ...agreed.confirm, passed: 19, scored: 19 } }, [28, 29])), 11)
    })

    it("don't clear scenarios by trials that mostly fail", () => {
      const verdictAfter = (passed: number, scored: number) =>
        rowOf(
          judge(
            of(nights),
            tonight(5, { confirm: { figure: "duration", passed, scored, middle_log: Math.log(1500) } })
          ),
          "duration",
          "s0"
        ).verdict
      assert.deepStrictEqual([verdictAfter(2, 20), verdictAfter(20, 20)], ["regressed", "regressed"])
    })
  })

  describe("of simulated nights", () => {
    const runs = 12
    const count = 30
    /** In how many runs the extra trials of the first scenario say that it is slower by this factor. */
    const confirmed = (factor: number, spread: number, here: number, ofAll = 1) => {
      const next = drawing(8)
      let found = 0
      for (let run = 0; run < runs; run++) {
        const nightOf = (day: number) => {
          const ofNight = 0.03 * normal(next) + (day === 60 ? Math.log(ofAll) : 0)
          const scenarios = Array.from({ length: count }, (_, index) => {
            const its = index === 0 ? spread : 0.1 + (0.4 * index) / count
            const shift = ofNight + (index === 0 && day === 60 ? Math.log(factor) : 0)
            const logs = Array.from({ length: 5 }, () => shift + its * normal(next)).toSorted(
              (one, other) => one - other
            )
            const durations = {
              count: 5,
              mean_log: mean(logs),
              deviation_log: deviation(logs),
              median_ms: 1000 * Math.exp(logs[2] ?? 0)
            }
            return { shift, scenario: scenario(`s${index}`, 5, { durations }) }
          })
          const machine = { cpu: day < 60 - here ? "former" : "new", cores: 2, platform: "linux-x64", node: "24" }
          const made = night(
            day,
            scenarios.map((one) => one.scenario)
          )
          return {
            shift: scenarios[0]?.shift ?? 0,
            night: { ...made, fingerprint: { ...made.fingerprint, machine } }
          }
        }
        const nights = Array.from({ length: 60 }, (_, day) => nightOf(day).night)
        const tonight = nightOf(60)
        const suspect = suspects(of(nights), tonight.night).find(({ name }) => name === "s0")
        const logs: Array<number> = []
        const so = () => ({ passed: logs.length, scored: logs.length, middle_log: middleMean(logs) })
        do logs.push(Math.log(1000) + tonight.shift + spread * normal(next))
        while (suspect?.weigh(so()).state === "more")
        if (suspect?.weigh(so()).state === "confirmed") found++
      }
      return found
    }

    it("find a steady scenario that takes 15 % longer", () => {
      assert.isAtLeast(confirmed(1.15, 0.055, 60), 8)
      assert.strictEqual(confirmed(1, 0.055, 60), 0)
    })

    it("do not blame a scenario for a night in which all take 40 % longer", () => {
      assert.strictEqual(confirmed(1, 0.4, 60, 1.4), 0)
      assert.isAtLeast(confirmed(1.6, 0.4, 60, 1.4), 10)
    })

    it("use a scenario's former machine as well while the new one has few nights", () => {
      assert.isAtLeast(confirmed(1.6, 0.4, 8), 10)
      assert.strictEqual(confirmed(1, 0.4, 8), 0)
    })
  })
})
