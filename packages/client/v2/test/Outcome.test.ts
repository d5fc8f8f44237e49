import { assert, describe, it } from "@effect/vitest"
import { TaskItemView } from "@webagent/contract/v2"
import * as Schema from "effect/Schema"
import { Outcome, totalCost } from "../src/index.ts"

const task = (fields: object) =>
  Schema.decodeUnknownSync(TaskItemView)({
    id: "6f9619ff-8b86-4d11-b42d-00c04fc964ff",
    sessionId: "6f9619ff-8b86-4d11-b42d-00c04fc964ff",
    llm: "m",
    task: "t",
    createdAt: "2026-11-21T09:12:44",
    ...fields
  })

describe("Outcome.of", () => {
  it.each([
    [
      { status: "finished", output: "a mug" },
      { _tag: "Completed", output: "a mug" }
    ],
    [{ status: "finished" }, { _tag: "Completed", output: null }],
    [{ status: "failed" }, { _tag: "Failed" }],
    [{ status: "stopped" }, { _tag: "Cancelled" }],
    [{ status: "started" }, { _tag: "Unfinished" }],
    [{ status: "pondering" }, { _tag: "Unfinished" }]
  ])("%j is %j", (fields, outcome) => {
    const view = task(fields)
    assert.deepStrictEqual(Outcome.of(view), { ...outcome, task: view } as Outcome.Outcome)
  })
})

describe("totalCost", () => {
  it("adds up tasks and proxies exactly, and counts unknown costs", () => {
    const tasks = [{ cost: "0.1" }, { cost: "0.2" }, { cost: null }]
    const sessions = [
      { tasks, proxyCost: "0.003" },
      { tasks: [], proxyCost: "0" }
    ]
    assert.deepStrictEqual(totalCost(sessions), { total: "0.303", known: 4, unknown: 1 })
  })
})
