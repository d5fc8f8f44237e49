import { assert, describe, it } from "@effect/vitest"
import * as ContextBudget from "../../src/agent/ContextBudget.ts"
import * as Conversation from "../../src/agent/Conversation.ts"
import * as ModelError from "../../src/model/ModelError.ts"

const refusal = (message: string) =>
  ModelError.fromStatus(
    "Model m",
    message,
    {
      statusCode: 400,
      headers: {},
      data: undefined,
      url: "http://127.0.0.1/",
      location: undefined,
      key: { isSet: false, name: undefined }
    },
    0
  )

describe("a context budget", () => {
  it.each([
    ["names its size", "This model's maximum context length is 8192 tokens. You sent 9000."],
    ["doesn't name its size", "prompt is too long"]
  ])("gets smaller with each refusal, a few times, if the server %s", (_, message) => {
    const budget = ContextBudget.make({ tokens: undefined, pageChars: 40_000, learn: () => {} })
    const rooms = [budget.parts().past]
    // a request whose fixed parts alone exceed the room
    budget.sending(2_000_000)
    while (rooms.length < 20 && budget.shrink(refusal(message))) rooms.push(budget.parts().past)
    assert.isAtMost(rooms.length, 9)
    for (const [index, room] of rooms.slice(1).entries()) assert.isBelow(room, rooms[index] ?? 0)
  })

  it("counts no bytes of a picture as text", () => {
    const { prompt } = Conversation.make("i")
    const withPicture = Conversation.sizeOf(prompt("now", new Uint8Array(150_000).fill(200)).content)
    assert.isBelow(withPicture, 200)
  })
})
