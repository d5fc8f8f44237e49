import { assert, describe, it } from "@effect/vitest"
import * as InterruptedTrials from "../src/InterruptedTrials.ts"
import type { RunHeader } from "../src/RunReport.ts"

const at = { at: "2026-11-21T10:00:00.000Z", kept: 0, after_ms: 0 }
const header = (resumed: NonNullable<RunHeader["resumed"]>): RunHeader => ({
  tool: { name: "webagent-harness", version: "0.1.0" },
  startedAt: at.at,
  seed: 1,
  concurrency: 1,
  trials: null,
  limits: {},
  target: { name: "a", address: "http://a.test", simulated: false, capabilities: [] },
  suites: [],
  resumed
})
const killed = { ...at, cut: { trials: 1, most_usd: "0.1" } }

describe("interrupted trials", () => {
  it("are counted over each kill of a run and of each of its shards", () => {
    assert.isUndefined(InterruptedTrials.of({ header: header([at, { ...at, cut: { trials: 1, most_usd: "0" } }]) }))
    const twice = { trials: 2, most_usd: "0.2" }
    assert.deepStrictEqual(InterruptedTrials.of({ header: header([killed, at, killed]) }), twice)
    const shard = { index: 1, of: 2, startedAt: at.at, duration_ms: 1, interrupted: false, resumed: [killed] }
    assert.deepStrictEqual(InterruptedTrials.of({ header: header([]), shards: [shard, { ...shard, index: 2 }] }), twice)
    assert.strictEqual(InterruptedTrials.chargedTo(header([killed, killed])), "0.2")
  })

  it("have no charge if one of them has no budget", () => {
    const unbound = header([killed, { ...at, cut: { trials: 1, most_usd: null } }])
    assert.deepStrictEqual(InterruptedTrials.of({ header: unbound }), { trials: 2, most_usd: null })
    assert.strictEqual(InterruptedTrials.chargedTo(unbound), "0")
  })
})
