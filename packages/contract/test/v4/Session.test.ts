import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { QueuedMessage, QueueMessage } from "../../src/v4/Session.ts"

describe("QueueMessage", () => {
  it("requires a text and whether to interrupt", () => {
    const accepts = (value: unknown) => Exit.isSuccess(Schema.decodeUnknownExit(QueueMessage)(value))
    assert.isTrue(accepts({ text: "and then", interrupt: false }))
    for (const wrong of [
      { text: "t" },
      { interrupt: true },
      { text: 1, interrupt: true },
      { text: "t", interrupt: "no" }
    ]) {
      assert.isFalse(accepts(wrong), JSON.stringify(wrong))
    }
  })
})

describe("QueuedMessage", () => {
  it("decodes an empty response, and keeps all fields", () => {
    const decode = Schema.decodeUnknownExit(QueuedMessage)
    assert.deepStrictEqual(decode({}), Exit.succeed({}))
    assert.deepStrictEqual<unknown>(decode({ mode: "later", extra: 1 }), Exit.succeed({ mode: "later", extra: 1 }))
    assert.deepStrictEqual(decode({ id: 1.5, sessionId: 1, status: null, createdAt: 1 }), Exit.succeed({}))
    // ours is a number, those of other services may be texts
    for (const id of [12, "m-12"]) assert.deepStrictEqual(decode({ id }), Exit.succeed({ id }))
    // the run of the message is what one waits for: it is not to be lost in silence
    assert.isTrue(Exit.isFailure(decode({ runId: 12 })))
  })
})
