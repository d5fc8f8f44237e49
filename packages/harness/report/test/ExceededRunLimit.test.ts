import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { StoredRunLimit } from "../src/StoredSentences.ts"

describe("a limit that the shards of a run exceeded", () => {
  const read = Schema.decodeUnknownSync(StoredRunLimit)

  it("is read back unchanged, and from an earlier version's sentence", () => {
    const limit = { _tag: "Requests", actual: 12, limit: 10 } as const
    assert.deepStrictEqual(read(JSON.parse(JSON.stringify(limit))), limit)
    const sentence = "the shards sent 12 requests together, more than the 10 of the night"
    assert.deepStrictEqual(read(sentence), { _tag: "Other", text: sentence })
  })
})
