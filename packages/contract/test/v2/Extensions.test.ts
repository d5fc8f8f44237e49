import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Wire from "../../src/Wire.ts"
import { V2Extensions } from "../../src/v2/Extensions.ts"
import { SessionUpdate, ShareView } from "../../src/v2/SessionExtensions.ts"
import { TaskListQuery } from "../../src/v2/Queries.ts"
import { TaskCreate, TaskStatusView, TaskUpdate, TaskView } from "../../src/v2/TaskExtensions.ts"

const operation = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`

const id = "11111111-1111-4111-8111-111111111111"

describe("V2Extensions", () => {
  it("has every extension of Wire, and no described operation", () => {
    const listed = Object.values(V2Extensions).flatMap((group) => Object.values(group).map(operation))
    assert.sameMembers(listed, Object.values(Wire.v2Extensions).map(operation))
    assert.notIncludeMembers(listed, Object.values(Wire.v2Operations).map(operation))
  })

  it("requires a text for a task, and a UUID as the id of its session", () => {
    const decode = Schema.decodeUnknownExit(TaskCreate)
    for (const body of [{ task: "t" }, { task: "t", sessionId: null }, { task: "t", sessionId: id, own: 1 }]) {
      assert.deepStrictEqual<unknown>(decode(body), Exit.succeed(body))
    }
    for (const wrong of [{}, { task: "" }, { task: "t", sessionId: "s" }]) {
      assert.isTrue(Exit.isFailure(decode(wrong)), JSON.stringify(wrong))
    }
  })

  it("adds steps to the fields that a task has in its session", () => {
    const task = { id, sessionId: id, llm: "m", task: "t", status: "started", createdAt: "2026-05-01T09:30:00.123456" }
    const decoded = Schema.decodeUnknownSync(TaskView)({ ...task, steps: [{ number: 1 }] })
    assert.deepStrictEqual([decoded.steps, decoded.metadata, decoded.output], [[{ number: 1 }], {}, null])
    assert.isTrue(Exit.isFailure(Schema.decodeUnknownExit(TaskView)(task)))
    assert.deepStrictEqual<unknown>(
      Schema.decodeUnknownExit(TaskStatusView)({ status: "paused" }),
      Exit.succeed({ status: "paused", output: null, finishedAt: null, isSuccess: null, cost: null })
    )
  })

  it("checks actions and filters", () => {
    assert.isTrue(Exit.isFailure(Schema.decodeUnknownExit(TaskUpdate)({ action: "pause" })))
    assert.isTrue(Exit.isFailure(Schema.decodeUnknownExit(SessionUpdate)({ action: "pause" })))
    const decode = Schema.decodeUnknownExit(TaskListQuery)
    const query = { pageSize: "10", filterBy: "finished", after: "2026-05-01T09:30:00Z" }
    assert.deepStrictEqual<unknown>(decode(query), Exit.succeed({ ...query, pageSize: 10 }))
    for (const wrong of [{ sessionId: "s" }, { after: "yesterday" }]) {
      assert.isTrue(Exit.isFailure(decode(wrong)), JSON.stringify(wrong))
    }
  })

  it("requires the token and the address of a share", () => {
    const share = { shareToken: "t", shareUrl: "http://127.0.0.1/share" }
    assert.deepStrictEqual<unknown>(
      Schema.decodeUnknownExit(ShareView)(share),
      Exit.succeed({ ...share, lastViewedAt: null })
    )
  })
})
