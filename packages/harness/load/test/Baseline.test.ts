import { assert, describe, it } from "@effect/vitest"
import * as Baseline from "../src/Baseline.ts"
import type { Entry } from "../src/BaselineFile.ts"
import { measurementsOf, normals } from "./measurements.ts"

const machine = { cpu: "x", cores: 2, platform: "linux-x64", node: "24", k6: "2.2.0" }
const subject = (factor: number) => ({ test: "smoke", machine, settings: "s", measurements: measurementsOf(factor) })
const entry = (factor: number, more: Partial<Entry> = {}): Entry => ({
  version: 2,
  startedAt: "2026-11-21T00:00:00Z",
  verdict: "passed",
  ...subject(factor),
  ...more
})
const nights = [1, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97, 1, 1.01].map((factor) => entry(factor))

describe("judge", () => {
  it("reports a metric outside of the interval of earlier runs, and the smallest detectable change", () => {
    const judgement = Baseline.compare(nights, subject(1.3), 0.05)
    assert.strictEqual(judgement.runs, 9)
    assert.isTrue(
      judgement.rows.filter(({ name }) => name !== "throughput").every(({ verdict }) => verdict === "worse")
    )
    const [line] = Baseline.lines(judgement)
    assert.match(
      line ?? "",
      /^baseline \(9 runs\): time to terminal p50 260 ms, usually \d+ ms to \d+ ms: WORSE \(smallest detectable change \+\d+ %\)$/u
    )
  })

  it("sees no difference in a run like the others", () => {
    const judgement = Baseline.compare(nights, subject(1.01), 0.05)
    assert.deepStrictEqual(new Set(judgement.rows.map(({ verdict }) => verdict)), new Set(["no difference seen"]))
    assert.match(
      Baseline.lines(judgement).join("\n"),
      /^baseline \(9 runs\): time to terminal p95 404 ms, usually \d+ ms to \d+ ms: no difference seen \(smallest detectable change \+\d+ %\)$/u
    )
  })

  it("can't tell with four runs, and names the ones that were left out", () => {
    const others = [
      entry(1, { verdict: "failed" }),
      entry(1, { settings: "other" }),
      entry(1, { machine: { ...machine, cores: 8, node: "26" } }),
      entry(1, { settings: "other" }),
      entry(1, { test: "soak" })
    ]
    const judgement = Baseline.compare([...nights.slice(0, 4), ...others], subject(9), 0.05)
    assert.deepStrictEqual(judgement.rows, [])
    assert.deepStrictEqual(Baseline.lines(judgement), [
      "baseline: cannot tell, 4 of 5 runs needed (1 left out: failed; 2 left out: other settings; 1 left out: another cores, node)"
    ])
    assert.strictEqual(Baseline.compare(nights.slice(0, 5), subject(9), 0.05).rows[0]?.verdict, "worse")
  })

  it("finds a drop in throughput worse, and shows its usual range from the lower end", () => {
    const at = (throughput: number) => ({ measurements: measurementsOf(1, { throughput }) })
    const before = [100, 102, 98, 101, 99].map((throughput) => entry(1, at(throughput)))
    const judged = (throughput: number) =>
      Baseline.compare(before, { ...subject(1), ...at(throughput) }, 0.05).rows.find(
        ({ name }) => name === "throughput"
      )
    assert.deepInclude(judged(60), { verdict: "worse", now: "60/s" })
    assert.strictEqual(judged(160)?.verdict, "better")
    const { detectable = 1, high = "", low = "" } = judged(100) ?? {}
    assert.isBelow(Number.parseFloat(low), Number.parseFloat(high))
    assert.isBelow(detectable, 1)
  })

  it("compares with the last thirty runs only", () => {
    const old = Array.from({ length: 50 }, () => entry(5))
    const recent = Array.from({ length: 30 }, (_, index) => entry(1 + index / 1000))
    const judgement = Baseline.compare([...old, ...recent], subject(2), 0.05)
    assert.strictEqual(judgement.runs, 30)
    assert.strictEqual(judgement.rows[0]?.verdict, "worse")
  })

  it("raises a false alarm in at most one of forty runs", () => {
    const normal = normals(11)
    const factor = () => Math.exp(0.05 * normal())
    const alarms = Array.from({ length: 1500 }, () =>
      Baseline.compare(
        Array.from({ length: 7 }, () => entry(factor())),
        subject(factor()),
        0
      ).rows.some(({ verdict }) => verdict === "worse")
    ).filter(Boolean).length
    assert.isBelow(alarms / 1500, 0.035)
  })
})
