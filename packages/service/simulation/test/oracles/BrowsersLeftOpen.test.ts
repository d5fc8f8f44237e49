import { assert, describe, it } from "@effect/vitest"
import * as BrowsersLeftOpen from "../../src/oracles/BrowsersLeftOpen.ts"
import { play } from "./rows.ts"

describe("BrowsersLeftOpen", () => {
  it("names each open browser, how long it has been open, and the row of its start", () => {
    const rows = play(BrowsersLeftOpen.make())
    rows.move({ of: "browser", id: "a", to: "active" })
    const started = rows.move({ of: "browser", id: "b", to: "active" })
    rows.move({ of: "browser", id: "a", from: "active", to: "stopped" })
    rows.wait(240_000)
    assert.deepStrictEqual(rows.verdict([{ id: "b", startedAt_ms: 0 }]), {
      oracle: "browsers-left-open",
      holds: false,
      sentence: '1 browser is not stopped. Use browsers.use, browsers.stop or PATCH with the action "stop".',
      count: 1,
      findings: [{ resource: "b", sentence: "Browser b has been open for 4 min.", seqs: [started] }]
    })
    assert.isTrue(rows.verdict().holds)
  })

  it("counts all of them and shows the first 20", () => {
    const open = Array.from({ length: 30 }, (_, index) => ({ id: `b${index}`, startedAt_ms: 0 }))
    const { count, findings } = play(BrowsersLeftOpen.make()).verdict(open)
    assert.deepStrictEqual([count, findings.length], [30, 20])
  })
})
