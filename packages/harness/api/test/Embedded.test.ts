import { describe, expect, it } from "@effect/vitest"
import { embeddedSource, type EmbeddedData, packedData } from "@webagent/harness-api/Embedded"
import { absent, cellsOf, letterOf, verdictOf } from "@webagent/harness-api/NightCells"
import type { SourceError } from "@webagent/harness-api/Source"
import { Verdict } from "@webagent/report/Verdict"
import * as Effect from "effect/Effect"
import { gzipSync } from "node:zlib"

const column = (id: string, cells: string, rates: ReadonlyArray<readonly [number, number, number]>) => ({
  id,
  startedAt: `2026-11-2${id}T03:00:00.000Z`,
  duration_ms: 1000,
  cost_usd: "0",
  status: "passed" as const,
  findings: [],
  partial: null,
  isAway: false,
  target: "simulated",
  tool: "0.0.0",
  trials: 5,
  run: null,
  planned: { duration_ms: 1000, cost_usd: "0" },
  regressed: [],
  outages: [],
  leaks: 0,
  breaches: 0,
  revisions: {},
  cells,
  usual: 5,
  rates
})

const row = (name: string) => ({ suite: "shop", name, tags: [], owner: null, quarantine: null })

const pack = (text: string) => gzipSync(text).toString("base64")

const data = {
  home: null,
  start: null,
  reports: {},
  runs: { rows: [], next: null, total: 0 },
  details: [],
  traces: {
    "a/traces/1.json": pack(JSON.stringify({ format: 1, suite: "shop" })),
    "a/traces/2.json": "AAAA"
  },
  nights: {
    rows: [row("pays"), row("searches")],
    nights: [column("1", `p${absent}`, []), column("2", "kp", [[0, 3, 5]])],
    total: 2,
    problems: []
  },
  nightDetails: [],
  comparisons: [],
  trend: [],
  durations: [
    [10, 0],
    [0, 30]
  ],
  costs: [[], [0, 0.5]],
  loads: [],
  loadDetails: [],
  loadComparisons: [],
  comparedLoads: {}
} as unknown as EmbeddedData

describe("NightCells", () => {
  it("reads the letter of every verdict", () => {
    for (const verdict of Verdict.literals) expect(verdictOf(letterOf(verdict))).toBe(verdict)
    expect(new Set(Verdict.literals.map(letterOf)).size).toBe(Verdict.literals.length)
    expect(verdictOf(absent)).toBeUndefined()
    expect(verdictOf(undefined)).toBeUndefined()
  })

  it("reads usual and unusual results of a night", () => {
    const cell = cellsOf(column("1", `pk${absent}`, [[1, 2, 4]]))
    expect(cell(0)).toEqual({ verdict: "passed", passed: 5, scored: 5 })
    expect(cell(1)).toEqual({ verdict: "flaky", passed: 2, scored: 4 })
    expect(cell(2)).toBeUndefined()
    expect(cell(3)).toBeUndefined()
  })
})

describe("embeddedSource", () => {
  const source = embeddedSource(packedData(data, pack))

  it("returns figures in the order of the map", async () => {
    expect(await Effect.runPromise(source.figures("cost"))).toEqual({ nights: ["1", "2"], rows: data.costs })
    expect((await Effect.runPromise(source.figures("duration"))).rows).toEqual(data.durations)
  })

  it("returns a scenario over time from the columns of the heat map", async () => {
    const { points } = await Effect.runPromise(source.trend({ suite: "shop", name: "searches" }))
    expect(points).toEqual([
      {
        night: "2",
        startedAt: "2026-11-22T03:00:00.000Z",
        verdict: "passed",
        passed: 5,
        scored: 5,
        duration_ms: 30,
        cost_usd: 0.5
      }
    ])
    const paid = await Effect.runPromise(source.trend({ suite: "shop", name: "pays" }))
    expect(paid.points.map(({ cost_usd, duration_ms, passed }) => [passed, duration_ms, cost_usd])).toEqual([
      [5, 10, 0],
      [3, null, 0]
    ])
  })

  it("decompresses a trace", async () => {
    const trace = await Effect.runPromise(source.trace("a", "traces/1.json"))
    expect(trace).toEqual({ format: 1, suite: "shop" })
  })

  it("compares any two nights by their results and figures", async () => {
    const letters = ["ppfp", "ppfp", "pfpp"]
    const nights = letters.map((cells, index) =>
      column(String(index + 1), cells, cells === "pfpp" ? [[1, 0, 5]] : [[2, 0, 5]])
    )
    const rows = ["same", "breaks", "heals", "slows"].map(row)
    const figures = rows.map(({ name }) => (name === "slows" ? [100, 100, 200] : [100, 101, 102]))
    const changed = { nights: { rows, nights, total: 3, problems: [] }, durations: figures, costs: [[], [], [], []] }
    const all = embeddedSource(packedData({ ...data, ...changed }, pack))
    const { also, because, changes, note, scenarios, verdict } = await Effect.runPromise(all.compare("3", "1"))
    expect([verdict, because, also, scenarios]).toEqual([
      "worse",
      [{ _tag: "Scenarios", kind: "newly failing", count: 1 }],
      [],
      4
    ])
    expect(changes.map(({ isCertain, kind, name }) => [name, kind, isCertain])).toEqual([
      ["breaks", "newly failing", true],
      // it also failed in the other night, so that its pass is no evidence
      ["heals", "fixed", false],
      ["slows", "slower", false]
    ])
    expect(note).toContain("webagent-harness compare")
    const same = await Effect.runPromise(all.compare("2", "1"))
    expect([same.verdict, same.changes]).toEqual(["no difference seen", []])
  })

  it("shows its first screens if its nights' details are damaged, and reports that for the others", async () => {
    const damaged = embeddedSource({ ...packedData(data, pack), further: "AAAA" })
    expect(await Effect.runPromise(damaged.nights())).toEqual(data.nights)
    const reads: ReadonlyArray<Effect.Effect<unknown, SourceError>> = [
      damaged.figures("cost"),
      damaged.night("1"),
      damaged.compare("2", "1"),
      damaged.trend(null)
    ]
    for (const read of reads) {
      expect((await Effect.runPromise(Effect.flip(read))).detail).toContain("without readable details of its nights")
    }
  })

  it("names the command that shows missing data", async () => {
    const missing: ReadonlyArray<Effect.Effect<unknown, SourceError>> = [
      source.run("b"),
      source.trace("a", "traces/9.json"),
      source.trace("a", "traces/2.json"),
      source.night("1"),
      source.compare("2", "9"),
      source.compare("2", "2"),
      source.trend({ suite: "shop", name: "none" }),
      source.load("a", "smoke")
    ]
    for (const read of missing) {
      const { detail } = await Effect.runPromise(Effect.flip(read))
      expect(detail).toContain("webagent-harness ui")
    }
    expect(source.actions).toBeNull()
  })
})
