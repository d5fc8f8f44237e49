import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AgentResult } from "../src/index.ts"

const Offer = Schema.Struct({ price: Schema.Number })

describe("AgentResult.decode", () => {
  it.effect.each([{ price: 89 }, '{"price":89}', ' {"price": 89}\n'])("decodes %j as an offer", (result) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* AgentResult.decode(Offer, result), { price: 89 })
    })
  )

  it.effect("returns text as it is if the schema is a string", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* AgentResult.decode(Schema.String, '{"price":89}'), '{"price":89}')
    })
  )

  it.effect.each([
    ["Sorry, no flights", /Expected object/u],
    ['{"price":"89"}', /Expected number\n {2}at \["price"\]/u],
    [undefined, /Expected object/u]
  ] as const)("fails for %j with the reason", ([result, message]) =>
    Effect.gen(function* () {
      assert.match(yield* Effect.flip(AgentResult.decode(Offer, result)), message)
    })
  )
})
