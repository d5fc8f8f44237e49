import { assert, describe, it } from "@effect/vitest"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { allowedHosts, refusedHost } from "../../../src/http/policy/Hosts.ts"

/** The name that a server refuses, which listens there and allows these names, in a request with this header. */
const refused = (listensOn: string, given: ReadonlyArray<string> | undefined, host?: string) => {
  const headers = host === undefined ? {} : { "x-host": host }
  const request = HttpServerRequest.fromWeb(new Request("http://127.0.0.1/", { headers }))
  const { "x-host": sent, ...others } = request.headers
  return refusedHost(
    request.modify({ headers: { ...others, ...(sent === undefined ? {} : { host: sent }) } as typeof request.headers }),
    allowedHosts(listensOn, given)
  )
}

describe("Hosts", () => {
  it.each(["127.0.0.1:80", "127.1.2.3", "localhost", "LOCALHOST:9", "[::1]:80", "app.localhost", undefined])(
    "let a local server respond to %s",
    (host) => assert.isUndefined(refused("127.0.0.1", undefined, host))
  )

  it.each([
    ["shop.example", "shop.example"],
    ["Shop.Example:8080", "shop.example"],
    ["127.0.0.1.shop.example", "127.0.0.1.shop.example"],
    ["localhost.shop.example", "localhost.shop.example"],
    ["10.0.0.1", "10.0.0.1"]
  ])("don't let it respond to %s", (host, name) => {
    for (const listensOn of ["127.0.0.1", "localhost", "::1"]) {
      assert.strictEqual(refused(listensOn, undefined, host), name)
    }
    assert.isUndefined(refused("0.0.0.0", undefined, host))
    assert.isUndefined(refused("127.0.0.1", ["other.example", name.toUpperCase()], host))
    assert.strictEqual(refused("0.0.0.0", ["other.example"], host), name)
  })
})
