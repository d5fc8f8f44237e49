import { assert, describe, it } from "@effect/vitest"
import * as Comparison from "../../src/load/Comparison.ts"
import * as ComparisonReport from "../../src/load/ComparisonReport.ts"
import { plain } from "@webagent/report/Style"
import { figuresOf, normals } from "./figures.ts"

const noises = [0.98, 1.01, 1, 0.99, 1.02, 1, 1.01]
const pairsOf = (factor: number, more = {}) =>
  noises.map((noise, index) => ({
    a: figuresOf(noise),
    b: figuresOf(noise * factor * (1 + (index - 3) / 400), more)
  }))
const verdictsOf = (pairs: ReadonlyArray<Comparison.Pair>, tolerance = 0.05) =>
  Object.fromEntries(Comparison.of(pairs, { tolerance }).map(({ name, verdict }) => [name, verdict]))

describe("of", () => {
  it("calls a service worse that takes 30 % longer, and says what did not change", () => {
    const verdicts = verdictsOf(pairsOf(1.3))
    assert.deepInclude(verdicts, {
      "time to terminal p50": "worse",
      "time to terminal p95": "worse",
      "time to terminal p99": "worse",
      "request p50": "worse",
      throughput: "no evidence",
      errors: "no evidence"
    })
    assert.strictEqual(verdictsOf(pairsOf(1 / 1.3))["request p95"], "better")
  })

  it("tolerates what it is told to", () => {
    assert.strictEqual(verdictsOf(pairsOf(1.04))["request p50"], "no evidence")
    assert.strictEqual(verdictsOf(pairsOf(1.04), 0.01)["request p50"], "worse")
    assert.strictEqual(verdictsOf(pairsOf(1.3), 0.5)["request p50"], "no evidence")
  })

  it("fewer good answers a second are worse, and so are more errors, by their difference", () => {
    const verdicts = verdictsOf(pairsOf(1, { throughput: 80, errors: 0.02 }))
    assert.deepInclude(verdicts, { throughput: "worse", errors: "worse", "request p50": "no evidence" })
    assert.strictEqual(verdictsOf(pairsOf(1, { errors: 0.004 }))["errors"], "no evidence")
  })

  it("work that does not end as wished is worse, however quick all the rest is", () => {
    const pairs = pairsOf(0.5, { unfinished: 1 }).map(({ a, b }) => ({ a: { ...a, unfinished: 0.01 }, b }))
    assert.deepInclude(verdictsOf(pairs), { unfinished: "worse", errors: "no evidence", "request p50": "better" })
    assert.notProperty(verdictsOf(pairsOf(1)), "unfinished")
  })

  it("leaves out what too few points say", () => {
    const few = { count: 30, p50: 1, p95: 2, p99: 3, max: 4 }
    const pairs = noises.map(() => ({
      a: figuresOf(1, { time_to_terminal: few }),
      b: figuresOf(1, { time_to_terminal: few })
    }))
    const names = Object.keys(verdictsOf(pairs))
    assert.include(names, "time to terminal p95")
    assert.notInclude(names, "time to terminal p99")
  })

  it("raises a false alarm in one of forty comparisons at most, and sees 30 % through noise of 8 %", () => {
    const normal = normals(7)
    const noisy = (factor: number) => {
      // each run is off by itself, and each of its figures a little more
      const figures = (by: number) => {
        const run = Math.exp(0.06 * normal())
        const spread = (p50: number) => {
          const [p50s, p95s, p99s] = [0.03, 0.05, 0.08].map((sigma) => by * run * Math.exp(sigma * normal()))
          return {
            count: 200,
            p50: p50 * (p50s ?? 1),
            p95: 2 * p50 * (p95s ?? 1),
            p99: 3 * p50 * (p99s ?? 1),
            max: 9 * p50
          }
        }
        return figuresOf(1, {
          requests: spread(4),
          time_to_terminal: spread(200),
          throughput: 100 / Math.exp(0.02 * normal())
        })
      }
      return noises.map(() => ({ a: figures(1), b: figures(factor) }))
    }
    const alarms = (times: number, factor: number, tolerance: number) =>
      Array.from({ length: times }, () => Object.values(verdictsOf(noisy(factor), tolerance))).filter((verdicts) =>
        verdicts.includes("worse")
      ).length / times
    assert.isBelow(alarms(800, 1, 0), 0.03)
    assert.isBelow(alarms(400, 1, 0.05), 0.01)
    assert.isAbove(alarms(300, 1.3, 0.05), 0.8)
  })
})

describe("table and verdict", () => {
  const report = (factor: number): ComparisonReport.ComparisonReport => {
    const rows = Comparison.of(pairsOf(factor), { tolerance: 0.05 })
    const side = { name: "x", address: "http://127.0.0.1:1", simulated: true }
    return {
      tool: { name: "webagent-harness", version: "0", k6: "2" },
      test: "smoke",
      a: side,
      b: side,
      startedAt: "",
      rate: 1,
      duration_ms: 1,
      seed: 1,
      tolerance: 0.05,
      pairs: [],
      rows,
      verdict: "no evidence"
    }
  }

  it("says how much worse, within what, and from what on it would have been seen", () => {
    const { rows } = report(1.3)
    const [head, first] = ComparisonReport.table(rows, plain)
    assert.match(head ?? "", /^figure +A +B +B to A +within +sees from$/u)
    assert.match(first ?? "", /^time to terminal p50 +200 ms +260 ms +x 1\.30 +1\.29 \.\. 1\.31 +\+6 % +WORSE$/u)
    assert.match(
      ComparisonReport.verdict(report(1.3), plain),
      /^regressed by more than 5 %: time to terminal p50 \+30 % \(\+29 \.\. \+31\), /u
    )
    assert.match(
      ComparisonReport.verdict(report(1), plain),
      /^no evidence that B is worse · would have seen \+6 % in the steadiest time, \+6 % in the least steady$/u
    )
  })
})
