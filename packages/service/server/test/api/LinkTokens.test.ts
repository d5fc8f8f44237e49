import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { LinkTokens } from "../../src/api/LinkTokens.ts"

/** The tokens of a layer of its own. */
const tokensOf = (layer: Layer.Layer<LinkTokens>) =>
  LinkTokens.use(Effect.succeed).pipe(Effect.provide(layer, { local: true }))

describe("LinkTokens", () => {
  for (const [name, layer] of [
    ["of a secret", LinkTokens.layerFrom(Buffer.from("one"))],
    ["random", LinkTokens.layerRandom]
  ] as const) {
    it.effect(`${name}: a token opens only its own path`, () =>
      Effect.gen(function* () {
        const tokens = yield* tokensOf(layer)
        const token = tokens.of("/a")
        assert.match(token, /^[\w-]{43}$/u)
        assert.isTrue(tokens.opens("/a", token))
        for (const wrong of [tokens.of("/b"), `${token}=`, token.slice(1), "", undefined, null, [token], { token }]) {
          assert.isFalse(tokens.opens("/a", wrong))
        }
      })
    )
  }

  it.effect(
    "makes the same tokens for the same secret, others for another secret, and new ones for a random secret",
    () =>
      Effect.gen(function* () {
        const { layerFrom, layerRandom } = LinkTokens
        const [one1, two2] = [Buffer.from("one"), Buffer.from("two")]
        const layers = [layerFrom(one1), layerFrom(one1), layerFrom(two2), layerRandom, layerRandom]
        const [one, again, ...others] = yield* Effect.forEach(layers, (layer) =>
          Effect.map(tokensOf(layer), (tokens) => tokens.of("/a"))
        )
        assert.strictEqual(one, again)
        assert.strictEqual(new Set([one, ...others]).size, 4)
      })
  )
})
