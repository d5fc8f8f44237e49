import { assert, describe, it } from "@effect/vitest"
import { failureTest, ofDurations, ofFailures, type State } from "../src/Confirm.ts"
import { judge, suspects } from "../src/Judge.ts"
import { judgeNight } from "../src/LastNight.ts"
import type { Night, NightScenario } from "../src/Night.ts"
import { type Accepted, type Past } from "../src/Past.ts"
import type { Figure, JudgedRow, NightJudgement } from "@webagent/report/NightJudgement"
import { drawing } from "@webagent/statistics/Drawing"
import { middleMean } from "@webagent/statistics/Robust"
import { night, scenario, took } from "./nights.ts"

const of = (nights: ReadonlyArray<Night>, accepted: ReadonlyArray<Accepted> = []): Past => ({ nights, accepted })

const normal = (next: () => number) => Array.from({ length: 12 }, next).reduce((sum, one) => sum + one, -6)

const rowOf = ({ rows }: NightJudgement, figure: Figure, name: string | null): JudgedRow => {
  const row = rows.find((row) => row.figure === figure && (row.scenario?.name ?? null) === name)
  if (row === undefined) throw new Error(`no row ${figure} of ${name}`)
  return row
}

/** Nights of steady scenarios: now and then a trial fails, and times vary a little. */
const steady = (count: number, change: (day: number) => ReadonlyArray<NightScenario> = () => []) =>
  Array.from({ length: count }, (_, day) =>
    night(day, [
      scenario("always"),
      scenario("often", day % 4 === 0 ? 4 : 5, took(1000 * (1 + 0.03 * Math.sin(7 * day)))),
      ...change(day)
    ])
  )
const tonight = (day: number, often: number, change: Partial<NightScenario> = {}) =>
  night(day, [scenario("always"), scenario("often", often, change)])

/** What a history would keep of a night that was judged. */
const recorded = (of: Night, { rows }: NightJudgement): Night => ({
  ...of,
  regressed: rows
    .filter(({ verdict }) => verdict === "regressed")
    .map(({ figure, scenario, since }) => ({ figure, scenario, since }))
})

describe("the pass rate of a scenario", () => {
  it("is worse when it falls by more than chance, with its evidence in a sentence", () => {
    const judgement = judge(of(steady(30)), tonight(30, 0))
    const row = rowOf(judgement, "pass rate", "often")
    assert.strictEqual(row.verdict, "regressed")
    assert.match(row.evidence, /^0 of 5 trials passed tonight, 142 of 150 in the 30 nights before \(p < 0.001\)$/u)
    assert.strictEqual(judgement.verdict, "regressed")
    assert.strictEqual(rowOf(judgement, "pass rate", "always").verdict, "no evidence")
  })

  it("is not excused by how much the rates of scenarios that often fail differ from night to night", () => {
    const next = drawing(8)
    const flaky = () => Math.round(5 * Math.max(0, Math.min(1, 0.6 + 0.25 * normal(next))))
    const all = (day: number, never: number) =>
      night(day, [
        scenario("never fails", never),
        ...Array.from({ length: 12 }, (_, at) => scenario(`f${at}`, flaky()))
      ])
    const nights = Array.from({ length: 30 }, (_, day) => all(day, 5))
    assert.strictEqual(rowOf(judge(of(nights), all(30, 1)), "pass rate", "never fails").verdict, "regressed")
    const calm = judge(of(nights), all(30, 5))
    assert.deepStrictEqual(
      calm.rows.filter(({ verdict }) => verdict === "regressed"),
      []
    )
  })

  it("shows no evidence where all is as usual, and says the smallest detectable fall", () => {
    const row = rowOf(judge(of(steady(30)), tonight(30, 4)), "pass rate", "often")
    assert.strictEqual(row.verdict, "no evidence")
    assert.match(row.detectable ?? "", /^a fall to \d+ %$/u)
    assert.include(row.evidence, `${row.detectable} would be seen`)
  })

  it("takes nights together where one is too short", () => {
    const nights = [...steady(30), tonight(30, 3), tonight(31, 3)]
    assert.strictEqual(
      rowOf(judge(of(nights.slice(0, 31)), tonight(31, 3)), "pass rate", "often").verdict,
      "no evidence"
    )
    const row = rowOf(judge(of(nights), tonight(32, 2)), "pass rate", "often")
    assert.deepStrictEqual([row.verdict, row.since], ["regressed", nights[33 - row.window]?.startedAt])
    assert.isAbove(row.window, 1)
  })

  it("that is well again tonight is not worse, whatever the nights before were", () => {
    const nights = [...steady(30), tonight(30, 0), tonight(31, 0)]
    assert.strictEqual(rowOf(judge(of(nights), tonight(32, 5)), "pass rate", "often").verdict, "no evidence")
  })

  it("has not enough data in four nights, and begins anew when the scenario changes", () => {
    const few = rowOf(judge(of(steady(4)), tonight(4, 0)), "pass rate", "often")
    assert.deepStrictEqual(
      [few.verdict, few.evidence],
      ["not enough data", "0 of 5 trials passed; 4 nights before, and 5 are needed"]
    )
    assert.strictEqual(
      rowOf(judge(of(steady(4)), tonight(4, 5)), "duration", "often").evidence,
      "4 nights before, and 5 are needed"
    )
    const changed = judge(of(steady(30)), tonight(30, 0, { source: "bb" }))
    assert.strictEqual(rowOf(changed, "pass rate", "often").verdict, "not enough data")
    assert.deepStrictEqual(changed.differences, ["1 scenario changed"])
  })

  it("is better when it rises by more than chance", () => {
    const bad = steady(30, (day) => [scenario("bad", day % 3 === 0 ? 1 : 0)])
    const good = night(30, [scenario("bad", 5)])
    assert.strictEqual(rowOf(judge(of(bad), good), "pass rate", "bad").verdict, "improved")
  })
})

