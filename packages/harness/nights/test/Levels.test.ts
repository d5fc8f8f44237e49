import { assert, describe, it } from "@effect/vitest"
import { drawing } from "@webagent/statistics/Drawing"
import { median } from "@webagent/statistics/Robust"
import { judge } from "../src/Judge.ts"
import { duration } from "../src/Level.ts"
import { levelsOf } from "../src/Levels.ts"
import type { Night } from "../src/Night.ts"
import * as Shift from "../src/Shift.ts"
import * as Table from "../src/Table.ts"
import { night, scenario, took } from "./nights.ts"
import { normal, of, rowOf } from "./judged.ts"

const { fingerprint } = night(0, [])

/** A night on a machine: each scenario takes a second, and more by the logarithm that it is given. */
const on = (day: number, cpu: string, logs: ReadonlyArray<number>): Night =>
  night(
    day,
    logs.map((log, index) => scenario(`s${index}`, 5, took(1000 * Math.exp(log)))),
    { fingerprint: { ...fingerprint, machine: { cpu, cores: 2, platform: "linux-x64", node: "24" } } }
  )

/** The levels of the last of some nights. */
const levels = (all: ReadonlyArray<Night>) => {
  const [nights, tonight] = [all.slice(0, -1), all.at(-1) ?? on(0, "x", [])]
  const judged = { table: Table.make(of(nights), nights, tonight), tonight, isHeld: () => false }
  return levelsOf(judged, duration, { night: 0.01, scenario: 0.01 })
}

const weighedOf = (all: ReadonlyArray<Night>, index: number) => {
  const weighed = levels(all).scenarios[index]?.weighed
  if (weighed === undefined) throw new Error("the scenario has too few nights")
  return weighed
}

const zeros = (count: number) => Array.from({ length: count }, () => 0)
/** Nights that are by turns as much above and below. */
const sway = (day: number, by: number) => (day % 2 === 0 ? by : -by)

describe("the level of nights", () => {
  it("on a new machine needs one night there, until five are known", () => {
    const found = [0, 1, 4, 5, 6].map((here) => {
      const nights = [
        ...zeros(10).map((_, day) => on(day, "x", zeros(3))),
        ...zeros(here).map((_, day) => on(10 + day, "y", zeros(3)))
      ]
      const { isNewMachine, night } = levels([...nights, on(30, "y", zeros(3))])
      return [here, isNewMachine, night?.enough]
    })
    assert.deepStrictEqual(found, [
      [0, true, undefined],
      [1, true, 1],
      [4, true, 1],
      [5, false, 5],
      [6, false, 5]
    ])
  })

  it("on a new machine is compared with the previous machine, and not with an older one", () => {
    const nights = zeros(12).map((_, day) => on(day, day < 6 ? "x" : "y", [day < 6 ? 0 : 0.5, 0, 0]))
    const [first] = levels([...nights, on(12, "z", zeros(3))]).scenarios
    assert.closeTo(first?.usual ?? 0, Math.log(1000) + 0.5, 1e-9)
  })

  it("doesn't depend on a single scenario that never varies", () => {
    const others = (day: number) => zeros(9).map((_, index) => sway(day + index, 0.1))
    const nights = zeros(20).map((_, day) => on(day, "x", [0, ...others(day)]))
    const tonight = on(20, "x", [0.3, ...zeros(9)])
    const told = levels([...nights, tonight]).scenarios[1]?.nightLevel ?? Number.NaN
    assert.isAbove(told, 0)
    assert.isBelow(told, 0.06)
  })
})

it("the whole night shows how much nights vary", () => {
  const nights = zeros(40).map((_, day) => on(day, "x", zeros(3).fill(sway(day, 0.04))))
  const { spread } = rowOf(judge(of(nights), on(40, "x", zeros(3))), "duration", null)
  assert.approximately(spread ?? 0, 0.045, 0.01)
})

describe("a scenario compared with the others", () => {
  const steady = zeros(12).map((_, day) => on(day, "x", [sway(day, 0.04), 0, 0, 0]))

  it("varies by its own deviation, at least half a percent, and the others', as two nights", () => {
    const all = [...steady, on(12, "x", zeros(4))]
    const [own, other] = [weighedOf(all, 0), weighedOf(all, 1)]
    const freedom = 11
    const scale = Math.log(Shift.nightly(Shift.baselineOf(own.values)))
    assert.closeTo(own.weighing.scale, Math.exp((2 * Math.log(0.005) + freedom * scale) / (2 + freedom)), 1e-9)
    assert.closeTo(own.weighing.freedom, 2 + 0.6 * freedom, 1e-9)
    assert.closeTo(other.weighing.scale, 0.005, 0.0005)
    assert.strictEqual(own.doubt, 0)
  })

  it("keeps its level on a new machine as far as its values make that likely", () => {
    const here = [12, 13, 14].map((day) => on(day, "y", [0.3 + sway(day, 0.04), 0, 0, 0]))
    const { doubt, values, weighing } = weighedOf([...steady, ...here, on(15, "y", [0.3, 0, 0, 0])], 0)
    const scale = Math.sqrt(weighing.scale ** 2 - doubt ** 2)
    const unknown = (Math.PI / 2) * scale ** 2 * (1 / 3 + 1 / 12)
    const likely = 0.05 ** 2 / (0.05 ** 2 + unknown)
    assert.closeTo(doubt, (12 / 15) * 0.05 * Math.sqrt(1 - likely), 1e-9)
    assert.isAbove(doubt, 0.005)
    // the middle of even nights is 0, that of three is one of them
    const moved = median(values.values.slice(0, 12)) - Math.log(1000)
    assert.closeTo(moved, likely * (median(values.values.slice(12, 15)) - Math.log(1000)), 1e-6)
  })

  it("is compared with less certainty if distant nights differ more", () => {
    const next = drawing(7)
    const spread = (isWalking: boolean) => {
      const states = zeros(12)
      const all = zeros(41).map((_, day) =>
        on(
          day,
          "x",
          states.map((state, index) => {
            const log = (isWalking ? state : 0) + 0.03 * normal(next)
            states[index] = log
            return log
          })
        )
      )
      const { between } = weighedOf(all, 0).weighing
      return (between[20] ?? 0) / (between[1] ?? 1)
    }
    assert.isAbove(spread(true), 4)
    assert.isBelow(spread(false), 1.5)
  })

  it("is neither slower nor unusual if the night's other trials do not confirm a longer duration", () => {
    const nights = zeros(20).map((_, day) => on(day, "x", [sway(day, 0.01), sway(day + 1, 0.01), 0]))
    const confirm = { figure: "duration", passed: 40, scored: 40, middle_log: Math.log(1000) } as const
    const judgedAs = (factor: number, isConfirming: boolean) => {
      const { scenarios } = on(20, "x", [Math.log(factor), 0, 0])
      const tonight = night(
        20,
        scenarios.map((one, index) => (index === 0 && isConfirming ? { ...one, confirm } : one)),
        {
          fingerprint: nights[0]?.fingerprint ?? fingerprint
        }
      )
      const { isUnusual, verdict } = rowOf(judge(of(nights), tonight), "duration", "s0")
      return [verdict, isUnusual]
    }
    assert.deepStrictEqual(judgedAs(1.6, false), ["regressed", false])
    assert.deepStrictEqual(judgedAs(1.6, true), ["no evidence", false])
  })
})
