import { assert, describe, it } from "@effect/vitest"
import * as KeyInUrl from "../../src/oracles/KeyInUrl.ts"
import { play } from "./rows.ts"

describe("KeyInUrl", () => {
  it("reports a key in a path, which the journal shows as [key]", () => {
    const rows = play(KeyInUrl.make())
    rows.request({ operation: "unrouted", path: "/api/v4/runs?api_key=1" })
    assert.isTrue(rows.verdict().holds)
    const seq = rows.request({ operation: "v4.createRun", method: "POST", path: "/api/v4/runs?api_key=[key]" })
    assert.deepStrictEqual(rows.verdict().findings, [
      { resource: null, sentence: "POST /api/v4/runs?api_key=[key] had an API key in its URL.", seqs: [seq] }
    ])
  })
})
