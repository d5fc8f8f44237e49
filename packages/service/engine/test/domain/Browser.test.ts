import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Browser from "../../src/domain/Browser.ts"
import { browser } from "./records.ts"

describe("Browser", () => {
  it("active + stop -> stopped, with its time", () => {
    assert.deepStrictEqual(
      Browser.stop(browser, "asked", 7),
      Result.succeed({ ...browser, revision: 2, status: "stopped", stopReason: "asked", finishedAt_ms: 7 })
    )
  })

  it("a stop time is never before the start, whatever the node's clock says", () => {
    const stopped = Result.getOrThrow(Browser.stop({ ...browser, startedAt_ms: 5 }, "asked", 3))
    assert.strictEqual(stopped.finishedAt_ms, 5)
  })

  it("stopped + stop is refused, so that the first time stays", () => {
    const stopped = { ...browser, status: "stopped", finishedAt_ms: 7 } as const
    assert.deepStrictEqual(
      Browser.stop(stopped, "expired", 8),
      Result.fail({ _tag: "InvalidTransition", from: "stopped", event: "Stopped" })
    )
  })

  it("a record from before recordings existed is not recorded", () => {
    const { recording, ...before } = browser
    assert.isFalse(recording)
    assert.deepStrictEqual(Schema.decodeUnknownSync(Browser.Browser)(before), browser)
  })
})
