import { assert, describe, it } from "@effect/vitest"
import * as EndOfRun from "../../src/leftovers/EndOfRun.ts"
import * as Leftover from "../../src/leftovers/Leftover.ts"
import { unlisted } from "../../src/leftovers/TrialLeftovers.ts"

const sentenceOf = (state: Leftover.Leftover["state"], why: string) =>
  EndOfRun.reported({ ...Leftover.of(unlisted("browser", "b-1")), state, why }, { redact: (text) => text }).map(
    ({ sentence }) => sentence
  )

describe("what a run leaves open", () => {
  it("ends each sentence with one full stop, also where a client's error has its own", () => {
    const error = "PATCH /browsers/b-1: no response. Request id 4d4eda7d5e51-1."
    assert.deepStrictEqual(sentenceOf("open", error), [`The browser b-1 may still run and cost: ${error}`])
    assert.deepStrictEqual(sentenceOf("open", "HTTP 503"), ["The browser b-1 may still run and cost: HTTP 503."])
    assert.deepStrictEqual(sentenceOf("unknown", error), [`A browser may exist: ${error}`])
    assert.deepStrictEqual(sentenceOf("unknown", "no response"), ["A browser may exist: no response."])
    assert.deepStrictEqual(sentenceOf("over", ""), [])
  })
})
