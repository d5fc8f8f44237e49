import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as FileLinks from "../../src/api/FileLinks.ts"
import { LinkTokens } from "../../src/api/LinkTokens.ts"

const request = HttpServerRequest.fromWeb(new Request("http://localhost:1/x"))

describe("FileLinks", () => {
  it.effect("makes links that open one file of one workspace for 15 minutes", () =>
    Effect.gen(function* () {
      const tokens = yield* LinkTokens
      const links = yield* (yield* FileLinks.make)(request)
      const url = new URL(links.file("w", "a&b/c.csv", "attachment"))
      const { as = "", expires = "", path = "", token } = Object.fromEntries(url.searchParams)
      const link = { as, expires, path, token }
      assert.deepStrictEqual([url.pathname, path, expires], ["/files/w", "a&b/c.csv", "900"])
      assert.isTrue(FileLinks.opensFile(tokens, "w", link, 899_999))
      assert.isFalse(FileLinks.opensFile(tokens, "w", link, 900_000))
      assert.isFalse(FileLinks.opensFile(tokens, "v", link, 0))
      for (const other of [{ path: "b" }, { as: "inline" }, { expires: "901" }, { token: "x" }]) {
        assert.isFalse(FileLinks.opensFile(tokens, "w", { ...link, ...other }, 0), JSON.stringify(other))
      }
    }).pipe(Effect.provide(LinkTokens.layerFrom(new Uint8Array(32))))
  )
})
