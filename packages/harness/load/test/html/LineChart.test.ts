import { assert, describe, it } from "@effect/vitest"
import * as LineChart from "../../src/html/LineChart.ts"

const chart = (values: ReadonlyArray<number | null>) =>
  LineChart.render({
    title: "Time <b>",
    step_ms: 1000,
    format: (value) => `${value} ms`,
    lines: [{ label: "p50", values }]
  })

describe("render", () => {
  it("draws lines with gaps, and a dot for a single value", () => {
    const svg = chart([10, 20, null, 40])
    assert.match(svg, /class="line line-0" d="M84 [\d.]+L258 [\d.]+"/u)
    assert.strictEqual(svg.match(/<circle /gu)?.length, 1)
    assert.include(svg, 'p50 <span class="faint">at most 40 ms</span>')
    assert.include(svg, "Time &lt;b&gt;")
  })

  it("has round ticks from zero", () => {
    const ticks = Array.from(chart([3, 37]).matchAll(/text-anchor="end">([^<]+)</gu), ([, text]) => text)
    assert.deepStrictEqual(ticks, ["0 ms", "10 ms", "20 ms", "30 ms", "40 ms"])
  })

  it("shows milliseconds even next to a stall of seconds", () => {
    const svg = chart([4, 5, 6, 9000])
    assert.include(svg, "logarithmic scale")
    const ticks = Array.from(svg.matchAll(/text-anchor="end">([^<]+)</gu), ([, text]) => text)
    assert.deepStrictEqual(ticks, ["1 ms", "10 ms", "100 ms", "1000 ms", "10000 ms"])
  })

  it("reports that nothing was measured", () => {
    assert.include(chart([null, null]), "nothing measured")
    assert.include(chart([]), "nothing measured")
  })
})
