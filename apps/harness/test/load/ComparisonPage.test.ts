import { assert, describe, it } from "@effect/vitest"
import * as ComparisonPage from "../../src/load/ComparisonPage.ts"
import { comparison as reportOf } from "./reports.ts"

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

  it("says what shaped the load: users where there is no rate", () => {
    const page = ComparisonPage.render(reportOf(1, { settings: { vus: 3, mix: "runs=1", profile: "flaky" } }))
    assert.include(page, "<td>closed: 3 virtual users</td>")
    assert.include(page, "<td>runs=1</td>")
    assert.include(page, "<td>flaky</td>")
    assert.notInclude(page, "starts a second")
    assert.include(ComparisonPage.render(reportOf(1)), "<td>open: 20 starts a second</td>")
  })

  it("of what would have been seen says no more than that it is nothing, where it is nothing", () => {
    const { rows, ...report } = reportOf(1)
    const blind = rows.map((row) => ({ ...row, low: 0.00001, high: 7558, detectable: 65_000 }))
    const page = ComparisonPage.render({ ...report, rows: blind })
    assert.include(page, "would have seen &gt; +900 % in the steadiest time, &gt; +900 % in the least steady")
    assert.include(page, "<td>&lt; 0.1 .. &gt; 10</td><td>&gt; +900 %</td>")
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
