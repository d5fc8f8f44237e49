import { assert, describe, it } from "vitest"
import { type ClientsReport, costRatio, markdown } from "../../src/clients/ClientsReport.ts"
import { heading } from "../measure/heading.ts"

const costs = (name: string, ...cpu_us: ReadonlyArray<number>) => ({
  name,
  cpu_us: { create: cpu_us, status: cpu_us, get: cpu_us, run: cpu_us }
})

const report: ClientsReport = {
  ...heading,
  pinning: "service on core 0, client on core 1",
  against: null,
  settings: { rounds: 3, window_ms: 500, warmup_ms: 1000, concurrency: 16, polls: 30 },
  titles: { "effect-fetch": "ours", "browser-use": "browser-use-sdk", "raw-fetch": "fetch by hand" },
  calls: [costs("effect-fetch", 40, 44, 36), costs("browser-use", 20, 22, 18), costs("raw-fetch", 10, 11, 9)],
  waits: [
    {
      name: "effect-fetch",
      waits: 10_000,
      polls: 1000,
      perSecond: 50,
      peak: 15,
      ended: 1,
      failed: 1,
      failure: "Error: gone",
      delay_ms: { median: 680, max: 12_000 },
      memory: { before: { heap_MB: 10, rss_MB: 60 }, standing: { heap_MB: 30, rss_MB: 95.4 } }
    }
  ],
  sizes: [
    {
      entry: "@webagent/v4",
      rolldown: { minified: 198_000, gzip: 64_600 },
      esbuild: { minified: 215_000, gzip: 73_400 }
    }
  ],
  sizesBefore: [],
  parts: [{ part: "effect: schemas", minified: 45_700, gzip: 13_200 }],
  imports: [{ name: "@webagent/v4", cpu_ms: [3, 1, 2], took_ms: [30, 10, 20] }]
}

describe("ClientsReport", () => {
  it("compares a cost with manual calls and with the other SDK", () => {
    assert.include(markdown(report), "| ours | fetch | 40 | 4 (4 to 4) | 2 (2 to 2) |")
    assert.include(markdown(report), "| fetch by hand | fetch | 10 | 1 | 0.5 (0.5 to 0.5) |")
    assert.isUndefined(costRatio(report.calls, "effect-undici", "raw-undici", "create"))
  })

  it("shows the rate, peak, delay and memory of waits", () => {
    assert.include(markdown(report), "| ours | 10,000 | 1,000 | 50 | 15 | 0.68 | 12 | 1 | 1 | 2.0 | 95 |")
    assert.include(markdown(report), "- ours, 10,000 waits, failed with: Error: gone")
  })

  it("compares calls, sizes and imports with the other version", () => {
    const text = markdown({
      ...report,
      against: "0123abc",
      titles: { ...report.titles, "effect-fetch-before": "ours, 0123abc" },
      calls: [...report.calls, costs("effect-fetch-before", 20, 88, 36)],
      sizesBefore: report.sizes.map((size) => ({ ...size, rolldown: { minified: 180_000, gzip: 60_500 } })),
      imports: [
        { name: "@webagent/v4", cpu_ms: [3, 1, 2], took_ms: [30, 10, 20] },
        { name: "@webagent/v4, 0123abc", cpu_ms: [6, 2, 4], took_ms: [30, 10, 20] }
      ]
    })
    assert.include(text, "| ours | fetch | 40 | 4 (4 to 4) | 2 (2 to 2) | 1.00 (0.50 to 2.00) |")
    assert.include(text, "| ours, 0123abc | fetch | 36 | 4 (2 to 8) | 2 (1 to 4) | – |")
    assert.include(text, "| `@webagent/v4` | 198.0 | 64.6 | 215.0 | 73.4 | 60.5 |")
    assert.include(text, "| @webagent/v4 | 2 | 20 | 0.50 (0.50 to 0.50) |")
    assert.include(text, "| @webagent/v4, 0123abc | 4 | 20 | – |")
  })

  it("shows sizes in kB and imports in ms", () => {
    assert.include(markdown(report), "| `@webagent/v4` | 198.0 | 64.6 | 215.0 | 73.4 |")
    assert.include(markdown(report), "| effect: schemas | 45.7 | 13.2 |")
    assert.include(markdown(report), "| @webagent/v4 | 2 | 20 |")
  })
})
