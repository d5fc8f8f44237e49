import { assert, describe, it } from "@effect/vitest"
import * as RunsLeftRunning from "../../src/oracles/RunsLeftRunning.ts"
import { play } from "./rows.ts"

describe("RunsLeftRunning", () => {
  it("names each unfinished run, its start, and the row of its creation", () => {
    const rows = play(RunsLeftRunning.make())
    const created = rows.move({ of: "turn", id: "a", to: "queued" })
    rows.move({ of: "turn", id: "a", from: "queued", to: "running" })
    rows.move({ of: "turn", id: "b", to: "queued" })
    rows.move({ of: "turn", id: "b", from: "queued", to: "completed" })
    rows.wait(240_000)
    assert.deepStrictEqual(rows.verdict([], [{ id: "a", sessionId: "s", status: "running", createdAt_ms: 0 }]), {
      oracle: "runs-left-running",
      holds: false,
      sentence: "1 run is still running. Wait for each run, or cancel it before the test ends.",
      count: 1,
      findings: [
        { resource: "a", sentence: "Run a of session s is running, 4 min after its creation.", seqs: [created] }
      ]
    })
    assert.isTrue(rows.verdict().holds)
  })
})
