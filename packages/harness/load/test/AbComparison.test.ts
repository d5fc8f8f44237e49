import { assert, describe, it } from "@effect/vitest"
import * as AbComparison from "../src/AbComparison.ts"
import * as AbReport from "../src/AbReport.ts"
import { plain } from "@webagent/cli/Style"
import { measurementsOf, normals } from "./measurements.ts"

const noises = [0.98, 1.01, 1, 0.99, 1.02, 1, 1.01]
const pairsOf = (factor: number, more = {}) =>
  noises.map((noise, index) => ({
    a: measurementsOf(noise),
    b: measurementsOf(noise * factor * (1 + (index - 3) / 400), more)
  }))
const verdictsOf = (pairs: ReadonlyArray<AbComparison.Pair>, tolerance = 0.05) =>
  Object.fromEntries(AbComparison.of(pairs, { tolerance }).map(({ name, verdict }) => [name, verdict]))

describe("of", () => {
  it("finds a service worse that takes 30 % longer, and no other difference", () => {
    const verdicts = verdictsOf(pairsOf(1.3))
    assert.deepInclude(verdicts, {
      "time to terminal p50": "worse",
      "time to terminal p95": "worse",
      "time to terminal p99": "worse",
      "request p50": "worse",
      throughput: "no difference seen",
      errors: "no difference seen"
    })
    assert.strictEqual(verdictsOf(pairsOf(1 / 1.3))["request p95"], "better")
  })

  it("tolerates changes up to the tolerance", () => {
    assert.strictEqual(verdictsOf(pairsOf(1.03))["request p50"], "within tolerance")
    assert.strictEqual(verdictsOf(pairsOf(1.04), 0.01)["request p50"], "worse")
    assert.strictEqual(verdictsOf(pairsOf(1.3), 0.5)["request p50"], "within tolerance")
  })

  it.each([
    ["worse", 1.18, 0.02],
    ["slower", 1.18, 0.14],
    ["slower", 1.05, 0.02],
    ["within tolerance", 1.03, 0.01],
    ["no difference seen", 1, 0.02],
    ["cannot tell", 1, 0.6],
    ["within tolerance", 1 / 1.03, 0.01],
    ["faster", 1 / 1.18, 0.14],
    ["better", 1 / 1.18, 0.02]
  ] as const)("decides by the interval alone: %s by a factor of %f and a spread of %f", (verdict, factor, spread) => {
    const pairs = [-3, -2, -1, 0, 1, 2, 3].map((step) => ({
      a: measurementsOf(1),
      b: measurementsOf(factor * Math.exp((spread * step) / 3))
    }))
    const row = AbComparison.of(pairs, { tolerance: 0.05 }).find(({ name }) => name === "request p50")
    assert.strictEqual(row?.verdict, verdict, JSON.stringify(row))
    const isOpen = verdict === "no difference seen" || verdict === "cannot tell"
    assert.strictEqual((row?.low ?? 9) <= 1 && (row?.high ?? 0) >= 1, isOpen)
  })

  it("finds fewer successful requests per second worse, and more errors by their difference", () => {
    const verdicts = verdictsOf(pairsOf(1, { throughput: 80, errors: 0.02 }))
    assert.deepInclude(verdicts, { throughput: "worse", errors: "worse", "request p50": "no difference seen" })
    assert.strictEqual(verdictsOf(pairsOf(1, { errors: 0.004 }))["errors"], "within tolerance")
  })

  it("can't tell whether there are more errors if they scatter by many points", () => {
    const verdictFor = (spread: number) => {
      const pairs = [-3, -2, -1, 0, 1, 2, 3].map((step) => ({
        a: measurementsOf(1, { errors: 0.2 }),
        b: measurementsOf(1, { errors: 0.2 + (spread * step) / 3 })
      }))
      return verdictsOf(pairs)["errors"]
    }
    assert.deepStrictEqual([verdictFor(0.01), verdictFor(0.15)], ["no difference seen", "cannot tell"])
  })

  it("finds unfinished work worse, however fast the rest is", () => {
    const pairs = pairsOf(0.5, { unfinished: 1 }).map(({ a, b }) => ({ a: { ...a, unfinished: 0.01 }, b }))
    assert.deepInclude(verdictsOf(pairs), {
      unfinished: "worse",
      errors: "no difference seen",
      "request p50": "better"
    })
    assert.notProperty(verdictsOf(pairsOf(1)), "unfinished")
  })

  it("leaves out metrics with too few points", () => {
    const few = { count: 30, p50: 1, p95: 2, p99: 3, max: 4 }
    const pairs = noises.map(() => ({
      a: measurementsOf(1, { time_to_terminal: few }),
      b: measurementsOf(1, { time_to_terminal: few })
    }))
    const names = Object.keys(verdictsOf(pairs))
    assert.include(names, "time to terminal p95")
    assert.notInclude(names, "time to terminal p99")
  })

  it("raises a false alarm in at most one of forty comparisons, and detects 30 % in noise of 8 %", () => {
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
        return measurementsOf(1, {
          requests: spread(4),
          time_to_terminal: spread(200),
          throughput: 100 / Math.exp(0.02 * normal())
        })
      }
      return noises.map(() => ({ a: figures(1), b: figures(factor) }))
    }
    const shareOf = (times: number, factor: number, tolerance: number, wanted: ReadonlyArray<string>) =>
      Array.from({ length: times }, () => Object.values(verdictsOf(noisy(factor), tolerance))).filter((verdicts) =>
        verdicts.some((verdict) => wanted.includes(verdict))
      ).length / times
    const alarms = (times: number, factor: number, tolerance: number) => shareOf(times, factor, tolerance, ["worse"])
    assert.isBelow(alarms(800, 1, 0), 0.03)
    assert.isBelow(alarms(400, 1, 0.05), 0.01)
    assert.isAbove(alarms(300, 1.3, 0.05), 0.8)
    // that B is slower at all shows sooner than that it's slower than is tolerated, with as few false alarms
    const atAll = ["worse", "slower", "within tolerance"]
    assert.isBelow(shareOf(800, 1, 0.05, ["worse", "slower"]), 0.03)
    assert.isAbove(shareOf(300, 1.2, 0.05, atAll), 0.8)
    assert.isBelow(alarms(300, 1.2, 0.05), 0.8)
  })
})

