import { assert, describe, it } from "@effect/vitest"
import * as PolledTooFast from "../../src/oracles/PolledTooFast.ts"
import { play } from "./rows.ts"

const status = { operation: "v4.getRunStatus", resource: "a" } as const
const began = () => play(PolledTooFast.make(() => 1000))

describe("PolledTooFast", () => {
  it("reports two polls closer together than the required interval", () => {
    const rows = began()
    const first = rows.request(status)
    rows.wait(400)
    const second = rows.request(status)
    assert.deepStrictEqual(rows.verdict().findings, [
      {
        resource: "a",
        sentence: "v4.getRunStatus polled a after 400 ms; the profile asks for 1 s.",
        seqs: [first, second]
      }
    ])
  })

  it("accepts polls at the required interval, of other resources and by other callers", () => {
    const rows = began()
    rows.request(status)
    rows.request({ ...status, resource: "b" })
    rows.request({ ...status, apiKey: "bbbbbbbb" })
    rows.request({ operation: "v4.getRun", resource: "a" })
    rows.wait(1000)
    rows.request(status)
    assert.isTrue(rows.verdict().holds)
  })

  it("accepts an earlier poll after a failed one, and two at once as two waits", () => {
    const rows = began()
    rows.request(status, false)
    rows.request({ ...status, status: 503 })
    const first = rows.request(status)
    rows.request({ ...status, after: first - 1 })
    assert.isTrue(rows.verdict().holds)
  })

  it("accepts any interval if the profile has none", () => {
    const rows = play(PolledTooFast.make(() => undefined))
    rows.request(status)
    rows.request(status)
    assert.strictEqual(rows.verdict().sentence, "The profile sets no pollInterval.")
  })
})
