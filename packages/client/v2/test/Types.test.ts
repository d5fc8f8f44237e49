import { assert, describe, it } from "@effect/vitest"
import type * as Effects from "../src/index.ts"
import type * as Promises from "../src/promise/index.ts"

// What must not compile is marked: the compiler fails where it does.

const typos = (view: Effects.SessionView | Promises.SessionView) => [
  // @ts-expect-error a field that is misspelt
  view.recordingURL,
  // @ts-expect-error a status that is misspelt
  view.status === "stoped",
  // @ts-expect-error a field that is misspelt
  view.tasks[0]?.ouptut,
  // @ts-expect-error a status that is misspelt
  view.tasks[0]?.status === "completed"
]

const statusOf = ({ status }: Effects.TaskItemView | Promises.TaskItemView): "over" | "known" | Effects.OpenStatus => {
  switch (status) {
    case "finished":
    case "failed":
    case "stopped":
      return "over"
    case "created":
    case "started":
      return "known"
    default:
      return status
  }
}

describe("types", () => {
  it("reject a misspelled field or status; unknown values are under raw or an OpenStatus", () => {
    assert.isFunction(typos)
    assert.isFunction(statusOf)
    const raw = (view: Promises.SessionView, same: Effects.SessionView = view) => same.raw?.["later"]
    assert.isFunction(raw)
  })
})
