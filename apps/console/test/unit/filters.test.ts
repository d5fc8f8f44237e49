import { assert, describe, it } from "@effect/vitest"
import { filtersOf, fits, requestOf, textOf } from "../../src/features/runs/filters.ts"

describe("filters", () => {
  it("survive a round trip through the address, in one order", () => {
    const filters = { tag: "nightly", status: "failed", search: "cheap flight", minUsd: "0.5", from: "2026-11-01" }
    const text = textOf(filters)
    assert.deepStrictEqual(filtersOf(text), filters)
    assert.strictEqual(text, textOf(Object.fromEntries(Object.entries(filters).toReversed())))
  })

  it("omit values that no request can have, and unknown names", () => {
    assert.deepStrictEqual(filtersOf("?status=unknown&minUsd=cheap&from=yesterday&page=3&search="), {})
    assert.deepStrictEqual(requestOf("?status=failed&minUsd=0.5"), { status: "failed", minUsd: 0.5 })
  })

  it("remove a filter that is undefined", () => {
    assert.strictEqual(textOf({ status: undefined, key: "shop" }), "?key=shop")
    assert.strictEqual(textOf({ status: undefined }), "")
  })

  it("remove a run from a list when its status changes", () => {
    assert.isFalse(fits({ status: "completed" }, { status: "running" }))
    assert.isTrue(fits({ status: "running" }, { status: "running" }))
    assert.isTrue(fits({ status: "completed" }, {}))
  })
})
