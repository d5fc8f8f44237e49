import { assert, describe, it } from "@effect/vitest"
import * as Baseline from "../../src/load/Baseline.ts"
import type { Entry } from "../../src/load/History.ts"
import { figuresOf, normals } from "./figures.ts"

const fingerprint = { cpu: "x", cores: 2, platform: "linux-x64", node: "24", k6: "2.2.0" }
const subject = (factor: number) => ({ test: "smoke", fingerprint, settings: "s", figures: figuresOf(factor) })
const entry = (factor: number, more: Partial<Entry> = {}): Entry => ({
  version: 1,
  startedAt: "2026-11-21T00:00:00Z",
  verdict: "passed",
  ...subject(factor),
  ...more
})
const nights = [1, 1.02, 0.98, 1.01, 0.99, 1.03, 0.97, 1, 1.01].map((factor) => entry(factor))

describe("judge", () => {
  it("says that a figure is outside of what one more of the earlier runs would be, and how much could be seen", () => {
    const judgement = Baseline.judge(nights, subject(1.3), 0.05)
    assert.strictEqual(judgement.runs, 9)
    assert.isTrue(
      judgement.rows.filter(({ name }) => name !== "throughput").every(({ verdict }) => verdict === "worse")
    )
    const [line] = Baseline.lines(judgement)
    assert.match(
      line ?? "",
      /^against baseline \(9 runs\): time to terminal p50 260 ms, was \d+ ms \.\. \d+ ms: WORSE \(could see \d+ % or more\)$/u
    )
  })

  it("has nothing to say of a run like the others", () => {
    const judgement = Baseline.judge(nights, subject(1.01), 0.05)
    assert.deepStrictEqual(new Set(judgement.rows.map(({ verdict }) => verdict)), new Set(["no evidence"]))
    assert.match(
      Baseline.lines(judgement).join("\n"),
      /^against baseline \(9 runs\): time to terminal p95 404 ms, was \d+ ms \.\. \d+ ms: no evidence of change \(could see \d+ % or more\)$/u
    )
  })

  it("has not enough data with four runs, and says which were not counted", () => {
    const others = [
      entry(1, { verdict: "failed" }),
      entry(1, { settings: "other" }),
      entry(1, { fingerprint: { ...fingerprint, cores: 8, node: "26" } }),
      entry(1, { settings: "other" }),
      entry(1, { test: "soak" })
    ]
    const judgement = Baseline.judge([...nights.slice(0, 4), ...others], subject(9), 0.05)
    assert.deepStrictEqual(judgement.rows, [])
    assert.deepStrictEqual(Baseline.lines(judgement), [
      "against baseline: not enough data, 4 of 5 runs (1 not counted: they failed; 2 not counted: other settings; 1 not counted: another cores, node)"
    ])
    assert.strictEqual(Baseline.judge(nights.slice(0, 5), subject(9), 0.05).rows[0]?.verdict, "worse")
  })

  it("looks back thirty runs and no further", () => {
    const old = Array.from({ length: 50 }, () => entry(5))
    const recent = Array.from({ length: 30 }, (_, index) => entry(1 + index / 1000))
    const judgement = Baseline.judge([...old, ...recent], subject(2), 0.05)
    assert.strictEqual(judgement.runs, 30)
    assert.strictEqual(judgement.rows[0]?.verdict, "worse")
  })

  it("raises a false alarm in one of forty runs at most", () => {
    const normal = normals(11)
    const factor = () => Math.exp(0.05 * normal())
    const alarms = Array.from({ length: 1500 }, () =>
      Baseline.judge(
        Array.from({ length: 7 }, () => entry(factor())),
        subject(factor()),
        0
      ).rows.some(({ verdict }) => verdict === "worse")
    ).filter(Boolean).length
    assert.isBelow(alarms / 1500, 0.035)
  })
})
