import { assert, describe, it } from "@effect/vitest"
import { isExpired } from "../../src/domain/IdempotencyRecord.ts"
import { browser } from "./records.ts"

describe("IdempotencyRecord", () => {
  it("is valid for exactly 24 hours", () => {
    const record = { key: "a", body: "b", createdAt_ms: 5, made: { _tag: "Browser", browser } } as const
    assert.isFalse(isExpired(record, 86_400_004))
    assert.isTrue(isExpired(record, 86_400_005))
  })
})
