import { assert, describe, it } from "@effect/vitest"
import * as Usage from "../src/Usage.ts"
import { reportOf, resultOf, trialOf } from "./reports.ts"

const trial = trialOf({ requests: 10, cost_usd: "0.01" })
const more = trialOf({ requests: 30, cost_usd: "0.1", started_ms: 1500 })
const failure = { kind: "error", message: "503" } as const
const retried = { ...more, started_ms: 1700, reruns: [{ started_ms: 1400, duration_ms: 200, failure }] }
const skipped = trialOf({ verdict: "skipped", started_ms: 0 })
const confirm = { figure: "duration", outcome: "confirmed", trials: [retried, more, skipped] } as const
const plain = resultOf("a", [trial, trial])
const suspicious = resultOf("b", [trial], { confirm })

const report = reportOf([plain, suspicious], { cost_usd: "0.23", duration_ms: 2100 })

describe("a run's usage", () => {
  it("includes the extra trials that ran, with their reruns", () => {
    const used = { trials: 2, requests: 62, cost_usd: "0.2", duration_ms: 700 }
    assert.deepStrictEqual(Usage.confirming(report), used)
    const without = reportOf([plain, resultOf("b", [trial], { confirm: { ...confirm, trials: [skipped] } })])
    assert.isUndefined(Usage.confirming(without))
  })

  it("of merged shards is that of the longest shard, each from its own start", () => {
    const shard = { of: 2, startedAt: "2026-11-21T09:12:44.123Z", interrupted: false }
    const shards = [
      { ...shard, index: 1, duration_ms: 1800 },
      { ...shard, index: 2, duration_ms: 2100 }
    ]
    const results = [
      { ...plain, shard: 1 },
      { ...suspicious, shard: 2 }
    ]
    assert.strictEqual(Usage.confirming({ ...report, results, shards })?.duration_ms, 300)
  })
})
