import { assert, describe, it } from "@effect/vitest"
import * as AbHtml from "../../src/html/AbHtml.ts"
import { comparison as reportOf } from "../reports.ts"

/** The page, its cells without the labels that they show on a phone. */
const render = (...of: Parameters<typeof AbHtml.render>) => AbHtml.render(...of).replaceAll(/<td [^>]*>/gu, "<td>")

const count = (page: string, text: string) => page.split(text).length - 1

describe("AbHtml", () => {
  it("shows the result first, then every metric and every pair", () => {
    const page = render(reportOf(1.3))
    assert.match(page, /<p><b class="bad">B is worse<\/b>: by more than 5 %: time to terminal p50 \+\d+ %/u)
    assert.match(page, /<th scope="row">request p95<\/th>.*?<b class="bad">WORSE<\/b>/u)
    assert.match(page, /<th scope="row">errors<\/th>.*?no difference seen/u)
    assert.strictEqual(count(page, "<td>AB</td>") + count(page, "<td>BA</td>"), 7)
    assert.include(page, "webagent-server, http://127.0.0.1:4400</td>")
    assert.include(page, "<td>http://127.0.0.1:4401 (not simulated)</td>")
    assert.include(page, "2026-01-02 03:04:05 UTC")
  })

  it("shows the smallest detectable change if there's no difference", () => {
    const page = render(reportOf(1))
    assert.match(
      page,
      /<b class="good">no difference seen<\/b>: smallest detectable change of a time: \+\d+ % or less/u
    )
    assert.notInclude(page, "WORSE")
  })

  it("draws each ratio with its interval, and describes it in words", () => {
    const page = render(reportOf(1.3))
    assert.match(page, /<title>request p50: \+\d+ %, 95 % interval \+\d+ % to \+\d+ %, worse<\/title>/u)
    // seven ratios; errors are a difference
    assert.strictEqual(count(page, 'class="interval"'), 7)
    assert.strictEqual(count(page, 'class="detectable"'), 7)
  })

  it("shows the settings of the load: users if there is no rate", () => {
    const page = render(reportOf(1, { settings: { vus: 3, mix: "runs=1", profile: "flaky" } }))
    assert.include(page, "<td>closed: 3 virtual users</td>")
    assert.include(page, "<td>runs=1</td>")
    assert.include(page, "<td>flaky</td>")
    assert.notInclude(page, "starts per second")
    assert.include(render(reportOf(1)), "<td>open: 20 starts per second</td>")
  })

  it("reports that a comparison can't tell, and how many pairs it needs", () => {
    const { rows, ...report } = reportOf(1)
    const blind = rows.map((row) => ({
      ...row,
      low: 0.00001,
      high: 7558,
      detectable: 65_000,
      pairs_needed: 61,
      verdict: "cannot tell" as const
    }))
    const page = render({ ...report, rows: blind, verdict: "cannot tell" })
    assert.include(page, "; about 61 pairs would be needed (--pairs)")
    assert.include(page, "<td>under -90 % to over +900 %</td><td>over +900 %</td><td><b>cannot tell</b></td>")
  })

  it("keeps an unbounded interval inside of the chart", () => {
    const { pairs, rows, ...report } = reportOf(1)
    const endless = rows.map((row) => ({ ...row, low: 0, high: Infinity, detectable: Infinity }))
    const page = render({ ...report, pairs, rows: endless })
    assert.notMatch(page, /NaN|x[12]="-|x[12]="Infinity/u)
    assert.strictEqual(count(page, 'class="detectable"'), 0)
  })

  it("is one file without scripts or external resources, and escapes its values", () => {
    const page = render(reportOf(1.3, { test: "<script>alert(1)</script>" }))
    assert.notMatch(page, /<script|<link|src=|url\(/u)
    assert.include(page, "&lt;script&gt;")
  })
})
