import type { EvalRow } from "@webagent/eval/EvalFigures"
import { assert, describe, it } from "vitest"
import * as EvalText from "../../src/cli/eval/EvalText.ts"
import { repeating } from "../../src/cli/eval/evaluate.ts"

const all: EvalRow = {
  suite: null,
  tasks: 2,
  passed: 1,
  scored: 1,
  claimed: 0,
  unscored: 19,
  rate: 1,
  leastRate: 0.05,
  interval: null,
  cost_usd: "0",
  duration_ms: 1
}

describe("unmet", () => {
  it("counts trials without a verdict as not passed", () => {
    assert.strictEqual(
      EvalText.unmet(all, 0.8),
      "The success rate 5 %, where 19 trials without a verdict count as not passed, is below the required 80 %."
    )
    assert.strictEqual(
      EvalText.unmet({ ...all, unscored: 0, leastRate: 0.5 }, 0.8),
      "The success rate 50 % is below the required 80 %."
    )
    assert.isUndefined(EvalText.unmet({ ...all, leastRate: 0.8 }, 0.8))
  })

  it("requires a verdict even for a rate of 0", () => {
    const sentence = "No trial has a verdict, so the required 0 % can't be met."
    assert.strictEqual(EvalText.unmet({ ...all, scored: 0, passed: 0, leastRate: 0 }, 0), sentence)
    assert.strictEqual(EvalText.unmet(undefined, 0), sentence)
    assert.isUndefined(EvalText.unmet({ ...all, leastRate: 0 }, 0))
  })
})

it("the command that repeats a trial includes the sites' address", () => {
  const flags = {
    miniwob: undefined,
    model: "openai:x",
    modelPrice: undefined,
    modelUrl: undefined,
    serverFlags: ["max-steps=30"],
    sitesPort: 9000,
    sitesUrl: "https://tunnel.example",
    target: undefined
  }
  assert.deepStrictEqual(repeating(flags), [
    "--model openai:x",
    "--sites-port 9000",
    "--sites-url https://tunnel.example",
    "--server-flag max-steps=30"
  ])
})
