import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { CountedCause, FailureCause } from "../src/FailureCause.ts"

const read = Schema.decodeUnknownSync(FailureCause)

describe("a failure's cause", () => {
  it("is read back unchanged", () => {
    const cause: FailureCause = {
      key: "check message=the order exists expected=1",
      facts: { _tag: "Check", message: "the order exists", expected: "1" }
    }
    assert.deepStrictEqual(read(Schema.encodeSync(FailureCause)(cause)), cause)
  })

  it("keeps the sentences that earlier versions stored, with their keys", () => {
    const words = { text: "the order exists", service: "The cart was empty." }
    assert.deepStrictEqual(read({ key: "service run The cart was empty.", ...words }), {
      key: "service run The cart was empty.",
      facts: { _tag: "Other", ...words }
    })
    assert.deepStrictEqual(read("the order exists"), {
      key: "the order exists",
      facts: { _tag: "Other", text: "the order exists" }
    })
  })

  it("with a count keeps the request that an earlier version stored as text", () => {
    const text = "POST /api/v4/runs: HTTP 503"
    assert.deepStrictEqual(Schema.decodeUnknownSync(CountedCause)({ text, count: 31 }), {
      cause: { key: text, facts: { _tag: "Other", text } },
      count: 31
    })
  })
})
