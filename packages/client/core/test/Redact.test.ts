import { assert, describe, it } from "@effect/vitest"
import * as Redact from "../src/Redact.ts"

/** All that a header can carry, and so a key. */
const visible = Array.from({ length: 0x7e - 0x20 }, (_, index) => String.fromCharCode(0x21 + index))

describe("Redact", () => {
  it.each(visible)("hides a key that contains %s, plain and escaped", (character) => {
    const redact = Redact.make(`wak_0123456789${character}end`)
    const code = character.charCodeAt(0)
    const hex = code.toString(16)
    for (const form of [character, `\\u00${hex}`, `%${hex}`, `%${hex.toUpperCase()}`, `&#${code};`, `&#x${hex};`]) {
      assert.strictEqual(redact(`your key is wak_0123456789${form}end`), "your key is <redacted>")
    }
    assert.strictEqual(redact("a text without it"), "a text without it")
  })
})
