import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Breach from "../src/Breach.ts"

const read = Schema.decodeUnknownSync(Breach.Breach)
const of = { invariant: "runs-left-running", resource: "r-1" }

describe("a violated invariant", () => {
  it("is stored as facts, and read back unchanged", () => {
    const breach: Breach.Breach = { ...of, facts: { _tag: "LeftRunning", kind: "run", isStopped: true } }
    assert.deepStrictEqual(read(JSON.parse(JSON.stringify(Schema.encodeSync(Breach.Breach)(breach)))), breach)
  })

  it("keeps the sentence that an earlier version stored", () => {
    const old = read({ ...of, sentence: "The run r-1 was left running." })
    assert.deepStrictEqual(old.facts, { _tag: "Reported", text: "The run r-1 was left running.", entries: [] })
  })
})
