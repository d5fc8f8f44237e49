import { assert, describe, it } from "@effect/vitest"
import { judge } from "../src/Judge.ts"
import { judgeNight } from "../src/LastNight.ts"
import type { Night, NightScenario } from "../src/Night.ts"
import { night, scenario, took } from "./nights.ts"
import { of, recorded, rowOf, steady, timed, tonight } from "./judged.ts"

/** Nights that were judged and recorded one after the other, as the harness does. */
const recordedOf = (first: ReadonlyArray<Night>, next: ReadonlyArray<Night>) => {
  const nights = [...first]
  return next.map((one) => {
    const verdict = judgeNight(of(nights), one)
    nights.push(recorded(one, verdict.judgement))
    return verdict
  })
}

describe("nights that were judged wrong before", () => {
  const flakyNight = (day: number, flaky: number, change: Partial<NightScenario> = {}) =>
    night(
      day,
      Array.from({ length: 20 }, (_, index) => scenario(`s${index}`, index < flaky ? 3 : 5, change))
    )

  it("a perfect night is fine after two bad ones that a window pools with it", () => {
    const first = Array.from({ length: 30 }, (_, day) => flakyNight(day, 0))
    const worse = { ...took(3000), cost_usd: "0.15" }
    const failing = (day: number) =>
      night(
        day,
        Array.from({ length: 20 }, (_, index) => scenario(`s${index}`, index < 9 ? 1 : 5, worse))
      )
    const [, , perfect] = recordedOf(first, [failing(30), failing(31), flakyNight(32, 0)])
    assert.deepStrictEqual([perfect?.tier, perfect?.reasons], ["fine", []])
  })

  const wobble = (day: number, by = 0.02) => 1 + by * Math.sin(5 * day)
  const slowly = (day: number, factor: number, cost = 1) => timed(day, factor * wobble(day), cost)
  const uneven = (nights: number) => Array.from({ length: nights }, (_, day) => timed(day, wobble(day, 0.3)))

  it("one slow night does not hide the slow ones after it", () => {
    const longer = (day: number, factor: number, cost = 1) => timed(day, factor * wobble(day, 0.3), cost)
    const slow = [longer(5, 3, 2), longer(6, 4), longer(7, 4), longer(8, 5), longer(9, 6)]
    const verdicts = recordedOf(uneven(5), slow).map(({ judgement }) => rowOf(judgement, "duration", null).verdict)
    assert.deepStrictEqual(verdicts, ["regressed", "regressed", "regressed", "regressed", "regressed"])
    const [first] = recordedOf(uneven(5), slow.slice(0, 1))
    assert.strictEqual(first && rowOf(first.judgement, "cost", null).verdict, "regressed")
  })

  it("a night three times as long as seven uneven ones is red at once", () => {
    assert.strictEqual(judgeNight(of(uneven(7)), timed(7, 3 * wobble(7, 0.3))).tier, "red")
  })

  it("a night that regressed in its costs leaves the baseline of its durations", () => {
    const good = Array.from({ length: 8 }, (_, day) => slowly(day, 1))
    const bad = {
      ...slowly(8, 2),
      regressed: [{ figure: "cost", scenario: null, since: slowly(8, 2).startedAt }]
    } as const
    const row = rowOf(judge(of([...good, bad]), slowly(9, 2)), "duration", null)
    // the eight good nights
    assert.deepStrictEqual([row.verdict, row.nights], ["regressed", 8])
  })

  it("scenarios that were always flaky do not make a night red", () => {
    const nights = Array.from({ length: 12 }, (_, day) => flakyNight(day, 4))
    assert.deepStrictEqual(judgeNight(of(nights), flakyNight(12, 4)).reasons, [])
    const failing = Array.from({ length: 30 }, (_, day) => night(day, [scenario("weak", day % 3)]))
    assert.deepStrictEqual(judgeNight(of(failing), night(30, [scenario("weak", 0)])).reasons, [])
  })

  it("a new scenario that is as flaky as others is red in its first night only", () => {
    const nights = Array.from({ length: 12 }, (_, day) => flakyNight(day, 4))
    const withNew = (day: number, passed: number) => {
      const { scenarios } = flakyNight(day, 4)
      return night(day, [...scenarios, scenario("new", passed)])
    }
    assert.match(judgeNight(of(nights), withNew(12, 4)).reasons.join(), /1 scenario passed in some trials only: .*new/u)
    assert.deepStrictEqual(judgeNight(of([...nights, withNew(12, 4)]), withNew(13, 4)).reasons, [])
    assert.strictEqual(judgeNight(of([...nights, withNew(12, 5)]), withNew(13, 1)).tier, "red")
  })

  it("the duration of one trial among five that failed says nothing", () => {
    const nights = Array.from({ length: 30 }, (_, day) => timed(day, 1))
    const { scenarios } = timed(30, 1)
    const durations = { count: 1, mean_log: Math.log(3000), median_ms: 3000 }
    const few = { durations, passed: 1, failed: 4, verdict: "flaky" } as const
    const judgement = judge(
      of(nights),
      night(
        30,
        scenarios.map((its) => (its.name === "s0" ? { ...its, ...few } : its))
      )
    )
    assert.isUndefined(judgement.rows.find((row) => row.figure === "duration" && row.scenario?.name === "s0"))
  })

  it("an improvement that is lost again after ten nights is red in the first", () => {
    const nights = Array.from({ length: 40 }, (_, day) => timed(day, day < 30 ? 1 : 0.8))
    assert.strictEqual(rowOf(judge(of(nights), timed(40, 1)), "duration", null).verdict, "regressed")
  })

  it("five scenarios that fail by one cause are one finding", () => {
    const nights = Array.from({ length: 20 }, (_, day) => flakyNight(day, 0))
    const broken = night(
      20,
      Array.from({ length: 20 }, (_, index) => scenario(`s${index}`, index < 5 ? 0 : 5))
    )
    const found = judgeNight(of(nights), broken).reasons.filter((reason) =>
      reason.startsWith("pass rate of 5 scenarios")
    )
    assert.strictEqual(found.length, 1)
  })
})

describe("a verdict from a history alone", () => {
  const nights = steady(12)
  const reasonsOf = (change: Partial<NightScenario>, passed = 5) =>
    judgeNight(of(nights), tonight(12, passed, change)).reasons

  it("is red for a scenario beyond its own limits", () => {
    assert.deepStrictEqual(reasonsOf({ exceeded: [{ _tag: "MaxDuration", limit_ms: 500, actual_ms: 1000 }] }), [
      "1 scenario exceeded maxDuration or maxCost: shop › often"
    ])
  })

  it("is not red for a failure in quarantine, until it expires", () => {
    assert.isAbove(reasonsOf({}, 0).length, 0)
    assert.deepStrictEqual(reasonsOf({ quarantine: { expired: false } }, 0), [])
    assert.include(
      reasonsOf({ quarantine: { expired: true } }, 0),
      "1 scenario in quarantine past the expiry date: shop › often"
    )
  })
})
