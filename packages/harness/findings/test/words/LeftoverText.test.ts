import { assert, describe, it } from "@effect/vitest"
import type { Leftover } from "@webagent/report/Trial"
import * as LeftoverText from "../../src/words/LeftoverText.ts"

const textOf = (state: Leftover["state"], more: Partial<Leftover> = {}) =>
  LeftoverText.text({ kind: "browser", id: "b-1", trial: null, state, ...more })

describe("the text about an open resource", () => {
  it("ends with one full stop, even if a client's error has its own", () => {
    const error = "PATCH /browsers/b-1: no response. Request id 4d4eda7d5e51-1."
    assert.strictEqual(textOf("open", { why: error }), `The browser b-1 may still be running and cost money: ${error}`)
    assert.strictEqual(
      textOf("open", { why: "HTTP 503" }),
      "The browser b-1 may still be running and cost money: HTTP 503."
    )
    assert.strictEqual(textOf("unknown", { why: error }), `A browser may exist: ${error}`)
    assert.strictEqual(textOf("unknown", { why: "no response" }), "A browser may exist: no response.")
    const reason = "its create request got no response"
    assert.strictEqual(textOf("stopped", { reason }), `The browser b-1 was left open (${reason}) and was stopped.`)
  })

  it("keeps a sentence that an older version stored", () => {
    assert.strictEqual(textOf("open", { sentence: "It continues." }), "It continues.")
  })
})
