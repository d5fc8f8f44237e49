import { assert, it } from "@effect/vitest"
import * as Tool from "effect/ai/Tool"
import { toTools } from "../../src/model/AiSdkMessages.ts"
import * as Tools from "../../src/agent/Tools.ts"

it("each tool takes an object, as services want it, also one that takes nothing", () => {
  const all = [...Tools.tools.map(({ tool }) => tool), Tools.done(null)]
  assert.deepStrictEqual(
    all.filter((tool) => Tool.getJsonSchema(tool)["type"] !== "object").map(({ name }) => name),
    []
  )
})

it("an object of a caller's schema stays as open as it is, and those of other tools are closed", () => {
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
