import { assert, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Secrets from "../../src/page/Secrets.ts"
import { words } from "../../src/page/world/Words.ts"

const made = (values: Readonly<Record<string, string>>) =>
  Secrets.make(
    Object.entries(values).map(([name, value]) => ({ name, value: Redacted.make(value), domains: ["example.com"] }))
  )

it("Secrets reveals a secret on its own site only", () => {
  const { reveal } = made({ pin: "4711", "user.name": "ada" })
  const site = "https://example.com"
  assert.deepStrictEqual(
    reveal("<secret:user.name>:<secret:pin>", site),
    Result.succeed({ text: "ada:4711", isSecret: true })
  )
  assert.deepStrictEqual(reveal("plain", "https://evil.test"), Result.succeed({ text: "plain", isSecret: false }))
  assert.isTrue(Result.isFailure(reveal("<secret:pin>", "https://evil.test")))
  assert.isTrue(Result.isFailure(reveal("<secret:other>", site)))
})

it("Secrets redacts a value in any spelling, the longest first", () => {
  const { redact } = made({ short: "pass", long: "pass word/ö" })
  assert.strictEqual(redact("pass word/ö and pass"), "<secret:long> and <secret:short>")
  for (const written of ["pass%20word%2F%C3%B6", "pass+word%2F%C3%B6"]) {
    assert.strictEqual(redact(`?q=${written}`), "?q=<secret:long>")
  }
  const { redact: quoted } = made({ odd: 'a"b\\c' })
  assert.strictEqual(quoted(JSON.stringify({ a: 'a"b\\c' })), '{"a":"<secret:odd>"}')
})

it("Secrets redacts a value as a page's text writes it, never as something like a numbered element", () => {
  const { plain } = words()
  for (const value of ["ab[12", "ab[1 b", "x[1 y[2", "end["]) {
    const { redact, shows } = made({ key: value })
    for (const shown of [plain(value), plain(`Your code is ${value} now.`), plain(`${value} x`)]) {
      assert.include(redact(shown), "<secret:key>", shown)
      assert.isTrue(shows(shown), shown)
    }
  }
})

it("Secrets redacts a value in an address, with any escaping", () => {
  const value = `p^a {x}|"s&1+/ö'é%`
  const { redact, shows } = made({ key: value })
  const url = new URL("http://shop.example/")
  url.search = `p=${value}`
  url.hash = value
  const redirected = encodeURIComponent(value).replaceAll(/%../gu, (escape) => escape.toLowerCase())
  for (const written of [url.href, url.href.replaceAll("%20", "+"), encodeURI(value), redirected, escapeAll(value)]) {
    assert.match(redact(written), /^(?:http:\/\/shop\.example\/\?p=<secret:key>#)?<secret:key>$/u, written)
    assert.isTrue(shows(`${written} `), written)
  }
  assert.isFalse(shows("/?p=50%25+more"))
})

const escapeAll = (text: string) => Buffer.from(text).toString("hex").toUpperCase().replaceAll(/../gu, "%$&")

it("Secrets leaves no long piece of a long truncated value", () => {
  const value = Array.from({ length: 40 }, (_, at) => `part${at}`).join("-")
  const { redact } = made({ key: value })
  const left = redact(`${value.slice(0, 149)}…`).replaceAll("<secret:key>", "")
  assert.isBelow(left.length, 20)
})

it("Secrets finds a value that a page writes in parts", () => {
  const { shows } = made({ pin: "4711" })
  assert.isTrue(shows("4 7\n11"))
  assert.isFalse(shows("4710"))
})

it("Secrets leaves no prefix of a value where a text is truncated", () => {
  const { redact } = made({ short: "hunter2", quoted: 'a "word" in it', long: "x".repeat(20) + "y".repeat(60) })
  assert.strictEqual(redact("login hunt…"), "login <secret:short>…")
  assert.strictEqual(redact("hunter2…"), "<secret:short>…")
  assert.strictEqual(redact("hunthunter…, hunte… and hunter"), "hunt<secret:short>…, <secret:short>… and hunter")
  assert.strictEqual(redact("a 'wor…"), "<secret:quoted>…")
  assert.strictEqual(redact(`${"x".repeat(20)}yyyy…`), "<secret:long>…")
  // as much is part of other words
  assert.strictEqual(redact("the hun…"), "the hun…")
})

it("Secrets leaves no end of a value where the beginning of a text is cut", () => {
  const { redact } = made({ short: "hunter2", long: "x".repeat(20) + "y".repeat(60) })
  assert.strictEqual(redact("…nter2 on"), "…<secret:short> on")
  assert.strictEqual(redact("…hunter2 on …er2 er2"), "…<secret:short> on …er2 er2")
  assert.strictEqual(redact(`…xx${"y".repeat(60)}-`), "…<secret:long>-")
  assert.strictEqual(redact("nter2 on"), "nter2 on")
})
