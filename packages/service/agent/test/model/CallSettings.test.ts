import { cached } from "@webagent/agent"
import { signature } from "@webagent/scripted-model"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Prompt from "effect/ai/Prompt"
import { call, dialects, withModel } from "./asking.ts"

describe.each(dialects)("the settings of a model call in %s", (dialect) => {
  it.live("accept body fields under the provider's names, except those that the agent sets", () =>
    withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        server.script = () => ({ text: "Hm." })
        const nested = dialect === "google" ? "generationConfig" : "metadata"
        const body = {
          temperature: 0.25,
          [nested]: { topK: 7, responseSchema: { type: "string" } },
          model: "another",
          messages: [],
          input: "Obey.",
          contents: [],
          system: "Obey.",
          tools: []
        }
        yield* call(model, { settings: { body, maxOutputTokens: 77 } })
        const [request] = server.requests
        const sent = request?.body ?? {}
        assert.strictEqual(request?.model, "first-1")
        assert.strictEqual(request?.text, "Find a mug")
        assert.strictEqual(sent["temperature"], 0.25)
        assert.strictEqual(Reflect.get(Object(sent[nested]), "topK"), 7)
        assert.notInclude(JSON.stringify(sent), "Obey.")
        assert.deepStrictEqual(request?.tools, ["search", "open"])
        assert.include(JSON.stringify(sent), ":77")
        if (dialect === "google") assert.notInclude(JSON.stringify(sent), "responseSchema")
      })
    )
  )
})

describe("thinking", () => {
  it.live.each([
    ["openai-compatible", "high", "reasoning_effort", "high"],
    ["openai", "high", "reasoning", "high"],
    ["anthropic", "high", "thinking", "enabled"],
    ["google", "high", "generationConfig", "thinking"]
  ] as const)("is requested from %s as %s", ([dialect, reasoning, field, value]) =>
    withModel(
      dialect,
      (model, server) =>
        Effect.gen(function* () {
          server.script = () => ({ text: "Hm." })
          yield* call(model, { settings: { reasoning } })
          assert.include(JSON.stringify(server.requests[0]?.body[field]), value)
        }),
      (config) => ({
        ...config,
        model: {
          google: "gemini-2.5-pro",
          anthropic: "claude-sonnet-4-0",
          openai: "gpt-5",
          "openai-compatible": "qwen3"
        }[dialect]
      })
    )
  )

  it.live.each(["openai", "anthropic", "google"] as const)("is returned to %s as it was signed", (dialect) =>
    withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        server.script = () => ({
          thought: "Mugs are in the shop.",
          calls: [{ name: "search", input: { text: "mug" } }]
        })
        const first = yield* call(model)
        assert.strictEqual(first.reasoningText, "Mugs are in the shop.")
        yield* call(model, {
          prompt: Prompt.concat(Prompt.make("Find a mug"), [
            ...Prompt.fromResponseParts(first.content).content,
            {
              role: "tool",
              content: [
                Prompt.makePart("tool-result", {
                  id: first.toolCalls[0]?.id ?? "",
                  name: "search",
                  result: "none",
                  isFailure: false,
                  providerExecuted: false
                })
              ]
            }
          ])
        })
        assert.include(JSON.stringify(server.requests[1]?.body), signature("Mugs are in the shop."))
      })
    )
  )
})

describe("a cache breakpoint", () => {
  it.live("is set on Anthropic's system message and on a message that asks for one", () =>
    withModel("anthropic", (model, server, spent) =>
      Effect.gen(function* () {
        server.script = () => ({ text: "Hm.", usage: { input: 1_000, cacheRead: 600, cacheWrite: 300, output: 1 } })
        yield* call(model, {
          prompt: Prompt.fromMessages([
            Prompt.makeMessage("system", { content: "You use a browser." }),
            cached(Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text: "Find a mug" })] })),
            Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text: "The page now" })] })
          ])
        })
        const { messages, system } = server.requests[0]?.body ?? {}
        assert.include(JSON.stringify(system), "ephemeral")
        assert.strictEqual(JSON.stringify(messages).split("ephemeral").length, 2)
        // 100 * 3 + 600 * 0.3 + 300 * 3.75 + 15 = 1,620 USD for a million
        assert.deepStrictEqual(
          spent.map(({ cost }) => cost),
          [1_620_000_000n]
        )
      })
    )
  )

  it.live("is set on a tool's result if that is the last stable message", () =>
    withModel("anthropic", (model, server) =>
      Effect.gen(function* () {
        server.script = () => ({ calls: [{ name: "search", input: { text: "mug" } }] })
        const first = yield* call(model)
        const results = first.toolCalls.map(({ id, name }) =>
          Prompt.makePart("tool-result", { id, name, result: "none", isFailure: false, providerExecuted: false })
        )
        const page = Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text: "The page now" })] })
        yield* call(model, {
          prompt: Prompt.fromMessages([
            Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text: "Find a mug" })] }),
            ...Prompt.fromResponseParts(first.content).content,
            cached(Prompt.makeMessage("tool", { content: results })),
            page
          ])
        })
        const { messages } = server.requests[1]?.body ?? {}
        assert.strictEqual(JSON.stringify(messages).split("ephemeral").length, 2)
        assert.include(JSON.stringify(messages), '"content":"none","cache_control":{"type":"ephemeral"}')
      })
    )
  )
})
