import { assert, describe, it } from "@effect/vitest"
import { factsOf } from "../../src/features/health/facts.ts"

describe("a server's health", () => {
  it("includes the database with its size, and the queue", () => {
    assert.deepStrictEqual(
      factsOf({ store: { kind: "sqlite", bytes: 4_200_000, writeError: null }, runs: { queued: 1200, running: 2 } }),
      { database: "sqlite, 4.2 MB", problem: null, queued: "1,200", running: "2" }
    )
  })

  it("includes the reason why writes fail, or the process that blocks the write-ahead log", () => {
    assert.strictEqual(
      factsOf({ store: { writeError: "disk full" } }, "Writes to the database fail").problem,
      "Writes fail: disk full"
    )
    assert.strictEqual(factsOf({}, "The database does not respond").problem, "The database does not respond")
    assert.strictEqual(
      factsOf({ store: { log: { blockedBy: { processes: [17], seconds: 90 } } } }).problem,
      "1 process kept the write-ahead log from shrinking for 90 s"
    )
    assert.strictEqual(
      factsOf({ store: { log: { blockedBy: { processes: [], seconds: 90 } } } }).problem,
      "A reader kept the write-ahead log from shrinking for 90 s"
    )
  })

  it("has no facts if a server reports none, or others", () => {
    const none = { database: null, problem: null, queued: null, running: null }
    assert.deepStrictEqual(factsOf({}), none)
    assert.deepStrictEqual(factsOf({ store: "away", runs: [1], log: null }), none)
  })
})
