import { assert, describe, it } from "@effect/vitest"
import { reportOf, resultOf, trialOf } from "../reports.ts"
import * as UsageText from "../../src/words/UsageText.ts"

const trial = trialOf({ requests: 10, cost_usd: "0.01" })
const more = trialOf({ requests: 30, cost_usd: "0.1", started_ms: 1500 })
const failure = { kind: "error", message: "503" } as const
const retried = { ...more, started_ms: 1700, reruns: [{ started_ms: 1400, duration_ms: 200, failure }] }
const skipped = trialOf({ verdict: "skipped", started_ms: 0 })
const confirm = { figure: "duration", outcome: "confirmed", trials: [retried, more, skipped] } as const
const plain = resultOf("a", [trial, trial])
const suspicious = resultOf("b", [trial], { confirm })

const report = reportOf([plain, suspicious], { cost_usd: "0.23", duration_ms: 2100 })
const texts = (of: typeof report) => Object.values(UsageText.of(of)).map(UsageText.text)

describe("the text about a run's usage", () => {
  it("includes the part that extra trials used", () => {
    assert.strictEqual(UsageText.trials(report), "3 trials + 2 to confirm")
    assert.strictEqual(UsageText.trials(report, 4), "3 of 7 trials + 2 to confirm")
    assert.deepStrictEqual(texts(report), [
      "92 requests, 62 of them to confirm",
      "2.1 s, 700 ms of it to confirm",
      "0.23 USD simulated, 0.20 of it to confirm"
    ])
  })

  it("counts the trials that an outage interrupted", () => {
    const away = resultOf("c", [trialOf({ verdict: "infra" }), trialOf({ verdict: "infra" })])
    assert.strictEqual(UsageText.interrupted(reportOf([plain, away])), "2 interrupted")
    assert.isUndefined(UsageText.interrupted(reportOf([plain])))
  })

  it("names the shards whose cost is missing", () => {
    const shard = { index: 1, of: 2, startedAt: "", duration_ms: 1, interrupted: false }
    assert.strictEqual(
      texts({ ...report, shards: [shard] })[2],
      "0.23 USD simulated, without shard 2, 0.20 of it to confirm"
    )
  })

  it("leaves out extra trials if none ran", () => {
    const without = reportOf([plain, resultOf("b", [trial], { confirm: { ...confirm, trials: [skipped] } })])
    assert.strictEqual(UsageText.trials(without), "3 trials")
    assert.deepStrictEqual(texts(without), ["32 requests", "2.1 s", "0.00 USD simulated"])
  })

  it("marks the cost as so far if a resource is still open", () => {
    const open = { kind: "browser", id: "b-1", trial: null, state: "open", sentence: "" } as const
    assert.include(texts({ ...report, leftovers: [open] })[2], "0.23 USD simulated so far")
    assert.notInclude(texts({ ...report, leftovers: [{ ...open, state: "stopped" }] })[2], "so far")
  })

  const figure = (median: number) => ({ low: 0.9 * median, median, high: 1.1 * median })
  const judged = (requests: number, ms: number, usd: number) => ({
    ...report,
    judgement: {
      verdict: "no evidence" as const,
      nights: 9,
      passedOver: [],
      differences: [],
      rows: [],
      usual: { requests: figure(requests), duration_ms: figure(ms), cost_usd: figure(usd) }
    }
  })
  const usual = (of: typeof report) =>
    Object.values(UsageText.of(of)).map((used) => [UsageText.usualText(used), used.usual?.isFar])

  it("compares the rest with the usual values, and marks a figure far above them", () => {
    assert.deepStrictEqual(usual(judged(31, 1390, 0.032)), [
      ["the rest as usual", false],
      ["the rest as usual", false],
      ["the rest as usual", false]
    ])
    assert.deepStrictEqual(usual(judged(10, 2000, 0.01)), [
      ["the rest 3 times the usual 10", true],
      ["the rest usually 2 s", false],
      ["the rest 3 times the usual 0.01 USD", true]
    ])
  })

  it("calls a figure usual if it reads the same as the median", () => {
    const steady = { ...judged(30, 1400, 0.03), results: [plain], counts: { ...report.counts, requests: 30 } }
    const { usual: of } = steady.judgement
    const narrow = { ...of, cost_usd: { low: 0.231, median: 0.2304, high: 0.2304 } }
    const [requests, , cost] = usual({ ...steady, judgement: { ...steady.judgement, usual: narrow } })
    assert.deepStrictEqual(
      [requests, cost],
      [
        ["as usual", false],
        ["as usual", false]
      ]
    )
  })

  it("doesn't compare a cost that may still grow, unless it is already far above the usual one", () => {
    const leftovers = [{ kind: "browser", id: "b-1", trial: null, state: "open", sentence: "" } as const]
    assert.isUndefined(UsageText.of({ ...judged(31, 1390, 0.032), leftovers }).cost.usual)
    assert.isTrue(UsageText.of({ ...judged(31, 1390, 0.01), leftovers }).cost.usual?.isFar)
  })

  it("compares nothing without earlier runs", () => {
    assert.deepStrictEqual(usual(report), [
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined]
    ])
  })
})
