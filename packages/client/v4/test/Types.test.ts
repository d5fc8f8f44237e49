import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
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

const clients = (agent: typeof Promises.WebAgent, { layer }: typeof Effects.V4) => [
  // @ts-expect-error an option that is misspelt
  () => new agent({ retires: 2 }),
  // @ts-expect-error an option that is misspelt
  () => layer({ baseURL: "https://agents.example.com" }),
  // @ts-expect-error a hook that is misspelt
  () => new agent({ hooks: { onRespone: () => undefined } }),
  // @ts-expect-error a hook that is misspelt
  () => layer({ hooks: { onPolling: () => undefined } }),
  // @ts-expect-error a target that is misspelt
  () => new agent({ target: { idempotency: "honored" } }),
  // @ts-expect-error a target that is misspelt
  () => layer({ target: { refusals: "before-action" } }),
  // @ts-expect-error a pace that is misspelt
  () => new agent({ polling: { perSeconds: 10 } })
]

const calls = ({ request, runs, sessions }: Promises.WebAgent, effects: Effects.Runs["Service"]) => [
  // @ts-expect-error an option that is misspelt
  () => runs.get("r-1", { timout: "1 second" }),
  // @ts-expect-error an option that is misspelt
  () => effects.create({ task: "t" }, { idempotencykey: "k" }),
  // a time of the app's configuration; one that isn't a time is refused when it's used
  (given: { readonly timeout?: string; readonly every: Promises.Time }) => runs.untilTerminal("r-1", given),
  // @ts-expect-error an option of waits
  () => runs.status("r-1", { every: "2 seconds" }),
  // @ts-expect-error the controller in place of its signal
  () => sessions.queue("s-1", { text: "t" }, { signal: new AbortController() }),
  // @ts-expect-error a method that there is not
  () => request("FETCH", "/runs")
]

const read = (runs: Effects.Runs["Service"]) => runs.get("r-1")

const caught = (runs: Effects.Runs["Service"]) => [
  () => read(runs).pipe(Effect.catchTag("RunNotFoundError", () => Effect.void)),
  // @ts-expect-error a tag that is misspelt
  () => read(runs).pipe(Effect.catchTag("RunNotFondError", () => Effect.void)),
  // @ts-expect-error an error that a read does not have
  () => read(runs).pipe(Effect.catchTag("CreateOutcomeUnknown", () => Effect.void)),
  // @ts-expect-error a reason that is misspelt
  () => read(runs).pipe(Effect.catchReason("TransportError", "Timedout", () => Effect.void))
]

const tagOf = (error: Promises.TransportError | Promises.RunFailedError) =>
  // @ts-expect-error a tag that is misspelt
  error._tag === "RunFaildError"

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
  it("reject a misspelled option, hook, target or error tag", () => {
    for (const marked of [clients, calls, caught, tagOf]) assert.isFunction(marked)
  })

  it("infer the result from a schema of any library", () => {
    assert.isFunction(results)
  })

  it("reject a misspelled field or status; unknown values are under raw or an OpenStatus", () => {
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
