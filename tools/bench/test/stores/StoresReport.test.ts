import { assert, it } from "vitest"
import { markdown } from "../../src/stores/StoresReport.ts"
import { heading } from "../measure/heading.ts"

const settings = { rounds: 3, creates: 300, window_s: 1, followed: 3, connections: 12 }

const round = (times: number, postgres: number) => ({
  creates_perSecond: 1000 / times,
  turn_nodes_ms: times,
  turn_postgres_ms: postgres,
  reads_perSecond: 2000 / times,
  read_nodes_ms: times / 10,
  read_postgres_ms: postgres / 10,
  running_ms: [2 * times, 4 * times, 6 * times]
})

const kept = (name: string, times: number, postgres: number) => {
  const slow = round(2 * times, 2 * postgres)
  return { name, runs: 10, kB_aRun: 2, rounds: [round(times, postgres), slow, slow] }
}

it("the page has each store's figures, their ratio to memory, and the places of CPU time", () => {
  const text = markdown({
    ...heading,
    settings,
    against: null,
    kept: [kept("memory", 1, 0), kept("SQLite", 3, 0), kept("Postgres", 3, 3)]
  })
  assert.include(text, "| creates/s | 500 | 167 | 167 |\n| ÷ memory | – | 0.33 (0.33 to 0.33) | 0.33 (0.33 to 0.33) |")
  assert.include(text, "| CPU a run, ms | 2 | 6 | 12 |\n| ÷ memory | – | 3 (3 to 3) | 6 (6 to 6) |")
  assert.include(text, "| POST to running p50, ms | 8 | 24 | 24 |")
  assert.include(text, "| Postgres: Postgres | 6 | 600 |")
  assert.notInclude(text, "SQLite: nodes")
})

it("a store has its ratios to the other version, and the other version has none", () => {
  const text = markdown({
    ...heading,
    settings,
    against: "0123abc",
    kept: [kept("memory", 1, 0), kept("memory, 0123abc", 2, 0), kept("SQLite", 3, 0), kept("SQLite, 0123abc", 2, 0)]
  })
  assert.include(text, "| ÷ 0123abc | 0.5 (0.5 to 0.5) | – | 1.5 (1.5 to 1.5) | – |")
})
