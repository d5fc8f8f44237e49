import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Tool from "effect/ai/Tool"
import { toTools } from "../../src/model/AiSdkMessages.ts"
import * as Conversation from "../../src/agent/Conversation.ts"
import * as Tools from "../../src/agent/Tools.ts"

it("each tool takes an object, as services require, even one without parameters", () => {
  const all = [...Tools.tools.map(({ tool }) => tool), Tools.done(null)]
  assert.deepStrictEqual(
    all.filter((tool) => Tool.getJsonSchema(tool)["type"] !== "object").map(({ name }) => name),
    []
  )
})

it.effect("a plan that is too long is refused with its limit, and no note is stored", () =>
  Effect.gen(function* () {
    const conversation = Conversation.make("")
    const note = Tools.tools.find(({ tool }) => tool.name === "note")
    const scene = { note: conversation.note } as Tools.Scene
    const refused = yield* Effect.flip(note?.run({ text: "4711", plan: "x".repeat(1001) }, scene) ?? Effect.never)
    assert.strictEqual(
      refused.message,
      "Not noted: a plan has at most 1000 characters, and this one has 1001. Write a shorter plan, and the text again."
    )
    assert.strictEqual(conversation.memory(), "")
    yield* note?.run({ plan: "x".repeat(1000) }, scene) ?? Effect.never
    assert.include(conversation.memory(), "x".repeat(1000))
  })
)

it("a caller's schema keeps its open objects, and those of other tools are closed", () => {
  const price = { type: "object", properties: { price: { type: "number" } }, additionalProperties: true } as const
  const tools = [...Tools.tools.map(({ tool }) => tool), Tools.done(price)]
  const { tools: told = [] } = toTools({ tools, toolChoice: "required" } as never, true)
  const open = told.filter((tool) => JSON.stringify(tool).includes('"additionalProperties":true'))
  assert.deepStrictEqual(
    open.map(({ name }) => name),
    ["done"]
  )
  assert.deepNestedPropertyVal(open[0], "inputSchema.properties.output", price)
})
