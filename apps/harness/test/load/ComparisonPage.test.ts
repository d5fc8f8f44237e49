import { assert, describe, it } from "@effect/vitest"
import * as Comparison from "../../src/load/Comparison.ts"
import * as ComparisonPage from "../../src/load/ComparisonPage.ts"
import type { ComparisonReport } from "../../src/load/ComparisonReport.ts"
import { figuresOf, normals } from "./figures.ts"

const reportOf = (factor: number, more: Partial<ComparisonReport> = {}): ComparisonReport => {
  const normal = normals(3)
  const pairs = Array.from({ length: 7 }, (_, index) => ({
    order: index % 2 === 0 ? ("AB" as const) : ("BA" as const),
    a: figuresOf(Math.exp(0.02 * normal())),
    b: figuresOf(factor * Math.exp(0.02 * normal()))
  }))
  const rows = Comparison.of(pairs, { tolerance: 0.05 })
  return {
    tool: { name: "webagent-harness", version: "0.0.0", k6: "2.2.0" },
    test: "average-load",
    a: { name: "webagent-server", address: "http://127.0.0.1:4400", simulated: true },
    b: { name: "http://127.0.0.1:4401", address: "http://127.0.0.1:4401", simulated: false },
    startedAt: "2026-01-02T03:04:05.678Z",
    rate: 20,
    duration_ms: 5000,
    seed: 4,
    tolerance: 0.05,
    pairs,
    rows,
    verdict: rows.some(({ verdict }) => verdict === "worse") ? "regressed" : "no evidence",
    ...more
  }
}

const count = (page: string, text: string) => page.split(text).length - 1

describe("ComparisonPage", () => {
  it("says what happened first, then every figure and every pair", () => {
    const page = ComparisonPage.render(reportOf(1.3))
    assert.match(page, /<p><b class="bad">regressed<\/b> by more than 5 %: time to terminal p50 \+\d+ %/u)
    assert.match(page, /<th scope="row">request p95<\/th>.*?<b class="bad">WORSE<\/b>/u)
    assert.match(page, /<th scope="row">errors<\/th>.*?no evidence of change/u)
    assert.strictEqual(count(page, "<td>AB</td>") + count(page, "<td>BA</td>"), 7)
    assert.include(page, "webagent-server, http://127.0.0.1:4400</td>")
    assert.include(page, "<td>http://127.0.0.1:4401 (not simulated)</td>")
    assert.include(page, "2026-01-02 03:04:05 UTC")
  })

  it("a comparison without evidence says what it would have seen", () => {
    const page = ComparisonPage.render(reportOf(1))
    assert.match(page, /<b class="good">no evidence that B is worse<\/b> · would have seen \+\d+ %/u)
    assert.notInclude(page, "WORSE")
  })

  it("draws each ratio with its interval, and says it in words", () => {
    const page = ComparisonPage.render(reportOf(1.3))
    assert.match(page, /<title>request p50: \+\d+ %, within \+\d+ % and \+\d+ %, worse<\/title>/u)
    // seven ratios; errors are a difference
    assert.strictEqual(count(page, 'class="reach"'), 7)
    assert.strictEqual(count(page, 'class="sees"'), 7)
  })

  it("an interval without ends stays inside of the chart", () => {
    const { pairs, rows, ...report } = reportOf(1)
    const endless = rows.map((row) => ({ ...row, low: 0, high: Infinity, detectable: Infinity }))
    const page = ComparisonPage.render({ ...report, pairs, rows: endless })
    assert.notMatch(page, /NaN|x[12]="-|x[12]="Infinity/u)
    assert.strictEqual(count(page, 'class="sees"'), 0)
  })

  it("is one file: no script, nothing from elsewhere, and what it shows is escaped", () => {
    const page = ComparisonPage.render(reportOf(1.3, { test: "<script>alert(1)</script>" }))
    assert.notMatch(page, /<script|<link|src=|url\(/u)
    assert.include(page, "&lt;script&gt;")
  })
})
