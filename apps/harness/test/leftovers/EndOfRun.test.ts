import { assert, describe, it } from "@effect/vitest"
import * as EndOfRun from "../../src/leftovers/EndOfRun.ts"
import * as Leftover from "../../src/leftovers/Leftover.ts"
import { unlisted } from "../../src/leftovers/TrialLeftovers.ts"

const redact = (text: string) => text.replaceAll("wak_x", "***")

const reported = (state: Leftover.Leftover["state"], why: string, reason?: string) =>
  EndOfRun.reported({ ...Leftover.of(unlisted("browser", "b-1", reason)), state, why }, { redact })

describe("the record of a run's leftovers", () => {
  it("has their state and the reasons, without the key", () => {
    const of = { kind: "browser", id: "b-1", trial: null }
    assert.deepStrictEqual(reported("open", "HTTP 503 to wak_x", "wak_x was lost"), [
      { ...of, state: "open", why: "HTTP 503 to ***", reason: "*** was lost" }
    ])
    assert.deepStrictEqual(reported("stopped", ""), [{ ...of, state: "stopped" }])
    assert.deepStrictEqual(reported("in use", "it was opened just now"), [
      { ...of, state: "open", why: "it was opened just now" }
    ])
    assert.deepStrictEqual(reported("over", ""), [])
  })
})
