import { assert, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Secrets from "../../src/page/Secrets.ts"

const made = (values: Readonly<Record<string, string>>) =>
  Secrets.make(
    Object.entries(values).map(([name, value]) => ({ name, value: Redacted.make(value), domains: ["example.com"] }))
  )

it("reveals a secret on its own site only", () => {
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

it("redacts a value however it is written, the longest first", () => {
  const { redact } = made({ short: "pass", long: "pass word/ö" })
  assert.strictEqual(redact("pass word/ö and pass"), "<secret:long> and <secret:short>")
  for (const written of ["pass%20word%2F%C3%B6", "pass+word%2F%C3%B6"]) {
    assert.strictEqual(redact(`?q=${written}`), "?q=<secret:long>")
  }
  const { redact: quoted } = made({ odd: 'a"b\\c' })
  assert.strictEqual(quoted(JSON.stringify({ a: 'a"b\\c' })), '{"a":"<secret:odd>"}')
})

it("leaves no long piece of a long value that was cut", () => {
  const value = Array.from({ length: 40 }, (_, at) => `part${at}`).join("-")
  const { redact } = made({ key: value })
  const left = redact(`${value.slice(0, 149)}…`).replaceAll("<secret:key>", "")
  assert.isBelow(left.length, 20)
})

it("sees a value that a page writes in parts", () => {
  const { shows } = made({ pin: "4711" })
  assert.isTrue(shows("4 7\n11"))
  assert.isFalse(shows("4710"))
})
