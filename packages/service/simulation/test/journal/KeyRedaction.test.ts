import { assert, describe, it } from "@effect/vitest"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as KeyRedaction from "../../src/journal/KeyRedaction.ts"

const keys = KeyRedaction.make(["s3cret/key"])

const request = (headers: Record<string, string>) => HttpServerRequest.fromWeb(new Request("http://x/", { headers }))

describe("KeyRedaction", () => {
  it("identifies the caller without showing the key", () => {
    const digest = keys.digestOf(request({ "X-Service-API-Key": "s3cret/key" }))
    assert.match(digest ?? "", /^[\da-f]{8}$/u)
    assert.strictEqual(keys.digestOf(request({ "X-Service-API-Key": "s3cret/key" })), digest)
    assert.notStrictEqual(keys.digestOf(request({ "X-Service-API-Key": "other" })), digest)
    assert.isNull(keys.digestOf(request({})))
  })

  for (const [url, redacted] of [
    ["/api/v4/runs/a/status", "/api/v4/runs/a/status"],
    ["/api/v4/runs/s3cret/key", "/api/v4/runs/[key]"],
    ["/x?a=s3cret%2Fkey&b=1", "/x?a=[key]&b=1"],
    ["/x?b=wak_abc-DEF_1&c", "/x?b=[key]&c"],
    ["/x?api_key=anything&c=1", "/x?api_key=[key]&c=1"],
    ["/x?c=1&X-Service-API-Key=anything", "/x?c=1&X-Service-API-Key=[key]"],
    ["/x?monkey=1", "/x?monkey=1"],
    ["/x?key=", "/x?key="]
  ] as const) {
    it(`shows ${url} as ${redacted}`, () => {
      assert.strictEqual(keys.redact(url), redacted)
    })
  }
})
