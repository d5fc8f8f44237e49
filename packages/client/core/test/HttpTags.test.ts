import { assert, describe, it } from "@effect/vitest"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { inspect } from "node:util"
import * as HttpTags from "../src/HttpTags.ts"

describe("HttpTags", () => {
  it.each(["HttpClient", "TracerDisabledWhen"] as const)("%s is the same as Effect's", (name) => {
    assert.strictEqual(HttpTags[name].key, HttpClient[name].key)
  })

  it.each(["application/json", undefined])("sends bytes of %s as Effect does", (type) => {
    const bytes = Uint8Array.of(123, 125)
    const [ours, theirs] = [HttpTags.bytes(bytes, type), HttpBody.uint8Array(bytes, type)]
    assert.isTrue(HttpBody.isHttpBody(ours))
    const read = ({ _tag, body, contentLength, contentType }: HttpBody.Uint8Array) => ({
      _tag,
      body,
      contentLength,
      contentType
    })
    assert.deepStrictEqual(read(ours), read(theirs))
  })

  it("allows an application's HttpClient to log a request with bytes", () => {
    const body = HttpTags.bytes(Uint8Array.of(123, 125), "application/json")
    const request = HttpClientRequest.post("http://a.example/runs", { body })
    assert.include(JSON.stringify(request), '"body":""')
    assert.include(inspect(request), "a.example")
  })
})
