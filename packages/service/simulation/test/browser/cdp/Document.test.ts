import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Document from "../../../src/browser/cdp/Document.ts"

const open = (url: string) => {
  const { mimeType, text, title } = Option.getOrThrow(Document.open(url))
  return [mimeType, title, text]
}

describe("Document", () => {
  it("opens about:blank, but no address that would need a request", () => {
    assert.deepStrictEqual(Document.open("about:blank"), Option.some(Document.blank))
    for (const url of ["http://localhost/", "file:///etc/hosts", "about:version", "data:no-comma", "javascript:1"]) {
      assert.isTrue(Option.isNone(Document.open(url)), url)
    }
  })

  it("reads type, title and text from a data: URL", () => {
    assert.deepStrictEqual(open("data:,a%20b"), ["text/plain", "", "a b"])
    assert.deepStrictEqual(open("data:text/html;charset=utf-8,<title> A &amp;%0A B</title><p>x<b>y</b>#hash"), [
      "text/html",
      "A & B",
      "x y"
    ])
    assert.deepStrictEqual(open("data:text/html,<SCRIPT>1<2</SCRIPT><style>p{}</style>t<img alt='1'"), [
      "text/html",
      "",
      "t"
    ])
    assert.deepStrictEqual(open("data:text/html,caf%C3%A9%"), ["text/html", "", "café%"])
    assert.deepStrictEqual(open(`data:text/plain;base64,${Buffer.from("mug ☕").toString("base64")}`), [
      "text/plain",
      "",
      "mug ☕"
    ])
  })

  it("refuses an address over 256 KiB", () => {
    assert.isTrue(Option.isSome(Document.open(`data:,${"x".repeat(256 * 1024 - 6)}`)))
    assert.isTrue(Option.isNone(Document.open(`data:,${"x".repeat(256 * 1024)}`)))
  })
})
