import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { Browser, BrowserCreate, BrowserUpdate, UpdatedBrowser } from "../src/Browser.ts"

const accepts = (schema: Schema.ConstraintDecoder<unknown>, value: unknown) =>
  Exit.isSuccess(Schema.decodeUnknownExit(schema)(value))

describe("Browser", () => {
  it("has an id and a cdpUrl", () => {
    assert.isTrue(accepts(Browser, { id: "b", cdpUrl: "wss://x", extra: 1 }))
    for (const wrong of [{ id: "b" }, { cdpUrl: "wss://x" }, { id: "b", cdpUrl: "" }]) {
      assert.isFalse(accepts(Browser, wrong), JSON.stringify(wrong))
    }
  })

  it("accepts any text as the optional country, because the service decides which ones are valid", () => {
    for (const body of [{}, { proxyCountryCode: "no" }, { proxyCountryCode: "gb-eng" }, { proxyCountryCode: null }])
      assert.isTrue(accepts(BrowserCreate, body))
    assert.isFalse(accepts(BrowserCreate, { proxyCountryCode: 47 }))
  })

  it("allows stop as the only action", () => {
    assert.isTrue(accepts(BrowserUpdate, { action: "stop" }))
    for (const body of [{}, { action: "start" }, { action: "STOP" }, { action: null }])
      assert.isFalse(accepts(BrowserUpdate, body))
  })

  it("decodes any response to a PATCH, because it is not described", () => {
    assert.isTrue(accepts(UpdatedBrowser, {}))
    const odd = { id: 7, cdpUrl: 0, status: null, liveUrl: [], startedAt: 1, finishedAt: "now", timeoutAt: {} }
    assert.deepStrictEqual<unknown>(Schema.decodeUnknownSync(UpdatedBrowser)({ ...odd, more: 1 }), { more: 1 })
    const known = { id: "b", cdpUrl: "wss://x" }
    assert.deepStrictEqual<unknown>(Schema.decodeUnknownSync(Browser)({ ...odd, ...known }), known)
  })
})
