import { assert, describe, it } from "@effect/vitest"
import * as CreateHashes from "../../src/requests/CreateHashes.ts"

const hashes = (bound?: number) => {
  const creates = CreateHashes.make(bound)
  const of = (idempotencyKey: string | undefined, body: string, resource: string | null = null) =>
    creates.of({ operation: "v4.createRun", resource, idempotencyKey, body })
  return { creates, of }
}

const drawn = (ordinal: number) => `0b0d8e5a-6f3c-4b7e-9d1a-${String(ordinal).padStart(12, "0")}`

describe("CreateHashes", () => {
  it("identify a create by its key, or otherwise by its path and body", () => {
    const { of } = hashes()
    assert.strictEqual(of("k", "a"), of("k", "b"))
    assert.notStrictEqual(of("k", "a"), of("l", "a"))
    assert.strictEqual(of(undefined, "a"), of(undefined, "a"))
    assert.notStrictEqual(of(undefined, "a"), of(undefined, "b"))
    assert.notStrictEqual(of(undefined, "a", "s1"), of(undefined, "a", "s2"))
    assert.notStrictEqual(of("a", ""), of(undefined, "a"))
  })

  it("treat creates with drawn keys as the same in the next run, although their keys differ", () => {
    const run = (from: number) => {
      const { of } = hashes()
      return [of(drawn(from), "a"), of(drawn(from + 1), "a"), of(drawn(from + 2), "b"), of(drawn(from + 3), "a", "s1")]
    }
    assert.deepStrictEqual(run(1), run(100))
    assert.strictEqual(new Set(run(1)).size, 4)
  })

  it("treat a create that is repeated under its drawn key as the same one", () => {
    const { of } = hashes()
    const first = of(drawn(10).replace("e5a", "abc"), "a")
    of(drawn(2), "a")
    assert.strictEqual(of(drawn(10).replace("e5a", "ABC"), "a"), first)
  })

  it("restart their counts when they are cleared", () => {
    const { creates, of } = hashes()
    const first = of(drawn(1), "a")
    creates.clear()
    assert.strictEqual(of(drawn(2), "a"), first)
  })

  it("drop the oldest when there are too many", () => {
    const { of } = hashes(2)
    const first = of(drawn(1), "a")
    of(drawn(2), "b")
    assert.strictEqual(of(drawn(1), "a"), first)
    of(drawn(3), "c")
    assert.strictEqual(of(drawn(4), "a"), first)
  })
})