describe("a regression", () => {
  const bad = (day: number) => tonight(day, 0)
  const found = (nights: ReadonlyArray<Night>, next: Night, accepted: ReadonlyArray<Accepted> = []) =>
    rowOf(judge(of(nights, accepted), next), "pass rate", "often")

  const nights = [...steady(30)]
  for (let day = 30; day < 60; day++) nights.push(recorded(bad(day), judge(of(nights), bad(day))))

  it("does not become the measure of itself, however long it lasts", () => {
    const row = found(nights, bad(60))
    assert.strictEqual(row.verdict, "regressed")
    assert.include(row.evidence, "142 of 150 in the 30 nights before")
  })

  it("is the baseline from then on when it is accepted", () => {
    const accepted: Accepted = {
      version: 1,
      kind: "accepted",
      id: "x",
      at: nights[59]?.startedAt ?? "",
      night: nights[30]?.id ?? ""
    }
    assert.strictEqual(found(nights.slice(0, 33), bad(33), [accepted]).verdict, "not enough data")
    const row = found(nights, tonight(60, 1), [accepted])
    assert.strictEqual(row.verdict, "no evidence")
    assert.include(row.evidence, "0 of 150 in the 30 nights before")
    const another = { ...accepted, scenario: { suite: "shop", name: "always" } }
    assert.strictEqual(found(nights, bad(60), [another]).verdict, "regressed")
  })

  it("of another target says nothing of this one, and accepting it changes nothing here", () => {
    const elsewhere = nights.map(({ fingerprint, id, ...rest }) => ({
      ...rest,
      id: `${id}-else`,
      fingerprint: { ...fingerprint, target: "https://else.example" }
    }))
    const both = [...steady(60), ...elsewhere]
    const accepted = {
      version: 1,
      kind: "accepted",
      id: "x",
      at: "2026-06-01",
      night: elsewhere[45]?.id ?? ""
    } as const
    for (const lines of [[], [accepted]]) {
      const row = found(both, tonight(60, 0), lines)
      assert.deepStrictEqual([row.verdict, row.nights], ["regressed", 30])
    }
  })
})

