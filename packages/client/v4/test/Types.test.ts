import { assert, describe, it } from "@effect/vitest"
import type * as Effects from "../src/index.ts"
import type * as Promises from "../src/promise/index.ts"

// What must not compile is marked: the compiler fails where it does.

type Views = readonly [
  Effects.Run | Promises.Run,
  Effects.Browser | Promises.Browser,
  Effects.QueuedMessage | Promises.QueuedMessage
]

const typos = ([run, browser, queued]: Views) => [
  // @ts-expect-error a field that is misspelt
  run.resutl,
  // @ts-expect-error a field that is misspelt
  browser.cdpURL,
  // @ts-expect-error a field that is misspelt
  queued.runID,
  // @ts-expect-error a status that is misspelt
  run.status === "complete",
  // @ts-expect-error a status that is misspelt
  browser.status === "stoped",
  // @ts-expect-error a status that is misspelt
  queued.status === "done"
]

const statusOf = ({ status }: Effects.Run | Promises.Run): "over" | "known" | Effects.OpenStatus => {
  switch (status) {
    case "completed":
    case "failed":
    case "cancelled":
      return "over"
    case "queued":
    case "dispatching":
    case "running":
      return "known"
    default:
      return status
  }
}

const inputs = (runs: Promises.Runs, browsers: Promises.Browsers) => [
  // @ts-expect-error a field that is misspelt
  () => runs.create({ task: "t", modelParmas: {} }),
  // @ts-expect-error a field that is misspelt
  () => browsers.create({ proxyCountry: "no" }),
  () => runs.create({ task: "t" }, { extraBody: { maxSteps: 4 } })
]

describe("types", () => {
  it("a field or a status that is misspelt does not compile; what is not known is under raw, or an OpenStatus", () => {
    const run: Effects.Run = { id: "r-1", status: "completed", raw: { later: 1 } }
    const same: Promises.Run = run
    assert.strictEqual(same.raw?.["later"], 1)
    assert.strictEqual(statusOf(run), "over")
    const paused = "paused" as Effects.OpenStatus
    const text: string = statusOf({ id: "r-1", status: paused })
    assert.strictEqual(text, "paused")
    assert.lengthOf(typos([run, { id: "b-1", cdpUrl: "ws://x" }, {}]), 6)
    assert.isFunction(inputs)
  })
})
