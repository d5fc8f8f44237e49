import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import * as Metrics from "../../src/Metrics.ts"
import { prometheus } from "../../src/Output.ts"

const at = (path: string) => new URL(`../../../../../${path}`, import.meta.url)

const Source = Schema.Struct({ type: Schema.Literal("prometheus"), uid: Schema.Literal("${datasource}") })
const Panel = Schema.Struct({
  id: Schema.Int,
  type: Schema.Literals(["timeseries", "stat"]),
  title: Schema.NonEmptyString,
  description: Schema.NonEmptyString,
  datasource: Source,
  gridPos: Schema.Struct({ x: Schema.Int, y: Schema.Int, w: Schema.Int, h: Schema.Int }),
  fieldConfig: Schema.Struct({ defaults: Schema.Struct({ unit: Schema.NonEmptyString }) }),
  targets: Schema.NonEmptyArray(
    Schema.Struct({
      refId: Schema.String,
      expr: Schema.NonEmptyString,
      legendFormat: Schema.String,
      datasource: Source
    })
  )
})
const Dashboard = Schema.Struct({
  title: Schema.NonEmptyString,
  uid: Schema.NonEmptyString,
  schemaVersion: Schema.Int,
  templating: Schema.Struct({ list: Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })) }),
  panels: Schema.NonEmptyArray(Panel)
})

const dashboard = Schema.decodeUnknownSync(Schema.fromJsonString(Dashboard))(
  readFileSync(at("deploy/grafana/webagent-load.json"), "utf8")
)

// of k6 itself, with how remote write names them
const k6 = {
  Counter: ["dropped_iterations", "http_reqs", "iterations"],
  Gauge: ["vus", "vus_max"],
  Rate: ["http_req_failed"],
  Trend: ["http_req_duration"]
}

/** Every series that a load test can write. */
const series = (): ReadonlySet<string> => {
  const types: Readonly<Record<string, string>> = { counter: "Counter", gauge: "Gauge", trend: "Trend" }
  const own = Object.entries(Metrics.own).map(([name, type]) => [types[type], name])
  const statistics = (prometheus("http://p")?.variables["K6_PROMETHEUS_RW_TREND_STATS"] ?? "")
    .split(",")
    .map((statistic) => statistic.replaceAll(/[()]/gu, ""))
  const all = [...Object.entries(k6).flatMap(([type, names]) => names.map((name) => [type, name])), ...own]
  return new Set(
    all.flatMap(([type, name]) => {
      if (type === "Trend") return statistics.map((statistic) => `k6_${name}_${statistic}`)
      return [`k6_${name}${{ Counter: "_total", Rate: "_rate" }[type ?? ""] ?? ""}`]
    })
  )
}

describe("the Grafana dashboard", () => {
  it("queries only series that a load test writes, for the chosen load tests", () => {
    const known = series()
    for (const { targets, title } of dashboard.panels) {
      for (const { expr } of targets) {
        for (const [name] of expr.matchAll(/k6_\w+/gu)) assert.include([...known], name, title)
        assert.include(expr, '{load_test=~"$load_test"}', title)
      }
    }
  })

  it("shows leftovers even after the end of a test", () => {
    // k6 ends its series with its end, and nothing is not 0
    const stats = dashboard.panels.filter(({ type }) => type === "stat")
    assert.isAtLeast(stats.length, 5)
    for (const { targets, title } of stats) {
      for (const { expr } of targets)
        assert.match(expr, /^sum\(last_over_time\(.+\[\$__range\]\)\) or vector\(0\)$/u, title)
    }
  })

  it("shows every metric of our own except for the sample size and those of the script's end", () => {
    const asked = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join()
    const missing = Object.keys(Metrics.own).filter((name) => !asked.includes(`k6_${name}_`))
    assert.deepStrictEqual(missing, ["browsers_cut_off", "newest_browser", "answers_decoded"])
  })

  it("has panels that don't overlap, in a grid of 24", () => {
    const taken = new Set<string>()
    for (const { gridPos, title } of dashboard.panels) {
      assert.isAtMost(gridPos.x + gridPos.w, 24, title)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.isFalse(taken.has(`${x},${y}`), title)
          taken.add(`${x},${y}`)
        }
      }
    }
    const ids = dashboard.panels.map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("has the variables that it uses", () => {
    const names = dashboard.templating.list.map(({ name }) => name)
    assert.includeMembers(names, ["datasource", "load_test"])
  })
})