describe("a scenario in quarantine", () => {
  const names = ["a", "b", "c", "d"]
  const all = (day: number, held: number, time_ms: number) =>
    night(day, [
      ...names.map((name) => scenario(name, 5, took(1000 * (1 + 0.02 * Math.sin(5 * day))))),
      scenario("held", held, { ...took(time_ms), cost_usd: String(time_ms / 1000) })
    ])
  const nights = Array.from({ length: 20 }, (_, day) => all(day, 5, 1000))
  const bad = all(20, 2, 9000)

  it("says nothing of the whole night, and is judged by itself", () => {
    const figures = ["pass rate", "duration", "cost"] as const
    const without = judge(of(nights), bad)
    const held = judge(of(nights), bad, [{ suite: "shop", name: "held" }])
    const verdicts = (judgement: NightJudgement) => figures.map((figure) => rowOf(judgement, figure, null).verdict)
    assert.deepStrictEqual(verdicts(without), ["regressed", "no evidence", "no evidence"])
    assert.deepStrictEqual(verdicts(held), ["no evidence", "no evidence", "no evidence"])
    assert.strictEqual(rowOf(held, "pass rate", "held").verdict, "regressed")
  })
})

describe("the smallest change that is printed", () => {
  /** A number from the normal distribution, by the sum of twelve. */
  const percentOf = (text: string | null) => Number(/([\d.]+) %/u.exec(text ?? "")?.[1])

  it("of the duration is seen in four of five nights, also where the tolerance decides", () => {
    for (const spread of [0.01, 0.03]) {
      const next = drawing(1)
      const timed = (day: number, more = 0) =>
        night(day, [scenario("pays", 5, took(1000 * Math.exp(spread * normal(next) + more)))])
      let [promised, seen] = [0, 0]
      for (let run = 0; run < 200; run++) {
        const nights = Array.from({ length: 30 }, (_, day) => timed(day))
        const change = percentOf(rowOf(judge(of(nights), timed(30)), "duration", null).detectable) / 100
        promised += change / 200
        const { verdict } = rowOf(judge(of(nights), timed(30, Math.log1p(change))), "duration", null)
        if (verdict === "regressed") seen++
      }
      assert.isAbove(promised, 0.05)
      assert.isAtLeast(seen / 200, 0.7, `${spread}`)
      assert.isAtMost(seen / 200, 0.9, `${spread}`)
    }
  })

  it("of the pass rate is more than what is tolerated", () => {
    const hundred = (day: number) =>
      night(
        day,
        Array.from({ length: 100 }, (_, index) => scenario(`s${index}`))
      )
    const nights = Array.from({ length: 30 }, (_, day) => hundred(day))
    // fewer than 490 of 500 have to pass: with 97.4 % that is so in four of five nights
    assert.strictEqual(rowOf(judge(of(nights), hundred(30)), "pass rate", null).detectable, "2.6 points")
  })
})

describe("the pass rate of a whole night", () => {
  it("names the scenarios that failed most beyond their own rates, when many fail a little more", () => {
    const twenty = (day: number, passed: (index: number) => number) =>
      night(
        day,
        Array.from({ length: 20 }, (_, index) => scenario(`s${index}`, passed(index)))
      )
    // the first has always failed twice
    const nights = Array.from({ length: 30 }, (_, day) => twenty(day, (index) => (index === 0 ? 3 : 5)))
    const contributorsOf = (of_: (index: number) => number) =>
      rowOf(judge(of(nights), twenty(30, of_)), "pass rate", null).contributors
    const named = contributorsOf((index) => (index === 0 ? 3 : index === 7 ? 3 : 4))
    assert.lengthOf(named ?? [], 5)
    assert.deepStrictEqual(named?.[0], {
      suite: "shop",
      name: "s7",
      now: "3 of 5",
      before: "150 of 150",
      change: 3 / 5 - 1,
      share: 2 / 20
    })
    assert.notInclude(named?.map(({ name }) => name) ?? [], "s0")
    assert.isUndefined(contributorsOf((index) => (index === 0 ? 3 : 5)))
  })
})

