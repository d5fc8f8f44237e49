import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Cdp } from "../../src/index.ts"

it.effect("takes a response that comes while its command is being sent", () =>
  Effect.gen(function* () {
    const { client, hear } = Cdp.make((message) => {
      const { id }: { readonly id: number } = JSON.parse(message)
      hear(JSON.stringify({ id, error: { message: "refused" } }))
    })
    const { message } = yield* Effect.flip(client.send("Page.navigate"))
    assert.strictEqual(message, "refused")
  })
)
