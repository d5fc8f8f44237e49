import { assert, describe, it } from "@effect/vitest"
import * as BoundedMap from "../../src/journal/BoundedMap.ts"
import * as ResultsNeverFetched from "../../src/oracles/ResultsNeverFetched.ts"
import { play } from "./rows.ts"

const ended = (id: string, to = "completed") =>
  ({ of: "turn", id, sessionId: `session of ${id}`, from: "running", to }) as const

describe("ResultsNeverFetched", () => {
  it("reports a finished run that was polled but not read", () => {
    const rows = play(ResultsNeverFetched.make())
    const seq = rows.move(ended("a", "failed"))
    rows.request({ operation: "v4.getRunStatus", resource: "a" })
    assert.deepStrictEqual(rows.verdict().findings, [
      {
        resource: "a",
        sentence:
          "Run a of session session of a failed, and no request has read its result since. Read the run or its session.",
        seqs: [seq]
      }
    ])
  })

  it("accepts a read of the run or of its session", () => {
    const reads = [
      { operation: "v4.getRun", resource: "a" },
      { operation: "v3.getSession", resource: "session of a" },
      { operation: "v2.getSession", resource: "session of a" }
    ] as const
    for (const read of reads) {
      const rows = play(ResultsNeverFetched.make())
      rows.move(ended("a"))
      rows.request(read)
      assert.isTrue(rows.verdict().holds, read.operation)
    }
  })

  it("doesn't count a read before the end, a failed one or a lost one", () => {
    const rows = play(ResultsNeverFetched.make())
    rows.request({ operation: "v4.getRun", resource: "a" })
    rows.move(ended("a"))
    rows.request({ operation: "v4.getRun", resource: "a", status: 503 })
    rows.request({ operation: "v4.getRun", resource: "a" }, false)
    assert.strictEqual(rows.verdict().count, 1)
  })

  it("ignores a cancelled run, because it has no result", () => {
    const rows = play(ResultsNeverFetched.make())
    rows.move(ended("a", "cancelled"))
    assert.isTrue(rows.verdict().holds)
  })

  it("ignores a run that was started in the console", () => {
    const rows = play(ResultsNeverFetched.make())
    rows.move({ ...ended("a"), from: null, to: "queued", by: "console" })
    rows.move(ended("a"))
    assert.isTrue(rows.verdict().holds)
  })

  it("keeps counting runs that were dropped to save memory", () => {
    const rows = play(ResultsNeverFetched.make())
    for (let index = 0; index < BoundedMap.capacity + 5; index++) rows.move(ended(`run ${index}`))
    assert.deepStrictEqual(
      [rows.verdict().count, rows.verdict().findings.length, rows.verdict().findings[0]?.resource],
      [BoundedMap.capacity + 5, 20, "run 5"]
    )
  })
})
