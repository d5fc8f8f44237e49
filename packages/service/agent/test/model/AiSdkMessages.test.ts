import { assert, it } from "@effect/vitest"
import type { LanguageModelV4Usage } from "@ai-sdk/provider"
import * as Prompt from "effect/ai/Prompt"
import { toAnswer, toPrompt } from "../../src/model/AiSdkMessages.ts"
import type { Dialect } from "../../src/model/ModelConfig.ts"

it("a call whose input isn't an object is described as one, because services refuse any other", () => {
  const inputOf = (params: unknown) => {
    const part = Prompt.toolCallPart({ id: "1", name: "click", params, providerExecuted: false })
    const prompt = Prompt.fromMessages([Prompt.assistantMessage({ content: [part] })])
    const [message] = toPrompt(prompt, { dialect: "openai-compatible" })
    return message?.role === "assistant" && message.content[0]?.type === "tool-call" && message.content[0].input
  }
  assert.deepStrictEqual(inputOf({ index: 1 }), { index: 1 })
  assert.deepStrictEqual(inputOf('{"index": 1'), { input: '{"index": 1' })
  assert.deepStrictEqual(inputOf([1]), { input: [1] })
})

it("the calls of a response have unique ids, even if the model repeats one", () => {
  const usage: LanguageModelV4Usage = {
    inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: undefined, reasoning: undefined }
  }
  const idsOf = (ids: ReadonlyArray<string>) => {
    const content = ids.map((toolCallId) => ({
      type: "tool-call" as const,
      toolCallId,
      toolName: "click",
      input: "{}"
    }))
    const finishReason = { unified: "tool-calls", raw: undefined } as const
    const { parts } = toAnswer({ content, finishReason, usage, warnings: [] }, ["click"], "id", "openai-compatible")
    return parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : []))
  }
  for (const repeated of [
    ["a", "a"],
    ["a_1", "a", "a"],
    ["a", "a_1", "a", "a"],
    ["a_2", "a", "a"],
    ["", "", "_1"]
  ]) {
    const ids = idsOf(repeated)
    assert.strictEqual(new Set(ids).size, repeated.length, String(ids))
  }
  assert.deepStrictEqual(idsOf(["a", "b"]), ["a", "b"])
})

it("a vendor gets ids in its own form for another model's calls, and its own ids unchanged", () => {
  const turn = (id: string) => [
    Prompt.assistantMessage({
      content: [Prompt.toolCallPart({ id, name: "click", params: {}, providerExecuted: false })]
    }),
    Prompt.toolMessage({
      content: [
        Prompt.toolResultPart({ id, name: "click", isFailure: false, result: "Clicked.", providerExecuted: false })
      ]
    })
  ]
  const idsOf = (dialect: Dialect, ids: ReadonlyArray<string>) =>
    toPrompt(Prompt.fromMessages(ids.flatMap(turn)), { dialect }).flatMap(({ content }) =>
      typeof content === "string" ? [] : content.flatMap((part) => ("toolCallId" in part ? [part.toolCallId] : []))
    )
  const local = ["functions.click:0", "call_0", "call_0"]
  const twice = (ids: ReadonlyArray<string>) => ids.flatMap((id) => [id, id])
  assert.deepStrictEqual(idsOf("openai-compatible", local), twice(local))
  for (const dialect of ["anthropic", "openai", "google"] as const) {
    assert.deepStrictEqual(idsOf(dialect, local), twice(["functions_click_0", "call_0", "call_0_1"]))
    assert.deepStrictEqual(idsOf(dialect, ["toolu_01-A"]), twice(["toolu_01-A"]))
  }
})
