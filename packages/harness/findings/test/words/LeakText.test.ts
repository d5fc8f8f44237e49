import { assert, describe, it } from "@effect/vitest"
import * as LeakText from "../../src/words/LeakText.ts"

describe("the text about leaked browsers", () => {
  it("names who stopped a leaked browser, and when", () =>
    assert.strictEqual(
      LeakText.text([
        { id: "b-1", stopped: true },
        { id: "b-2", stopped: false }
      ]),
      "The scenario didn't stop browser b-1; the harness stopped it after the trial. " +
        "The scenario didn't stop browser b-2, and the harness couldn't stop it either."
    ))
})
