import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ServiceError from "../../src/observe/ServiceError.ts"
import * as TrialLog from "../../src/observe/TrialLog.ts"
import { targetOf, trialOf } from "./watched.ts"

const noted = (status: number, body: unknown) => {
  const log = TrialLog.make()
  const text = typeof body === "string" ? body : JSON.stringify(body)
  ServiceError.note(log, status, new TextEncoder().encode(text).buffer)
  return [log.answerError, log.runError]
}

describe("the service's error message", () => {
  it("is the detail of an error response, in each of its forms", () => {
    assert.deepStrictEqual(noted(404, { detail: "Run not found" }), ["Run not found", undefined])
    const detail = [
      { loc: ["body", "task"], msg: "Field required", type: "missing" },
      { loc: ["body", "text"], msg: "Too long", type: "long" }
    ]
    assert.deepStrictEqual(noted(422, { detail }), ["body.task: Field required; body.text: Too long", undefined])
    assert.deepStrictEqual(noted(500, { message: "no Route matched" }), ["no Route matched", undefined])
    assert.deepStrictEqual(noted(500, { error: { message: "boom" } }), ["boom", undefined])
  })

  it("is the error of a run, and the output of a failed v2 task", () => {
    assert.deepStrictEqual(noted(200, { id: "1", error: "The cart was empty." }), [undefined, "The cart was empty."])
    const tasks = [
      { status: "finished", output: "done" },
      { status: "failed", output: "The shop was closed." }
    ]
    assert.deepStrictEqual(noted(200, { tasks }), [undefined, "The shop was closed."])
  })

  it("is empty if a response has no text of one line", () => {
    for (const [status, body] of [
      [200, { id: "1", error: null }],
      [502, "<html>Bad Gateway</html>"],
      [500, "[]"],
      [500, ""],
      [500, { detail: "x".repeat(70_000) }]
    ] as const)
      assert.deepStrictEqual(noted(status, body), [undefined, undefined])
  })

  it.live("is found on the wire: a run's error stays, a response's is replaced by the next request", () =>
    Effect.gen(function* () {
      const target = yield* targetOf()
      const { log } = yield* trialOf(target, ({ v4 }) =>
        Effect.gen(function* () {
          yield* v4.runs.createAndWait({ task: 'Buy a mug [simulate outcome=failed error="The cart was empty."]' })
          yield* Effect.ignore(v4.runs.get("no-such-run"))
        })
      )
      assert.deepStrictEqual([log.answerError, log.runError], ["Run not found", "The cart was empty."])
    })
  )
})