describe("which nights count", () => {
  it("not partial ones, not those of another target or number of trials; it is said how many", () => {
    const nights = [
      ...steady(6),
      night(6, [scenario("often", 0)], { partial: "it was stopped before its end" }),
      night(7, [], { fingerprint: { target: "https://a.example", tool: "1", concurrency: 8, trials: 5 } }),
      night(8, [], { fingerprint: { target: "simulated", tool: "1", concurrency: 8, trials: 1 } }),
      // of a clock that was wrong
      night(20, [scenario("often", 0)])
    ]
    const judgement = judge(of(nights), tonight(9, 4))
    assert.strictEqual(judgement.nights, 6)
    assert.deepStrictEqual(judgement.passedOver, [
      { why: "partial", nights: 1 },
      { why: "another target", nights: 1 },
      { why: "another number of trials", nights: 1 },
      { why: "later than this one", nights: 1 }
    ])
    assert.strictEqual(rowOf(judgement, "pass rate", "often").nights, 6)
  })

  it("times only on the same machine, pass rates on any; what differs is named", () => {
    const elsewhere = {
      ...night(0, []).fingerprint,
      machine: { cpu: "y", cores: 2, platform: "linux-x64", node: "24" }
    }
    const judgement = judge(of(steady(10)), night(10, [scenario("often", 4)], { fingerprint: elsewhere }))
    assert.deepStrictEqual(judgement.differences, ["processor y, was x", "1 scenario of the night before left out"])
    assert.strictEqual(rowOf(judgement, "duration", null).verdict, "not enough data")
    assert.strictEqual(rowOf(judgement, "pass rate", "often").verdict, "no evidence")
  })

  it("nights on another machine tell how much nights differ, and not how long trials take", () => {
    const next = drawing(4)
    const at = (day: number, cpu: string, time_ms: number) =>
      night(day, [scenario("often", 5, took(time_ms * Math.exp(0.03 * normal(next))))], {
        fingerprint: { ...night(0, []).fingerprint, machine: { cpu, cores: 2, platform: "linux-x64", node: "24" } }
      })
    const here = Array.from({ length: 6 }, (_, day) => at(40 + day, "y", 2000))
    const moved = [...Array.from({ length: 40 }, (_, day) => at(day, "x", 1000)), ...here]
    const verdictOf = (nights: ReadonlyArray<Night>, time_ms: number) =>
      rowOf(judge(of(nights), at(46, "y", time_ms)), "duration", null).verdict
    assert.deepStrictEqual(
      [verdictOf(moved, 2300), verdictOf(here, 2300), verdictOf(moved, 2000)],
      ["regressed", "no evidence", "no evidence"]
    )
  })

  it("a new machine hides neither one slow scenario nor, from its second night on, a slow night", () => {
    const on = (day: number, cpu: string, factorOf: (index: number) => number) =>
      night(
        day,
        timed(day, 1).scenarios.map((one, index) => ({
          ...one,
          ...took((one.durations?.median_ms ?? 0) * factorOf(index))
        })),
        { fingerprint: { ...night(0, []).fingerprint, machine: { cpu, cores: 2, platform: "linux-x64", node: "24" } } }
      )
    const before = Array.from({ length: 30 }, (_, day) => on(day, "x", () => 1))
    const first = judge(
      of(before),
      on(30, "y", (index) => (index === 7 ? 3 : 1.2))
    )
    assert.deepStrictEqual(
      [rowOf(first, "duration", "s7"), rowOf(first, "duration", "s8"), rowOf(first, "duration", null)].map(
        ({ verdict }) => verdict
      ),
      ["regressed", "no evidence", "not enough data"]
    )
    assert.strictEqual(rowOf(first, "duration", null).evidence, "the first night on this machine")
    const wholeOf = (factor: number) =>
      rowOf(
        judge(
          of([...before, on(30, "y", () => 1.2)]),
          on(31, "y", () => factor)
        ),
        "duration",
        null
      ).verdict
    assert.deepStrictEqual([wholeOf(1.5), wholeOf(1.2)], ["regressed", "no evidence"])
  })

  it("times of nights of no machine, which shards of several make, are held against none", () => {
    const { machine: _, ...several } = night(0, []).fingerprint
    const nights = steady(10).map((one) => ({ ...one, fingerprint: several }))
    const judgement = judge(of(nights), night(10, [scenario("often", 4)], { fingerprint: several }))
    assert.strictEqual(rowOf(judgement, "duration", null).verdict, "not enough data")
    assert.strictEqual(rowOf(judgement, "pass rate", "often").verdict, "no evidence")
  })

  it("of none nothing is said", () => {
    const judgement = judge(of([]), tonight(0, 5))
    assert.strictEqual(judgement.verdict, "not enough data")
    assert.isTrue(judgement.rows.every(({ verdict }) => verdict === "not enough data"))
  })
})

