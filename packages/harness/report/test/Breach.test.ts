import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Breach from "../src/Breach.ts"

const read = Schema.decodeUnknownSync(Breach.Breach)
const of = { invariant: "runs-left-running", resource: "r-1" }

describe("a violated invariant", () => {
  it("is stored as facts, and read as it was written", () => {
    const breach: Breach.Breach = { ...of, facts: { _tag: "LeftRunning", kind: "run", isStopped: true } }
    assert.deepStrictEqual(read(JSON.parse(JSON.stringify(Schema.encodeSync(Breach.Breach)(breach)))), breach)
    assert.strictEqual(Breach.text(breach), "The run r-1 was left running, and was stopped.")
  })

  it("keeps the sentence that an earlier version stored", () => {
    const old = read({ ...of, sentence: "The run r-1 was left running." })
    assert.deepStrictEqual(old.facts, { _tag: "Reported", text: "The run r-1 was left running.", entries: [] })
    assert.strictEqual(Breach.text(old), "The run r-1 was left running.")
  })

  it("names the hook, the resource or the time limit of a suite that was not released", () => {
    const text = (why: Omit<Extract<Breach.InvariantFacts, { _tag: "SuiteNotReleased" }>, "_tag" | "suite">) =>
      Breach.text({ ...of, facts: { _tag: "SuiteNotReleased", suite: "shop", ...why } })
    assert.deepStrictEqual(
      [text({ hook: "afterAll", error: "no till" }), text({ error: "stuck" }), text({ limit_ms: 10_000 })],
      [
        "afterAll of shop failed: no till.",
        "A resource of shop was not released: stuck.",
        "shop did not release its resources within 10 s."
      ]
    )
  })
})
