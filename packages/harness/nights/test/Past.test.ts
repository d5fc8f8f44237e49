import { assert, describe, it } from "@effect/vitest"
import { judge } from "../src/Judge.ts"
import type { Night } from "../src/Night.ts"
import { type Accepted } from "../src/Past.ts"
import { drawing } from "@webagent/statistics/Drawing"
import { night, scenario, took } from "./nights.ts"
import { normal, of, recorded, rate, rowOf, steady, timed, tonight } from "./judged.ts"

describe("a regression", () => {
  const bad = (day: number) => tonight(day, 0)
  const found = (nights: ReadonlyArray<Night>, next: Night, accepted: ReadonlyArray<Accepted> = []) =>
    rowOf(judge(of(nights, accepted), next), "pass rate", "often")

  const nights = [...steady(30)]
  for (let day = 30; day < 60; day++) nights.push(recorded(bad(day), judge(of(nights), bad(day))))

  it("doesn't become its own baseline, however long it lasts", () => {
    const row = found(nights, bad(60))
    assert.strictEqual(row.verdict, "regressed")
    assert.deepStrictEqual([row.before, row.nights], [rate(142, 150), 30])
  })

  it("is the baseline once it is accepted", () => {
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
    assert.deepStrictEqual([row.before, row.nights], [rate(0, 150), 30])
    const another = { ...accepted, scenario: { suite: "shop", name: "always" } }
    assert.strictEqual(found(nights, bad(60), [another]).verdict, "regressed")
  })

  it("on another target doesn't affect this one, and accepting it changes nothing here", () => {
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

describe("the nights that are compared", () => {
  it("exclude partial ones and those with another target or number of trials, and are counted", () => {
    const nights = [
      ...steady(6),
      night(6, [scenario("often", 0)], { partial: { _tag: "Stopped", isShard: false } }),
      night(7, [], { fingerprint: { target: "https://a.example", tool: "1", concurrency: 8, trials: 5 } }),
      night(8, [], { fingerprint: { target: "simulated", tool: "1", concurrency: 8, trials: 1 } }),
      // of a clock that was wrong
      night(20, [scenario("often", 0)])
    ]
    const judgement = judge(of(nights), tonight(9, 4))
    assert.strictEqual(judgement.nights, 6)
    assert.deepStrictEqual(judgement.passedOver, [
      { why: "Partial", nights: 1 },
      { why: "OtherTarget", nights: 1 },
      { why: "OtherTrials", nights: 1 },
      { why: "Later", nights: 1 }
    ])
    assert.strictEqual(rowOf(judgement, "pass rate", "often").nights, 6)
  })

  it("are from the same machine for durations, and from any for pass rates, with the differences named", () => {
    const elsewhere = {
      ...night(0, []).fingerprint,
      machine: { cpu: "y", cores: 2, platform: "linux-x64", node: "24" }
    }
    const judgement = judge(of(steady(10)), night(10, [scenario("often", 4)], { fingerprint: elsewhere }))
    assert.deepStrictEqual(judgement.differences, [
      "processor y, was x",
      "1 scenario that ran the night before did not run tonight"
    ])
    assert.strictEqual(rowOf(judgement, "duration", null).verdict, "not enough data")
    assert.strictEqual(rowOf(judgement, "pass rate", "often").verdict, "no evidence")
  })

  it("on another machine show how much nights differ, but not how long trials take", () => {
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

  it("on a new machine still show a slow scenario and, from its second night on, a slow night", () => {
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
    assert.strictEqual(rowOf(first, "duration", null).lack?._tag, "FirstOnMachine")
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

  it("of shards on several machines are not compared by duration", () => {
    const { machine: _, ...several } = night(0, []).fingerprint
    const nights = steady(10).map((one) => ({ ...one, fingerprint: several }))
    const judgement = judge(of(nights), night(10, [scenario("often", 4)], { fingerprint: several }))
    assert.strictEqual(rowOf(judgement, "duration", null).verdict, "not enough data")
    assert.strictEqual(rowOf(judgement, "pass rate", "often").verdict, "no evidence")
  })

  it("are compared by duration only with the same number of parallel trials", () => {
    const fewer = { ...night(0, []).fingerprint, concurrency: 4 }
    const judgement = judge(of(steady(10)), night(10, [scenario("often", 4)], { fingerprint: fewer }))
    assert.include(judgement.differences, "at a time 4, was 8")
    assert.strictEqual(rowOf(judgement, "duration", null).verdict, "not enough data")
  })

  it("exclude another one of the same time", () => {
    const same = night(9, [scenario("often", 0)])
    const judgement = judge(of([...steady(9), same]), tonight(9, 4))
    assert.deepStrictEqual([judgement.nights, judgement.passedOver], [9, []])
  })

  it("are not mentioned if there are none", () => {
    const judgement = judge(of([]), tonight(0, 5))
    assert.strictEqual(judgement.verdict, "not enough data")
    assert.isTrue(judgement.rows.every(({ verdict }) => verdict === "not enough data"))
  })
})
