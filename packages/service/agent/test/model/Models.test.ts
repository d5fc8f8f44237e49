import { OnSpent } from "@webagent/agent"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Prompt from "effect/ai/Prompt"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { call, dialects, toolkit, withModel } from "./asking.ts"

describe.each(dialects)("a model that speaks %s", (dialect) => {
  it.live("returns text, usage and cost", () =>
    withModel(dialect, (model, server, spent) =>
      Effect.gen(function* () {
        server.script = () => ({ text: "A mug.", usage: { input: 1_000, output: 10 } })
        const answer = yield* call(model, {
          prompt: [
            { role: "system", content: "You use a browser." },
            { role: "user", content: [{ type: "text", text: "Find a mug" }] }
          ]
        })
        assert.strictEqual(answer.text, "A mug.")
        assert.strictEqual(answer.finishReason, "stop")
        assert.deepStrictEqual(
          spent.map(({ cost, model }) => ({ cost, model })),
          [{ model: "first-1", cost: 3_150_000_000n }]
        )
        const [request] = server.requests
        assert.strictEqual(request?.model, "first-1")
        assert.deepStrictEqual(
          request?.messages.map(({ text }) => text),
          ["You use a browser.", "Find a mug"]
        )
        assert.deepStrictEqual(request?.tools, ["search", "open"])
        if (dialect === "openai") assert.strictEqual(request?.body["store"], false)
      })
    )
  )

  it.live("prices cached input", () =>
    withModel(dialect, (model, server, spent) =>
      Effect.gen(function* () {
        server.script = () => ({ text: "A mug.", usage: { input: 1_000, cacheRead: 900, output: 10 } })
        yield* call(model)
        // 100 * 3 + 900 * 0.3 + 10 * 15 = 720 USD for a million
        assert.deepStrictEqual(
          spent.map(({ cost }) => cost),
          [720_000_000n]
        )
        assert.strictEqual(spent[0]?.usage.inputTokens.cacheRead, 900)
      })
    )
  )

  it.live("returns calls unchanged, even of unknown tools, and accepts their results", () =>
    withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        server.script = (_, count) =>
          count === 1
            ? {
                calls: [
                  { name: "search", input: { text: "mug" } },
                  { name: "fly", input: { to: "the moon" } }
                ]
              }
            : { text: "Done." }
        const first = yield* call(model, { toolChoice: "required" })
        assert.deepStrictEqual(
          first.toolCalls.map(({ name, params }) => [name, params]),
          [
            ["search", { text: "mug" }],
            ["fly", { to: "the moon" }]
          ]
        )
        const history = Prompt.concat(Prompt.make("Find a mug"), Prompt.fromResponseParts(first.content))
        const results = first.toolCalls.map(({ id, name }, index) =>
          Prompt.makePart("tool-result", {
            id,
            name,
            result: `result ${index}`,
            isFailure: index === 1,
            providerExecuted: false
          })
        )
        const next = yield* call(model, {
          prompt: Prompt.concat(history, [{ role: "tool", content: results }])
        })
        assert.strictEqual(next.text, "Done.")
        const sent = JSON.stringify(server.requests[1]?.body)
        assert.include(sent, "result 0")
        assert.include(sent, "result 1")
        assert.include(sent, "the moon")
      })
    )
  )

  it.live("gets the available tools as closed and short schemas", () =>
    withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        server.script = () => ({ text: "Hm." })
        yield* call(model, { toolChoice: { oneOf: ["search"], mode: "required" } })
        assert.deepStrictEqual(server.requests[0]?.tools, ["search"])
        assert.notInclude(JSON.stringify(server.requests[0]?.body), String(Number.MAX_SAFE_INTEGER))
      })
    )
  )

  it.live("returns an object that fits a schema", () =>
    withModel(
      dialect,
      (model, server) =>
        Effect.gen(function* () {
          server.script = () => ({ text: JSON.stringify({ name: "Mug", price: 4.5 }) })
          const answer = yield* model.generateObject({
            prompt: "Which mug?",
            objectName: "mug",
            schema: Schema.Struct({ name: Schema.String, price: Schema.Finite })
          })
          assert.deepStrictEqual(answer.value, { name: "Mug", price: 4.5 })
          assert.include(JSON.stringify(server.requests[0]?.schema), "price")
        }),
      // of Anthropic's models, the provider asks only those that it knows for a schema
      (config) => ({ ...config, model: "claude-sonnet-4-5" })
    )
  )

  it.live("charges even for a response that doesn't fit the schema", () =>
    withModel(dialect, (model, server, spent) =>
      Effect.gen(function* () {
        server.script = () => ({ text: "no JSON at all" })
        const error = yield* Effect.flip(
          model.generateObject({ prompt: "Which mug?", schema: Schema.Struct({ name: Schema.String }) })
        )
        assert.strictEqual(error._tag, "AiError")
        assert.strictEqual(spent.length, 1)
      })
    )
  )

  it.live("gets pictures only if it supports them", () =>
    Effect.gen(function* () {
      const prompt = Prompt.make([
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "file", mediaType: "image/jpeg", data: new Uint8Array([255, 216, 255]) }
          ]
        }
      ])
      for (const sees of [true, false]) {
        yield* withModel(
          dialect,
          (model, server) =>
            Effect.gen(function* () {
              server.script = () => ({ text: "A mug." })
              yield* call(model, { prompt })
              assert.strictEqual(server.requests[0]?.messages.at(-1)?.images, sees ? 1 : 0)
              assert.strictEqual(server.requests[0]?.text, "What is this?")
            }),
          (config) => ({ ...config, sees })
        )
      }
    })
  )

  it.live("calls tools optionally if the server refuses to force a call", () =>
    withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        const insists = (choice: unknown) => /required|any/iu.test(JSON.stringify(choice) ?? "")
        server.script = ({ toolChoice }) =>
          insists(toolChoice) ? { status: 400, message: "tool_choice must be auto" } : { text: "Hm." }
        yield* call(model, { toolChoice: "required" })
        yield* call(model, { toolChoice: "required" })
        assert.deepStrictEqual(
          server.requests.map(({ toolChoice }) => insists(toolChoice)),
          [true, false, false]
        )
      })
    )
  )

  it.live("streams a response in one piece", () =>
    withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        server.script = () => ({ text: "A mug.", calls: [{ name: "search", input: { text: "mug" } }] })
        const parts = yield* Stream.runCollect(
          model.streamText({ prompt: "Find a mug", toolkit, disableToolCallResolution: true })
        )
        assert.deepStrictEqual(
          Array.from(parts, ({ type }) => type),
          ["text-start", "text-delta", "text-end", "tool-call", "finish"]
        )
      })
    )
  )

  it.live("keeps an unknown cost unknown", () =>
    Effect.gen(function* () {
      yield* withModel(
        dialect,
        (model, server, spent) =>
          Effect.gen(function* () {
            server.script = () => ({ text: "Hm." })
            yield* call(model)
            assert.deepStrictEqual(
              spent.map(({ cost }) => cost),
              [null]
            )
          }),
        (config) => ({ ...config, price: undefined })
      )
      // Anthropic always counts
      if (dialect === "anthropic") return
      yield* withModel(dialect, (model, server, spent) =>
        Effect.gen(function* () {
          server.script = () => ({ text: "Hm.", usage: null })
          yield* call(model)
          assert.deepStrictEqual(
            spent.map(({ cost }) => cost),
            [null]
          )
        })
      )
    })
  )
})

describe("a response's usage", () => {
  it.live("is reported even if the call is interrupted while it arrives", () =>
    Effect.gen(function* () {
      const telling = Promise.withResolvers<void>()
      const told = Promise.withResolvers<void>()
      let count = 0
      const tell = () =>
        Effect.promise(() => {
          telling.resolve()
          return told.promise
        }).pipe(Effect.andThen(Effect.sync(() => void count++)))
      yield* withModel("openai-compatible", (model, server) =>
        Effect.gen(function* () {
          server.script = () => ({ text: "Hm." })
          const fiber = yield* Effect.forkChild(Effect.provideService(call(model), OnSpent, tell))
          yield* Effect.promise(() => telling.promise)
          const interrupted = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
          told.resolve()
          yield* Fiber.join(interrupted)
          assert.strictEqual(count, 1)
        })
      )
    })
  )
})
