import { assert, describe, it } from "vitest"
import { filtersOf, fits, textOf } from "../../src/features/events/filters.ts"
import { rowOf, rowOfPast } from "../../src/state/feed.ts"

const run = { id: "r1", status: "failed", task: "Find a mug", error: "No mug", owner: "shop", node: "node-a" }

describe("a row of events", () => {
  it("keeps the fields that a filter needs, and no record", () => {
    const { n: _, ...row } = rowOf({ id: "41", event: "run", data: { ...run, result: "x".repeat(100_000) } }, 5)
    assert.deepStrictEqual(row, {
      position: "41",
      kind: "run",
      at_ms: 5,
      id: "r1",
      text: "failed: No mug",
      run: "r1",
      key: "shop",
      node: "node-a"
    })
    const step = rowOf({ id: "42", event: "step", data: { runId: "r1", number: 3, summary: "Open the shop" } }, 5)
    assert.deepStrictEqual([step.id, step.run, step.text], ["r1", "r1", "3. Open the shop"])
    const browser = { id: "b", status: "active", title: "Mugs", runId: "r1" }
    assert.strictEqual(rowOf({ id: "43", event: "browser", data: browser }, 5).text, "active: Mugs")
    const driven = rowOf({ id: "43", event: "browser", data: { ...browser, driver: "ops" } }, 5)
    assert.deepStrictEqual([driven.id, driven.run, driven.text], ["b", "r1", "active, driven by ops: Mugs"])
    assert.strictEqual(rowOf({ id: "44", event: "later", data: null }, 5).text, "")
  })

  it("names a status as on the other screens", () => {
    const started = { ...run, status: "dispatching", error: null }
    assert.strictEqual(rowOf({ id: "41", event: "run", data: started }, 5).text, "starting: Find a mug")
    const past = { position: "1", at: "2026-11-28T12:00:00Z", kind: "run", id: "r1", owner: null } as const
    const moved = { ...past, from: "queued", to: "dispatching", step: null, control: null }
    assert.strictEqual(rowOfPast(moved).text, "queued to starting")
  })

  it("matches the filters in the address", () => {
    const row = rowOf({ id: "41", event: "run", data: run }, 5)
    for (const [search, isFitting] of [
      ["", true],
      ["?kind=run&run=r1&key=shop&node=node-a", true],
      ["?kind=browser", false],
      ["?key=other", false],
      ["?node=node-b", false],
      ["?run=r2", false]
    ] as const) {
      assert.strictEqual(fits(row, filtersOf(search)), isFitting, search)
      assert.strictEqual(textOf(filtersOf(search)), search)
    }
  })
})