it("returns for all rows the first verdict that any row has", () => {
  const order = [
    "worse",
    "slower",
    "cannot tell",
    "better",
    "faster",
    "within tolerance",
    "no difference seen"
  ] as const
  const [row] = AbComparison.of(pairsOf(1), { tolerance: 0.05 })
  for (const [index, verdict] of order.entries()) {
    const rows = order.slice(index).flatMap((verdict) => (row === undefined ? [] : [{ ...row, verdict }]))
    assert.strictEqual(AbComparison.conclusionOf(rows.toReversed()), verdict)
  }
})

describe("table and verdict", () => {
  const report = (factor: number): AbReport.AbReport => {
    const rows = AbComparison.of(pairsOf(factor), { tolerance: 0.05 })
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
      verdict: AbComparison.conclusionOf(rows)
    }
  }

  it("name the change with its interval, and the smallest detectable change", () => {
    const { rows } = report(1.3)
    const [head, first] = AbReport.table(rows, plain)
    assert.match(head ?? "", /^metric +A +B +ratio +95 % interval +smallest detectable change +verdict$/u)
    assert.match(
      first ?? "",
      /^time to terminal p50 +200 ms +260 ms +1\.30 \(\+30 %\) +\+29 % to \+31 % +\+6 % +WORSE$/u
    )
    assert.match(
      AbReport.headline(report(1.3), plain),
      /^B is worse: by more than 5 %: time to terminal p50 \+30 % \(\+29 % to \+31 %\), /u
    )
    assert.strictEqual(
      AbReport.headline(report(1), plain),
      "no difference seen: smallest detectable change of a time: +6 % or less"
    )
    assert.match(
      AbReport.headline(report(1 / 1.3), plain),
      /^B is better: time to terminal p50 -23 % \(-24 % to -22 %\), /u
    )
  })

  it("call a change around the tolerance slower, and name the pairs that would settle it", () => {
    const pairs = [-3, -2, -1, 0, 1, 2, 3].map((step) => ({
      a: measurementsOf(1),
      b: measurementsOf(1.18 * Math.exp((0.14 * step) / 3), { errors: 0.006 + step / 1000 })
    }))
    const rows = AbComparison.of(pairs, { tolerance: 0.05 })
    const verdict = AbComparison.conclusionOf(rows)
    assert.strictEqual(verdict, "slower")
    const lines = AbReport.table(rows, plain)
    assert.match(lines.find((text) => text.startsWith("request p50")) ?? "", /\+\d % to \+\d+ % +\+\d+ % +slower$/u)
    assert.match(lines.find((text) => text.startsWith("errors")) ?? "", / higher$/u)
    assert.match(
      AbReport.headline({ ...report(1), rows, verdict }, plain),
      /^B is worse, maybe by no more than the tolerance of 5 %: .*request p50 \+18 % \(\+\d % to \+3\d %\).*; about \d+ pairs would be needed \(--pairs\)$/u
    )
    const times = rows.filter(({ kind }) => kind === "ratio")
    assert.match(
      AbReport.headline({ ...report(1), rows: times, verdict }, plain),
      /^B is slower, maybe by no more than /u
    )
    const needed = times[0]?.pairs_needed ?? 0
    const many = Array.from({ length: needed }, (_, index) => pairs[index % pairs.length] ?? []).flat()
    assert.strictEqual(AbComparison.of(many, { tolerance: 0.05 })[0]?.verdict, "worse")
  })

  it("show a drop in throughput with its sign, as worse", () => {
    const pairs = noises.map((noise) => ({
      a: measurementsOf(1, { throughput: 53 * noise }),
      b: measurementsOf(1, { throughput: 43 * noise * noise })
    }))
    const rows = AbComparison.of(pairs, { tolerance: 0.05 })
    const throughput = rows.find(({ name }) => name === "throughput")
    assert.strictEqual(throughput?.verdict, "worse")
    assert.isBelow(throughput?.high ?? 9, 1)
    assert.isBelow(throughput?.detectable ?? 9, 1)
    const line = AbReport.table(rows, plain).find((text) => text.startsWith("throughput")) ?? ""
    assert.match(line, /^throughput +53\.1\/s +43\.1\/s +0\.81 \(-19 %\) +-2\d % to -1\d % +-\d+ % +WORSE$/u)
    assert.match(
      AbReport.headline({ ...report(1), rows, verdict: AbComparison.conclusionOf(rows) }, plain),
      /throughput -19 % \(/u
    )
  })

  it("can't tell if the pairs scatter too much, and name the number of pairs that would be enough", () => {
    const p95s = [105, 15, 40, 300, 12, 20, 700]
    const slow = (p95: number) => ({ count: 200, p50: 10, p95, p99: p95 * 2, max: 1000 })
    const pairs = p95s.map((p95, index) => ({
      a: measurementsOf(1, { requests: slow(15 + index / 10) }),
      b: measurementsOf(1, { requests: slow(p95) })
    }))
    const rows = AbComparison.of(pairs, { tolerance: 0.05 })
    const row = rows.find(({ name }) => name === "request p95")
    assert.strictEqual(row?.verdict, "cannot tell")
    assert.isAbove(row?.pairs_needed ?? 0, 100)
    assert.strictEqual(AbComparison.conclusionOf(rows), "cannot tell")
    const line = AbReport.headline({ ...report(1), rows, verdict: "cannot tell" }, plain)
    assert.match(
      line,
      /^cannot tell: request p95 \+\d+ % \(-\d+ % to over \+900 %\), .*; about \d+ pairs would be needed \(--pairs\)$/u
    )
    // with that many pairs, which scatter as these do, it can
    const needed = Array.from({ length: row?.pairs_needed ?? 0 }, (_, index) => pairs[index % pairs.length] ?? [])
    const again = AbComparison.of(needed.flat(), { tolerance: 0.05 }).find(({ name }) => name === "request p95")
    assert.notStrictEqual(again?.verdict, "cannot tell")
  })
})
