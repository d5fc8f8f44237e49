import { assert, describe, it } from "vitest"
import { keepRecent, newerOf } from "../../src/state/recent.ts"

const running = {
  id: "r1",
  status: "running",
  steps: 2,
  finishedAt: null as string | null,
  updatedAt: "2026-11-28T10:00:01.000Z"
}
const failed = {
  ...running,
  status: "failed",
  finishedAt: "2026-11-28T10:00:03.000Z",
  updatedAt: "2026-11-28T10:00:03.000Z"
}

describe("a row in a response", () => {
  it("is replaced by an event that arrived first", () => {
    keepRecent(failed)
    assert.deepStrictEqual(newerOf(running), failed)
    keepRecent({ ...running, id: "r2", steps: 3 })
    assert.strictEqual(newerOf({ ...running, id: "r2" }).steps, 3)
  })

  it("stays if it is at least as new as the last event", () => {
    keepRecent({ ...running, id: "r3" })
    assert.strictEqual(newerOf({ ...failed, id: "r3" }).status, "failed")
    const noted = { ...running, id: "r3", mark: "right" }
    assert.strictEqual(newerOf(noted), noted)
    assert.strictEqual(newerOf({ ...running, id: "r4" }).status, "running")
  })

  it("is compared with the events of the last 500 runs", () => {
    for (let run = 0; run < 501; run++) keepRecent({ ...failed, id: `many-${run}` })
    assert.strictEqual(newerOf({ ...running, id: "many-0" }).status, "running")
    assert.strictEqual(newerOf({ ...running, id: "many-1" }).status, "failed")
  })
})
