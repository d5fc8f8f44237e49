import { assert, describe, it } from "vitest"
import { againstLastNight, changePoints, mannWhitney, onRequests, ours } from "../../src/nights/Gates.ts"
import { changed, quiet } from "../../src/nights/Months.ts"
import { markdown, monthly, shares } from "../../src/nights/NightsReport.ts"
import { presets } from "../../src/nights/Disturbances.ts"
import { world, type WorldOptions } from "../../src/nights/World.ts"

const options: WorldOptions = {
  seed: 3,
  scenarios: 20,
  trials: 5,
  disturbances: presets.calm,
  change: "none",
  from: Infinity
}

describe("nights", () => {
  it("are the same for the same seed, and different for another", () => {
    for (const disturbances of Object.values(presets)) {
      const of = { ...options, disturbances }
      const [one, same, other] = [world(of), world(of), world({ ...of, seed: 4 })]
      const first = one()
      assert.deepStrictEqual(first.night, same().night)
      assert.notDeepEqual(other().night.scenarios, first.night.scenarios)
    }
  })

  it("get worse with a change", () => {
    const next = world({ ...options, change: "95 to 50 %", from: 1 })
    const passed = Array.from({ length: 41 }, () => next().night.scenarios[0]?.passed ?? 0)
    assert.isBelow(passed.slice(1).reduce((sum, count) => sum + count, 0) / 200, 0.65)
  })

  it("have disturbances in a harsh world that a calm one lacks", () => {
    const count = (disturbances: WorldOptions["disturbances"]) => {
      const next = world({ ...options, disturbances })
      const nights = Array.from({ length: 240 }, next)
      const of = (figure: "duration" | "pass rate" | "cost") =>
        nights.filter(({ disturbanceOf }) => disturbanceOf({ figure, scenario: null }) !== undefined).length
      assert.strictEqual(of("cost"), 0)
      const names = new Set(nights.flatMap(({ night }) => night.scenarios.map(({ name }) => name)))
      const machines = new Set(nights.map(({ night }) => night.fingerprint.machine?.cpu))
      return {
        slow: of("duration"),
        failing: of("pass rate"),
        failingOrNew: nights.filter(({ failingBy }) => failingBy !== undefined).length,
        names: names.size,
        machines: machines.size
      }
    }
    assert.deepStrictEqual(count(presets.calm), { slow: 0, failing: 0, failingOrNew: 0, names: 20, machines: 1 })
    const harsh = count(presets.harsh)
    assert.isTrue(harsh.slow > 0 && harsh.failing > 0 && harsh.names > 20 && harsh.machines > 1, JSON.stringify(harsh))
    // also nights with a new scenario
    assert.isAbove(harsh.failingOrNew, harsh.failing)
  })
})

describe("gates", () => {
  it("return a rank test's published value", () => {
    // nine and nine: seven of the first are beyond all others, two beyond three and six, so U is 63 + 9
    const [one, other] = [
      [10, 11, 12, 13, 14, 15, 16, 3.5, 6.5],
      [1, 2, 3, 4, 5, 6, 7, 8, 9]
    ]
    assert.closeTo(mannWhitney(one ?? [], other ?? []), (72 - 40.5) / Math.sqrt((81 * 19) / 12), 1e-12)
  })

  it("detect large regressions", () => {
    for (const [make, change] of [
      [() => ours(false), "leak"],
      [() => ours(true), "95 to 50 %"],
      [againstLastNight, "leak"],
      [changePoints, "-10 points"]
    ] as const) {
      const next = world({ ...options, change, from: 12 })
      const gate = make()
      for (let night = 0; night < 12; night++) gate.remember(next())
      assert.isTrue(Array.from({ length: 10 }, () => gate.judge(next()).red).includes(true), change)
    }
    assert.isFalse(onRequests().judge(world(options)()).red)
  })
})

describe("months", () => {
  it("are judged, and summed up in tables", () => {
    const few = { seed: 1, scenarios: 6, trials: 3, before: 8 }
    const calm = quiet(few, "calm", "ours", 1)
    const found = changed(few, "calm", "ours", "+20 % time", 1)
    const fingerprint = {
      cpu: "x",
      cores: 2,
      memory_GB: 1,
      node: "24",
      platform: "linux-x64",
      loadBefore: 0,
      loadAfter: 0
    }
    const text = markdown({
      date: "2026-11-22",
      fingerprint,
      options: few,
      worlds: [{ preset: "calm", gates: [{ gate: "ours", quiet: calm, found: [found] }] }]
    })
    assert.match(text, /^\| ours \| \d/mu)
    assert.include(text, `| all durations +20 % | ${shares(found)} |`)
  })

  it("distinguish a real disturbance from false alarms, by its kind", () => {
    const few = { seed: 2, scenarios: 20, trials: 5, before: 12 }
    const harsh = quiet(few, "harsh", "ours", 3)
    const kinds = new Set(harsh.disturbances.flat())
    assert.isTrue(kinds.has("slow night") || kinds.has("outage") || kinds.has("shared cause"), [...kinds].join())
    for (const [month, red] of harsh.red.entries()) assert.isAtMost(harsh.disturbances[month]?.length ?? 0, red)
    assert.deepStrictEqual(quiet(few, "calm", "ours", 1).disturbances, [[]])
  })

  it("show the mean with its interval, and the shares that found a change in time", () => {
    assert.strictEqual(monthly([0, 2]), "1.0 (0.0 to 3.0)")
    assert.strictEqual(shares({ change: "leak", nights: [1, 4, null, 2] }), "25 / 50 / 75 / 75")
    assert.strictEqual(shares({ change: "leak", nights: [null] }), "never")
  })
})
