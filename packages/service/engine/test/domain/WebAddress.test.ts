import { assert, it } from "@effect/vitest"
import { WebAddress } from "../../src/index.ts"

it("completes an address as people type it, and keeps one with a scheme", () => {
  assert.strictEqual(WebAddress.complete(" example.com/a "), "https://example.com/a")
  assert.strictEqual(WebAddress.complete("localhost:3000"), "https://localhost:3000")
  assert.strictEqual(WebAddress.complete("http://example.com"), "http://example.com")
  assert.strictEqual(WebAddress.complete("javascript:alert(1)"), "javascript:alert(1)")
})

it("refuses hostile addresses, however they are typed", () => {
  for (const typed of [
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "\tjavascript:alert(1)",
    "java\nscript:alert(1)",
    "\0javascript:alert(1)",
    "view-source:https://example.com",
    "chrome://settings",
    "data:text/html,<script>alert(1)</script>",
    "blob:file:///etc/passwd",
    "two words",
    ""
  ])
    assert.isFalse(WebAddress.mayLoad(WebAddress.complete(typed)), JSON.stringify(typed))
  for (const typed of ["example.com", "http://127.0.0.1:8080/", "about:blank"])
    assert.isTrue(WebAddress.mayLoad(WebAddress.complete(typed)), typed)
})
