import { assert, describe, it } from "@effect/vitest"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { fromTexts, senderOf } from "../../src/api/TrustedProxies.ts"

const requestFrom = (peer: string, headers: Readonly<Record<string, string>>) =>
  HttpServerRequest.fromWeb(new Request("http://127.0.0.1/", { headers })).modify({ remoteAddress: Option.some(peer) })

const trusted = (...texts: ReadonlyArray<string>) => Result.getOrThrow(fromTexts(texts))

const proxies = trusted("10.0.0.0/8", "192.0.2.7", "fd00::/8")

describe("TrustedProxies", () => {
  it.each([
    ["10.0.0.5", { "x-forwarded-for": "203.0.113.9" }, "203.0.113.9"],
    ["::ffff:10.0.0.5", { "x-forwarded-for": "203.0.113.9" }, "203.0.113.9"],
    ["fd00::1", { "x-forwarded-for": "2001:db8::1" }, "2001:db8::1"],
    ["192.0.2.7", { "x-forwarded-for": "6.6.6.6, 203.0.113.9, 10.1.1.1" }, "203.0.113.9"],
    ["10.0.0.5", { "x-forwarded-for": "10.0.0.9, 10.0.0.8" }, "10.0.0.9"],
    ["10.0.0.5", { "x-forwarded-for": "6.6.6.6, unknown, 10.1.1.1" }, "10.1.1.1"],
    ["10.0.0.5", { "x-forwarded-for": "203.0.113.9:4711" }, "203.0.113.9"],
    ["10.0.0.5", {}, "10.0.0.5"],
    ["10.0.0.5", { forwarded: 'for="[2001:db8::1]:4711";proto=https' }, "2001:db8::1"],
    ["10.0.0.5", { forwarded: 'for=6.6.6.6, For=203.0.113.9;host="a,b"' }, "203.0.113.9"],
    ["10.0.0.5", { forwarded: "for=_hidden" }, "10.0.0.5"],
    ["10.0.0.5", { forwarded: "for=6.6.6.6", "x-forwarded-for": "203.0.113.9" }, "203.0.113.9"],
    ["203.0.113.9", { "x-forwarded-for": "6.6.6.6", forwarded: "for=6.6.6.6" }, "203.0.113.9"],
    ["192.0.2.8", { "x-forwarded-for": "6.6.6.6" }, "192.0.2.8"]
  ] satisfies ReadonlyArray<[string, Readonly<Record<string, string>>, string]>)(
    "a connection from %s with the headers %j has the client %s",
    (peer, headers, client) => assert.strictEqual(senderOf(requestFrom(peer, headers), proxies).address, client)
  )

  it.each([
    [{ "x-forwarded-proto": "https", "x-forwarded-host": "app.example" }, "https", "app.example"],
    [{ "x-forwarded-for": "6.6.6.6, 203.0.113.9", "x-forwarded-proto": "HTTPS" }, "https", undefined],
    [{ "x-forwarded-for": "6.6.6.6, 203.0.113.9", "x-forwarded-proto": "https, http" }, "http", undefined],
    [{ "x-forwarded-for": "203.0.113.9, 10.0.0.1", "x-forwarded-proto": "https, http" }, "https", undefined],
    [{ forwarded: 'proto=https;host="App.example:8443"' }, "https", "app.example:8443"],
    [{ "x-forwarded-proto": "javascript", "x-forwarded-host": "a/b c" }, undefined, undefined],
    [{ "x-forwarded-host": "user@app.example" }, undefined, undefined],
    [{ forwarded: ';;=,"' }, undefined, undefined]
  ] satisfies ReadonlyArray<[Readonly<Record<string, string>>, string | undefined, string | undefined]>)(
    "a trusted proxy with the headers %j reports the scheme %s and the host %s",
    (headers, protocol, host) => {
      const sender = senderOf(requestFrom("10.0.0.5", headers), proxies)
      assert.deepStrictEqual([sender.protocol, sender.host, sender.isProxied], [protocol, host, true])
      const direct = senderOf(requestFrom("203.0.113.9", headers), proxies)
      assert.deepStrictEqual([direct.protocol, direct.host, direct.isProxied], [undefined, undefined, false])
    }
  )

  it.each(["10.0.0.0/33", "10.0.0.5/8", "proxy.example", "", "10.0.0"])("fromTexts refuses %j", (text) =>
    assert.deepStrictEqual(fromTexts(["10.0.0.1", text]), Result.fail(text))
  )

  it("a request without a connection has no client address", () => {
    const request = HttpServerRequest.fromWeb(new Request("http://127.0.0.1/"))
    assert.isUndefined(senderOf(request, proxies).address)
  })
})
