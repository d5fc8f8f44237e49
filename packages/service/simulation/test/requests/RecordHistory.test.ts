import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as RecordHistory from "../../src/requests/RecordHistory.ts"

const now = Option.some("now")

describe("RecordHistory", () => {
  it("returns a record as it was at a time, or its present state if no version is stored", () => {
    const versions = RecordHistory.make<string>()
    versions.keep("a", Option.none(), 10)
    versions.keep("a", Option.some("first"), 20)
    const at = [5, 9, 10, 19, 20, 30].map((at_ms) => Option.getOrNull(versions.at("a", now, at_ms)))
    assert.deepStrictEqual(at, [null, null, "first", "first", "now", "now"])
    assert.deepStrictEqual(versions.at("b", now, 0), now)
  })

  it("forgets versions that ended before a time", () => {
    const versions = RecordHistory.make<string>()
    versions.keep("a", Option.none(), 10)
    versions.keep("a", Option.some("first"), 20)
    versions.forget(10)
    assert.deepStrictEqual(versions.at("a", now, 5), Option.some("first"))
    versions.forget(20)
    assert.deepStrictEqual(versions.at("a", now, 5), now)
  })

  it("keeps at most its number of versions", () => {
    const versions = RecordHistory.make<string>(3000)
    for (const index of Array.from({ length: 10_000 }, (_, index) => index)) {
      versions.keep(`r${index}`, Option.none(), index + 1)
    }
    assert.deepStrictEqual(versions.at("r6999", now, 0), now)
    assert.deepStrictEqual(versions.at("r7000", now, 0), Option.none())
    versions.forget(10_000)
    assert.deepStrictEqual(versions.at("r9999", now, 0), now)
  })
})
