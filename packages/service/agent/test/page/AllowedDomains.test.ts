import { assert, it } from "@effect/vitest"
import { isOn, mayLoad } from "../../src/page/AllowedDomains.ts"

it("AllowedDomains matches hosts by their pattern, but not similar ones", () => {
  for (const [url, pattern] of [
    ["https://example.com/a?b", "example.com"],
    ["http://EXAMPLE.com.", "Example.com"],
    ["https://a.b.example.com", "*.example.com"],
    ["http://localhost:3000/", "localhost"],
    ["http://localhost:3000/", "localhost:3000"]
  ] as const) {
    assert.isTrue(isOn(url, [pattern]), `${url} ${pattern}`)
  }
  for (const [url, pattern] of [
    ["https://example.com", "*.example.com"],
    ["https://badexample.com", "*.example.com"],
    ["https://badexample.com", "example.com"],
    ["https://example.com.evil.test", "example.com"],
    ["https://example.com@evil.test/", "example.com"],
    ["http://localhost:3001/", "localhost:3000"],
    ["ftp://example.com/", "example.com"],
    ["no address", "example.com"]
  ] as const) {
    assert.isFalse(isOn(url, [pattern]), `${url} ${pattern}`)
  }
})

it("AllowedDomains loads web documents, and those that a page makes itself", () => {
  for (const url of ["https://example.com/", "about:blank", "about:srcdoc", "blob:https://example.com/1"]) {
    assert.isTrue(mayLoad(url, null), url)
    assert.isTrue(mayLoad(url, ["example.com"]), url)
  }
  for (const url of ["file:///etc/passwd", "data:text/html,a", "chrome://version", "javascript:1", "blob:null/1", ""]) {
    assert.isFalse(mayLoad(url, null), url)
  }
  assert.isFalse(mayLoad("blob:https://evil.test/1", ["example.com"]))
})
