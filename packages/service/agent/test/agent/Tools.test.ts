import { assert, it } from "@effect/vitest"
import * as Tool from "effect/ai/Tool"
import * as Tools from "../../src/agent/Tools.ts"

it("each tool takes an object, as services want it, also one that takes nothing", () => {
  const all = [...Tools.tools.map(({ tool }) => tool), Tools.done(null)]
  assert.deepStrictEqual(
    all.filter((tool) => Tool.getJsonSchema(tool)["type"] !== "object").map(({ name }) => name),
    []
  )
})