/** Nights of twenty scenarios whose times have something of the night and something of their own. */
const timed = (day: number, factor: number, cost = 1) =>
  night(
    day,
    Array.from({ length: 20 }, (_, index) =>
      scenario(`s${index}`, 5, {
        ...took(1000 * (index + 1) * factor * (1 + 0.02 * Math.sin(5 * day) + 0.05 * Math.sin(3 * day + 11 * index))),
        cost_usd: String(0.05 * cost)
      })
    )
  )
const timedNights = Array.from({ length: 30 }, (_, day) => timed(day, 1))

describe("durations", () => {
  it("are worse for the whole night when all scenarios are a little slower", () => {
    const row = rowOf(judge(of(timedNights), timed(30, 1.1)), "duration", null)
    assert.strictEqual(row.verdict, "regressed")
    assert.match(row.evidence, /^[\d.]+ % longer tonight than in the 30 nights before \(p /u)
    assert.strictEqual(rowOf(judge(of(timedNights), timed(30, 1.01)), "duration", null).verdict, "no evidence")
  })

  it("of a slower night name the scenarios that added most, and their share of it", () => {
    const even = (day: number, factor: number, first = 1000) =>
      night(
        day,
        Array.from({ length: 10 }, (_, index) =>
          scenario(`s${index}`, 5, took((index === 0 ? first : 1000 * (index + 1)) * factor))
        )
      )
    const nights = Array.from({ length: 30 }, (_, day) => even(day, 1 + 0.01 * Math.sin(5 * day)))
    const held = { suite: "shop", name: "s9" }
    const contributorsOf = (tonight: Night) => rowOf(judge(of(nights), tonight, [held]), "duration", null).contributors
    const slower = contributorsOf(even(30, 1.2, 10_000))
    // a long scenario adds more at the same factor; one in quarantine does not count
    assert.deepStrictEqual(
      slower?.map(({ name }) => name),
      ["s0", "s8", "s7", "s6", "s5"]
    )
    const [first] = slower ?? []
    assert.deepInclude(first, { suite: "shop", now: "12.0 s", before: "999 ms" })
    assert.approximately(first?.change ?? 0, 11, 0.1)
    assert.approximately(first?.share ?? 0, 11 / (11 + 0.2 * 44), 0.01)
    assert.isUndefined(contributorsOf(even(30, 1)))
  })

  it("of less than 20 ms are not told apart, however steady they were", () => {
    const short = (day: number, time_ms: number) => {
      const { id: _, ...of } = timed(day, 1)
      return night(day, [...of.scenarios, scenario("short", 5, took(time_ms))])
    }
    const nights = Array.from({ length: 30 }, (_, day) => short(day, 0.2))
    assert.strictEqual(rowOf(judge(of(nights), short(30, 19)), "duration", "short").verdict, "no evidence")
    assert.strictEqual(rowOf(judge(of(nights), short(30, 200)), "duration", "short").verdict, "regressed")
  })

  it("of one scenario are worse by themselves, and not those of the night", () => {
    const slow = (day: number, factor = 2) => {
      const { id: _, ...of } = timed(day, 1)
      const scenarios = of.scenarios.map((one) => (one.name === "s3" ? { ...one, ...took(4000 * factor) } : one))
      return night(day, scenarios)
    }
    const judgement = judge(of(timedNights), slow(30))
    assert.strictEqual(rowOf(judgement, "duration", "s3").verdict, "regressed")
    assert.strictEqual(rowOf(judgement, "duration", null).verdict, "no evidence")
    // what was slow yesterday and is well tonight is no news
    assert.strictEqual(
      rowOf(judge(of([...timedNights, slow(30)]), slow(31, 1)), "duration", "s3").verdict,
      "no evidence"
    )
  })
})

describe("cost", () => {
  it("is worse when trials cost more than the tolerance allows", () => {
    assert.strictEqual(rowOf(judge(of(timedNights), timed(30, 1, 1.15)), "cost", null).verdict, "regressed")
    assert.strictEqual(rowOf(judge(of(timedNights), timed(30, 1, 1.04)), "cost", null).verdict, "no evidence")
  })
})

describe("a browser that was left open", () => {
  it("is worse whatever the nights before did", () => {
    const leaking = night(30, [scenario("always", 5, { leaks: 1 })])
    const row = rowOf(judge(of(steady(30)), leaking), "leaked browsers", null)
    assert.deepStrictEqual(
      [row.verdict, row.evidence],
      ["regressed", "1 leaked; in 0 of 30 nights before browsers leaked"]
    )
  })
})

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

describe("tiers", () => {
  it("a night 60 % slower than all before, where nights vary much, is unusual and not red", () => {
    const wild = (day: number) => timed(day, 1 + 0.35 * Math.sin(2 * day))
    const judgement = judge(of(Array.from({ length: 12 }, (_, day) => wild(day))), timed(12, 1.75))
    const row = rowOf(judgement, "duration", null)
    assert.deepStrictEqual([row.verdict, row.tier, judgement.tier], ["no evidence", "unusual", "unusual"])
  })

  it("a weekday that is always slower is no news once three weeks are known", () => {
    const weekly = (day: number) => timed(day, (day % 7 === 0 ? 1.2 : 1) * (1 + 0.01 * Math.sin(5 * day)))
    const nights = Array.from({ length: 42 }, (_, day) => weekly(day))
    assert.strictEqual(rowOf(judge(of(nights), weekly(42)), "duration", null).verdict, "no evidence")
    assert.strictEqual(
      rowOf(judge(of(nights.slice(0, 41)), { ...weekly(42), ...timed(41, 1.2) }), "duration", null).verdict,
      "regressed"
    )
  })
})

describe("confirm trials", () => {
  const nights = steady(30)
  const confirm = (passed: number, scored: number) => ({ confirm: { figure: "pass rate", passed, scored } as const })

  it("are asked for of what failed, and of nothing else", () => {
    assert.deepStrictEqual(
      suspects(of(nights), tonight(30, 3)).map(({ figure, name }) => [figure, name]),
      [["pass rate", "often"]]
    )
    assert.deepStrictEqual(suspects(of(nights), tonight(30, 5)), [])
  })

  it("confirm a fall in the same night that its planned trials do not show", () => {
    assert.strictEqual(rowOf(judge(of(nights), tonight(30, 3)), "pass rate", "often").verdict, "no evidence")
    const row = rowOf(judge(of(nights), tonight(30, 3, confirm(3, 12))), "pass rate", "often")
    assert.strictEqual(row.verdict, "regressed")
    assert.include(row.evidence, "3 of 12 confirm trials passed")
  })

  it("that pass acquit a scenario that failed by chance", () => {
    const row = rowOf(judge(of(nights), tonight(30, 1, confirm(30, 30))), "pass rate", "often")
    assert.deepStrictEqual([row.verdict, row.tier], ["no evidence", "unusual"])
  })

  it("acquit a scenario that was slow by chance, and serve the test of its failures too", () => {
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

  it("are no part of the baseline", () => {
    const with20 = nights.map((one) => ({
      ...one,
      scenarios: one.scenarios.map((its) => (its.name === "often" ? { ...its, ...confirm(20, 20) } : its))
    }))
    assert.strictEqual(rowOf(judge(of(with20), tonight(30, 4)), "pass rate", "often").before, "142 of 150")
  })

  it("end when the result is certain, or hardly possible any more", () => {
    const test = failureTest({ failed: 1, passed: 99 }, 0.001)
    assert.deepStrictEqual(
      [ofFailures(test, test.critical, test.critical), ofFailures(test, 0, 1), ofFailures(test, 0, 40)],
      ["confirmed", "more", "not confirmed"]
    )
  })

  it("keep the error rate, whenever they end", () => {
    const next = drawing(5)
    const test = failureTest({ failed: 500, passed: 9500 }, 0.01)
    let confirmed = 0
    for (let run = 0; run < 4000; run++) {
      let [failed, trials] = [0, 0]
      let state = ofFailures(test, 0, 0)
      while (state === "more") {
        trials++
        if (next() < 0.05) failed++
        state = ofFailures(test, failed, trials)
      }
      if (state === "confirmed") confirmed++
    }
    assert.isAtMost(confirmed / 4000, 0.01)
    assert.isAbove(confirmed, 0)
  })

  it("of durations keep the error rate whenever they end, and confirm what takes half as long again", () => {
    const next = drawing(6)
    const runs = 2000
    const known = { usual: 0, deviation: 0.4, shared: 0.002, tolerated: Math.log(1.1) }
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
  })
})
