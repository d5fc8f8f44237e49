import { type ModelConfig, ModelCost, Models } from "@webagent/agent"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, configOf, withModel, unhurried } from "./asking.ts"

describe("a fallback", () => {
  const withFallback = (config: ModelConfig.ModelConfig): ModelConfig.ModelConfig => ({
    ...config,
    fallback: { ...config, model: "second-2", price: ModelCost.price({ input: "1", output: "1" }) }
  })

  it.live("is used for the rest of the turn, at its own price, and the next turn starts with the first model", () =>
    withModel(
      "openai-compatible",
      (model, server, spent) =>
        Effect.gen(function* () {
          server.script = ({ model }) =>
            model === "first-1" ? { status: 500 } : { text: "Hm.", usage: { input: 10, output: 1 } }
          yield* call(model)
          yield* call(model)
          const asked = server.requests.map(({ model }) => model)
          // retried for 10 seconds: after about 0.5, 1, 2 and 4 seconds
          assert.isAtLeast(asked.lastIndexOf("first-1"), 3)
          assert.isAtMost(asked.lastIndexOf("first-1"), 5)
          assert.deepStrictEqual(asked.slice(asked.lastIndexOf("first-1") + 1), ["second-2", "second-2"])
          assert.deepStrictEqual(
            spent.map(({ cost, model }) => [model, cost]),
            [
              ["second-2", 11_000_000n],
              ["second-2", 11_000_000n]
            ]
          )
          const next = yield* Effect.flatMap(Models, ({ forTurn }) => forTurn).pipe(
            Effect.provide(Models.layer(withFallback(configOf(server, "openai-compatible"))))
          )
          server.script = () => ({ text: "Hm." })
          yield* call(next)
          assert.strictEqual(server.requests.at(-1)?.model, "first-1")
        }),
      withFallback
    ).pipe(unhurried([]))
  )

  it.live("takes over immediately when a request to the first model times out", () => {
    const arrived = Promise.withResolvers<void>()
    let limits = 0
    const expired = Effect.suspend(() => (++limits === 1 ? Effect.promise(() => arrived.promise) : Effect.never))
    return withModel(
      "openai-compatible",
      (model, server) =>
        Effect.gen(function* () {
          server.script = ({ model }) => (model === "first-1" ? () => arrived.resolve() : { text: "Hm." })
          assert.strictEqual((yield* call(model)).text, "Hm.")
          assert.deepStrictEqual(
            server.requests.map(({ model }) => model),
            ["first-1", "second-2"]
          )
        }),
      withFallback
    ).pipe(unhurried([], expired))
  })

  it.live("isn't used if the first model refuses the request", () =>
    withModel(
      "openai-compatible",
      (model, server) =>
        Effect.gen(function* () {
          server.script = () => ({ status: 401 })
          yield* Effect.flip(call(model))
          assert.strictEqual(server.requests.length, 1)
        }),
      withFallback
    )
  )
})
