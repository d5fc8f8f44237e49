import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { CreatedRun, isTerminalRunStatus, Run, RunCreate, RunStatusView } from "../../src/v4/Run.ts"

const accepts = (schema: Schema.ConstraintDecoder<unknown>, value: unknown) =>
  Exit.isSuccess(Schema.decodeUnknownExit(schema)(value))

describe("Run", () => {
  it("requires only an id in the response to a create, and a status in the full run", () => {
    assert.isTrue(accepts(CreatedRun, { id: "r" }))
    assert.isTrue(accepts(Run, { id: "r", status: "completed", result: { any: ["thing"] }, extra: 1 }))
    assert.isFalse(accepts(Run, { id: "r" }))
    for (const schema of [CreatedRun, Run]) {
      for (const wrong of [{ id: "", status: "x" }, { id: 1, status: "x" }, { status: "x" }]) {
        assert.isFalse(accepts(schema, wrong), JSON.stringify(wrong))
      }
    }
  })

  it("decodes a field of another type than ours without hiding described fields, if it is not described", () => {
    const odd = {
      sessionId: 12,
      task: null,
      modelParams: [],
      error: { code: 1 },
      createdAt: 1_700_000_000,
      startedAt: "2026-01-01 10:00:00",
      finishedAt: false,
      cost: 0.1
    }
    const known = { id: "r", status: "failed", result: 42, more: [1] }
    assert.deepStrictEqual<unknown>(Schema.decodeUnknownSync(Run)({ ...known, ...odd }), known)
    assert.deepStrictEqual<unknown>(Schema.decodeUnknownSync(CreatedRun)({ id: "r", ...odd, status: null }), {
      id: "r"
    })
    for (const [name, value] of Object.entries({ ...odd, status: null })) {
      const sent = Schema.encodeUnknownExit(CreatedRun)({ id: "r", [name]: value })
      assert.isTrue(Exit.isFailure(sent), `${name} is what our server sends`)
    }
  })

  it("decodes an unknown status, which is not terminal", () => {
    assert.isTrue(accepts(RunStatusView, { status: "brewing" }))
    assert.isFalse(accepts(RunStatusView, { status: null }))
    assert.deepStrictEqual(
      ["queued", "dispatching", "running", "completed", "failed", "cancelled", "brewing"].filter(isTerminalRunStatus),
      ["completed", "failed", "cancelled"]
    )
  })

  it("requires a task in a create, and an object as modelParams", () => {
    assert.isTrue(accepts(RunCreate, { task: "", modelParams: { effort: "high" }, more: 1 }))
    for (const wrong of [{}, { task: 1 }, { task: "t", modelParams: [] }, { task: "t", modelParams: null }]) {
      assert.isFalse(accepts(RunCreate, wrong), JSON.stringify(wrong))
    }
  })
})
