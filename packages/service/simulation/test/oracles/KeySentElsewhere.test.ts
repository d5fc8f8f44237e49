import { assert, describe, it } from "@effect/vitest"
import * as KeySentElsewhere from "../../src/oracles/KeySentElsewhere.ts"
import { play } from "./rows.ts"

describe("KeySentElsewhere", () => {
  it("reports a request to the trap with a key, but not one without, or one to the service", () => {
    const rows = play(KeySentElsewhere.make())
    rows.request({ operation: "trap", path: "/trap/api/v4/runs", apiKey: null })
    rows.request({ operation: "unrouted", path: "/trap/api/v4/runs" })
    assert.isTrue(rows.verdict().holds)
    const seq = rows.request({ operation: "trap", path: "/trap/api/v4/runs" })
    assert.deepStrictEqual(rows.verdict().findings, [
      { resource: null, sentence: "GET /trap/api/v4/runs sent an API key to another origin.", seqs: [seq] }
    ])
  })
})
