import { assert, describe, it } from "@effect/vitest"
import type { Session } from "@webagent/contract/v3"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Outcome } from "../src/index.ts"

describe("Outcome.of", () => {
  it.each([
    [
      { status: "idle", result: 42 },
      { _tag: "Completed", result: 42 }
    ],
    [
      { status: "stopped", result: 42 },
      { _tag: "Completed", result: 42 }
    ],
    [{ result: 42 }, { _tag: "Completed", result: 42 }],
    [{ status: "error", result: 42 }, { _tag: "Failed" }],
    [{ status: "timed_out" }, { _tag: "Failed" }],
    [{ status: "idle", result: null }, { _tag: "NoResult" }],
    [{ status: "stopped" }, { _tag: "NoResult" }],
    [{ status: "running", result: "half" }, { _tag: "Unfinished" }],
    [{}, { _tag: "Unfinished" }]
  ])("%j is %j", (fields, outcome) => {
    const session = { id: "s-1", ...fields } as Session
    assert.deepStrictEqual(Outcome.of(session), { ...outcome, session } as Outcome.Outcome)
  })
})

describe("Outcome.decode", () => {
  it.effect("keeps the session, and names the mismatch", () =>
    Effect.gen(function* () {
      const messages = []
      for (const fields of [
        { status: "error" },
        { status: "idle", result: "a mug" },
        { status: "idle", result: null }
      ] as const) {
        const session = { id: "s-1", ...fields }
        const error = yield* Effect.flip(Outcome.decode(Schema.Number, session))
        assert.deepStrictEqual(error.session, session)
        messages.push(`${error._tag}: ${error.message}`)
      }
      assert.deepStrictEqual(messages, [
        'SessionFailedError: Session s-1 gave no result: its status is "error".',
        "ResultMismatchError: The result of session s-1 doesn't match the schema: Expected number.",
        "ResultMismatchError: The result of session s-1 doesn't match the schema: Expected number."
      ])
    })
  )
})
