import { assert, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import { toPrompt } from "../../src/model/AiSdkMessages.ts"

it("a call whose input is no object is told of as one: services refuse any other", () => {
  const inputOf = (params: unknown) => {
    const part = Prompt.toolCallPart({ id: "1", name: "click", params, providerExecuted: false })
    const [message] = toPrompt(Prompt.fromMessages([Prompt.assistantMessage({ content: [part] })]), false)
    return message?.role === "assistant" && message.content[0]?.type === "tool-call" && message.content[0].input
  }
  assert.deepStrictEqual(inputOf({ index: 1 }), { index: 1 })
  assert.deepStrictEqual(inputOf('{"index": 1'), { input: '{"index": 1' })
  assert.deepStrictEqual(inputOf([1]), { input: [1] })
})
