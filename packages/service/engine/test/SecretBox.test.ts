import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { makeSecretBox } from "../src/ports/SecretBox.ts"

const key = (id: string) => ({ id, bytes: randomBytes(32) })

const place = { owner: "ann", turnId: "turn-1", alias: "pin" }

const value = Redacted.make("canary ö 🔑")

it.effect("opens a sealed text, which contains no part of the value", () =>
  Effect.gen(function* () {
    const box = makeSecretBox([key("one")])
    const texts = [yield* box.seal(value, place), yield* box.seal(value, place)]
    assert.notStrictEqual(texts[0], texts[1])
    for (const text of texts) {
      assert.match(text, /^one\.[\w-]+$/u)
      assert.notInclude(text, "canary")
      assert.notInclude(text, Buffer.from("canary").toString("base64url").slice(0, 7))
      assert.strictEqual(Redacted.value(yield* box.open(text, place)), "canary ö 🔑")
    }
  })
)

it.effect("refuses to open a text in another place or one that was changed", () =>
  Effect.gen(function* () {
    const box = makeSecretBox([key("one")])
    const text = yield* box.seal(value, place)
    const flipped = `${text.slice(0, -3)}${text.at(-3) === "A" ? "B" : "A"}${text.slice(-2)}`
    for (const [sealed, where] of [
      [text, { ...place, owner: "bob" }],
      [text, { ...place, owner: null }],
      [text, { ...place, turnId: "turn-2" }],
      [text, { ...place, alias: "pin2" }],
      [flipped, place],
      ["one.", place]
    ] as const) {
      const error = yield* Effect.flip(box.open(sealed, where))
      assert.strictEqual(error.message, `The secret ${where.alias} can't be decrypted`)
    }
  })
)

it.effect("encrypts with the first key, decrypts with any key, and names a missing key", () =>
  Effect.gen(function* () {
    const [old, fresh] = [key("old"), key("new")]
    const text = yield* makeSecretBox([old]).seal(value, place)
    const rotated = makeSecretBox([fresh, old])
    assert.strictEqual(Redacted.value(yield* rotated.open(text, place)), "canary ö 🔑")
    assert.match(yield* rotated.seal(value, place), /^new\./u)
    const early = makeSecretBox([old, fresh])
    assert.strictEqual(Redacted.value(yield* early.open(yield* rotated.seal(value, place), place)), "canary ö 🔑")
    const error = yield* Effect.flip(makeSecretBox([fresh]).open(text, place))
    assert.strictEqual(error.message, "The secret pin is encrypted with key old, which is missing here")
    assert.strictEqual(makeSecretBox([], "Set a key").unusable, "Set a key")
    assert.isNull(rotated.unusable)
  })
)
