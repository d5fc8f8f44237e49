import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Campaign from "./Campaign.ts"
import type { Rule } from "./Oracle.ts"
import type { mutants } from "./Mutants.ts"
import * as Reached from "./Reached.ts"
import { simulate } from "./Simulation.ts"
import * as World from "./World.ts"

/** Hostile and mild, with how many worlds of each are lived through here; a long run is `npm run simulate`. */
const campaigns = [
  { rate: 0.038, seeds: 120 },
  { rate: 0.004, seeds: 40 }
]

const reached = new Set<string>()

describe("our clients lose, double and leak nothing", () => {
  for (const { rate, seeds } of campaigns) {
    it.live(
      `over ${seeds} worlds with ${rate * 100} % faults per request`,
      () =>
        Effect.gen(function* () {
          const options = { from: 1, seeds, rate }
          const outcome = yield* Campaign.run(options)
          for (const name of outcome.reached.keys()) reached.add(name)
          assert.strictEqual(outcome.broken.map((broken) => Campaign.described(options, broken)).join("\n"), "")
        }),
      600_000
    )
  }

  // short worlds, so that every step takes a second; all others are those of npm run simulate -- --every-step
  for (const seed of [13, 16, 28]) {
    it.live(`when interrupted at every step of the world of seed ${seed}`, () =>
      Effect.gen(function* () {
        const options = { from: seed, seeds: 1, rate: 0.038, everyStep: true }
        const outcome = yield* Campaign.run(options)
        assert.isAbove(outcome.worlds, 20)
        assert.strictEqual(outcome.broken.map((broken) => Campaign.described(options, broken)).join("\n"), "")
      })
    )
  }

  it("in worlds that reach every important situation", () => {
    assert.deepStrictEqual(
      Reached.all.filter((name) => !reached.has(name)),
      []
    )
  })

  it.live("and have the same history, byte for byte, for the same seed", () =>
    Effect.gen(function* () {
      const history = Effect.map(simulate(World.make(24, 0.038)), ({ journal, sent }) =>
        JSON.stringify([sent, journal.map((row) => ({ ...row, realAt_ms: 0 }))])
      )
      const once = yield* history
      assert.isAbove(once.length, 10_000)
      assert.strictEqual(yield* history, once)
    })
  )
})

describe("a faulty client is detected", () => {
  it.live("if it gives up on the first error and is interrupted at every step: browser leaked", () =>
    Effect.gen(function* () {
      const outcome = yield* Campaign.run({
        from: 13,
        seeds: 1,
        rate: 0.038,
        everyStep: true,
        mutant: "give up on the first error",
        until: ({ rule }) => rule === "browser leaked"
      })
      const rules = outcome.broken.flatMap(({ violations }) => violations.map(({ rule }) => rule))
      assert.include(rules, "browser leaked")
    })
  )

  // where faults are rare, the seeds before are known to find nothing
  const found = (mutant: keyof typeof mutants, rate: number, rules: ReadonlyArray<Rule>, from = 1) =>
    it.live(
      `${mutant}: ${rules.join(", ")}, with ${rate * 100} % faults`,
      () =>
        Effect.gen(function* () {
          for (const rule of rules) {
            const outcome = yield* Campaign.run({
              from,
              seeds: 1000,
              rate,
              mutant,
              until: (violation) => violation.rule === rule
            })
            const rulesBroken = outcome.broken.flatMap(({ violations }) =>
              violations.map((violation) => violation.rule)
            )
            assert.include(rulesBroken, rule)
          }
        }),
      600_000
    )

  found("retry everything", 0.038, ["made twice"])
  found("retry everything", 0.004, ["made twice"], 36)
  found("give up on the first error", 0.038, ["result lost", "browser leaked"])
  found("give up on the first error", 0.004, ["result lost"])
})
