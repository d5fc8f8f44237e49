import { Store, Turn } from "@webagent/engine"
import { Database, SqlStore } from "@webagent/sql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, it } from "vitest"
import { fill, turnOf } from "../../src/lists/Filling.ts"
import { markdown } from "../../src/lists/ListsReport.ts"
import { measurePages, measureSums } from "../../src/lists/Pages.ts"
import { markdown as walkTable } from "../../src/lists/Walk.ts"
import { heading } from "../measure/heading.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-lists-test-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it("a filled database has the shares on the page, and every list is measured", async () => {
  const runs = 2000
  const measured = Effect.gen(function* () {
    yield* fill(runs, () => {})
    const { lists } = yield* Store
    const counts = yield* lists.turnCounts({}, 10_000)
    const pages = yield* measurePages(runs, 2, () => {})
    return { counts, pages, sums: yield* measureSums(1) }
  })
  const layer = Layer.provideMerge(SqlStore.layer, Database.layer({ file: join(folder, "lists.db") }))
  const { counts, pages, sums } = await Effect.runPromise(Effect.provide(measured, layer))
  assert.strictEqual(counts.running.count, 20)
  assert.approximately(counts.failed.count / runs, 0.12, 0.01)
  assert.isTrue(Turn.isTerminal(turnOf(1, runs).status))
  assert.isTrue(Object.values(pages).every(({ page }) => page.p50 > 0))
  assert.isAbove(pages["no filter"]?.rows ?? 0, 25)
  assert.isTrue(Object.values(sums).every(({ p50 }) => p50 > 0))
})

it("the page compares both databases, and shows what lists add to a create", () => {
  const times = { p50: 1, p95: 3 }
  const of = (listed: number) => ({
    pages: { "no filter": { page: times, plain: times, rows: 50 }, text: { page: times, plain: null, rows: 0.5 } },
    sums: { counts: times },
    creates: { listed: [listed, listed], unlisted: [400, 400] }
  })
  const text = markdown({ ...heading, runs: 1_000_000, sqlite: of(360), postgres: of(380) })
  assert.include(text, "1,000,000 runs")
  assert.include(text, "| no filter | 1 / 3 | 1 / 3 | 50 | 1 / 3 | 1 / 3 | 50 |")
  assert.include(text, "| text | 1 / 3 | – | 0.5 | 1 / 3 | – | 0.5 |")
  assert.include(text, "| SQLite | 360 | 400 | 0.9 (0.9 to 0.9) |")
})

it("the walk's page shows the server's memory", () => {
  const pages = { p50: 4.6, p95: 44 }
  const rss = { before: 145.4, most: 281, after: 222.6 }
  const text = walkTable({ ...heading, walk: { runs: 1_000_010, pages, streams: 100, events: 200, rss } })
  assert.include(text, "| runs in the walk, each once | 1,000,010 |")
  assert.include(text, "| most memory during the walk | 281 MB |")
})
