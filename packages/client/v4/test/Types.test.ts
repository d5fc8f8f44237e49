import { assert, describe, it } from "@effect/vitest"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as v from "valibot"
import { z } from "zod"
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

const asked = {
  zod: { result: z.object({ price: z.number() }) },
  valibot: { result: v.object({ price: v.number() }) },
  effect: { result: Schema.Struct({ price: Schema.Number }) },
  standard: { result: Schema.toStandardSchemaV1(Schema.Struct({ price: Schema.Number })) }
}

type Price = { readonly price: number }

const results = ({ createAndWait, runAll, untilTerminal }: Effects.Runs["Service"], { runs }: Promises.WebAgent) => {
  type Completed = Effect.Effect<
    Effects.Run & { readonly result: Price },
    Effects.RunEndError | Effects.RunFailedError | Effects.RunCancelledError | Effects.ResultMismatchError
  >
  const inEffect: ReadonlyArray<Completed> = [
    createAndWait({ task: "t" }, asked.zod),
    createAndWait({ task: "t" }, asked.valibot),
    createAndWait({ task: "t" }, asked.effect),
    createAndWait({ task: "t" }, { ...asked.standard, timeout: "1 minute" }),
    untilTerminal("r-1", asked.zod)
  ]
  const inPromises: ReadonlyArray<Promise<Promises.Run & { readonly result: Price }>> = [
    runs.createAndWait({ task: "t" }, asked.zod),
    runs.createAndWait({ task: "t" }, asked.valibot),
    runs.createAndWait({ task: "t" }, { ...asked.standard, timeout: "1 minute" }),
    runs.untilTerminal("r-1", asked.valibot)
  ]
  return [
    ...inEffect,
    ...inPromises,
    runAll([], asked.zod),
    runs.runAll([], asked.zod),
    // @ts-expect-error a shape is no schema
    createAndWait({ task: "t" }, { result: { price: Number } }),
    // @ts-expect-error a shape is no schema
    runs.createAndWait({ task: "t" }, { result: { price: Number } }),
    // @ts-expect-error what is not asked for is not known
    runs.createAndWait({ task: "t" }).then(({ result }) => result.price)
  ]
}

describe("types", () => {
  it("a result is of the type that a schema of any library says", () => {
    assert.isFunction(results)
  })

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
