import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ScriptedServer } from "@webagent/scripted-server"
import { type RunProgress, Runs } from "../src/index.ts"
import { layer } from "./client.ts"
import { answering, elapse, json, warned } from "./virtual.ts"

/** A service whose runs are called like their tasks, and end as these say: `bad` fails, `odd` answers text. */
const service = Effect.map(ScriptedServer, (server) => {
  server.script = ({ body, method, url }) => {
    if (method === "POST") {
      const { task } = JSON.parse(body)
      if (task === "refused") return { status: 422, json: {} }
      if (task === "lost") return (response) => response.destroy()
      return { status: 201, json: { id: task } }
    }
    const id = url.split("/")[4] ?? ""
    if (url.endsWith("/status")) return { json: { status: id.startsWith("bad") ? "failed" : "completed" } }
    return {
      json: {
        id,
        status: id.startsWith("bad") ? "failed" : "completed",
        result: id === "odd" ? "odd" : { of: id },
        ...(id === "free" ? {} : { cost: "0.1" })
      }
    }
  }
  const created = () =>
    server.requests.filter(({ method }) => method === "POST").map(({ body }): string => JSON.parse(body).task)
  return { server, created }
})

const tasks = (...names: ReadonlyArray<string>) => names.map((task) => ({ task }))

const said = (exit: Exit.Exit<{ readonly id: string; readonly status: string }, { readonly _tag: string }>) =>
  Exit.isSuccess(exit)
    ? `${exit.value.id} ${exit.value.status}`
    : Option.getOrUndefined(Exit.findErrorOption(exit))?._tag

describe("Runs.runAll", () => {
  it.live("returns the outcome of each input in order, and the total cost", () =>
    Effect.gen(function* () {
      yield* service
      const runs = yield* Runs
      const { cost, results } = yield* runs.runAll(tasks("a", "bad", "refused", "lost", "free", "b", "c"))
      assert.deepStrictEqual(results.map(said), [
        "a completed",
        "bad failed",
        "HTTPValidationError",
        "CreateOutcomeUnknown",
        "free completed",
        "b completed",
        "c completed"
      ])
      // of the lost one and the free one the cost is not known; the refused one has none
      assert.deepStrictEqual(cost, { total: "0.4", known: 4, unknown: 2 })
    }).pipe(Effect.provide(layer()))
  )

  it.live("decodes each result, and counts the cost of a run without one", () =>
    Effect.gen(function* () {
      yield* service
      const runs = yield* Runs
      const { cost, results } = yield* runs.runAll(tasks("a", "odd", "bad"), {
        result: Schema.Struct({ of: Schema.String })
      })
      assert.deepStrictEqual(
        results.map((exit) => (Exit.isSuccess(exit) ? exit.value.result.of : said(exit))),
        ["a", "ResultMismatchError", "RunFailedError"]
      )
      assert.deepStrictEqual(cost, { total: "0.3", known: 3, unknown: 0 })
    }).pipe(Effect.provide(layer()))
  )

  it.live("creates no more runs after a failed one with stopOnFailure", () =>
    Effect.gen(function* () {
      const { created } = yield* service
      const runs = yield* Runs
      const { cost, results } = yield* runs.runAll(tasks("a", "bad", "b", "c"), { concurrency: 1, stopOnFailure: true })
      assert.deepStrictEqual(results.map(said), ["a completed", "bad failed", "NotStartedError", "NotStartedError"])
      assert.deepStrictEqual(created(), ["a", "bad"])
      assert.deepStrictEqual(cost, { total: "0.2", known: 2, unknown: 0 })
    }).pipe(Effect.provide(layer()))
  )

  it.live("reports each created run and each finished run", () =>
    Effect.gen(function* () {
      yield* service
      const runs = yield* Runs
      const seen: Array<string> = []
      const onProgress = ({ created, ended, event, failed, id, index, total }: RunProgress) =>
        Effect.sync(() => seen.push(`${index} ${id ?? "?"} ${event}: ${created}/${ended}/${failed} of ${total}`))
      yield* runs.runAll(tasks("a", "refused", "bad"), { concurrency: 1, onProgress })
      assert.deepStrictEqual(seen, [
        "0 a created: 1/0/0 of 3",
        "0 a completed: 1/1/0 of 3",
        "1 ? failed: 1/2/1 of 3",
        "2 bad created: 2/2/1 of 3",
        "2 bad failed: 2/3/2 of 3"
      ])
    }).pipe(Effect.provide(layer()))
  )

  it.live("sends the idempotency key of each create", () =>
    Effect.gen(function* () {
      const { server } = yield* service
      const runs = yield* Runs
      yield* runs.runAll(tasks("a", "b"), { concurrency: 1, idempotencyKey: ({ task }, index) => `${task}-${index}` })
      assert.deepStrictEqual(
        server.requests.filter(({ method }) => method === "POST").map(({ headers }) => headers["idempotency-key"]),
        ["a-0", "b-1"]
      )
    }).pipe(Effect.provide(layer()))
  )

  it.live("counts a run that may have been created without an id as an unknown cost", () =>
    Effect.gen(function* () {
      const { server } = yield* service
      server.script = () => ({ status: 201, json: {} })
      const runs = yield* Runs
      const { cost, results } = yield* runs.runAll(tasks("a"))
      assert.deepStrictEqual(results.map(said), ["CreateOutcomeUnknown"])
      assert.deepStrictEqual(cost, { total: "0", known: 0, unknown: 1 })
    }).pipe(Effect.provide(layer()))
  )

  it.live("fails only the run whose idempotency key can't be made", () =>
    Effect.gen(function* () {
      const { created } = yield* service
      const runs = yield* Runs
      const idempotencyKey = ({ task }: { readonly task: string }) => {
        if (task === "b") throw new Error("no key")
        return task
      }
      const { results } = yield* runs.runAll(tasks("a", "b", "c"), { idempotencyKey })
      assert.deepStrictEqual(results.map(Exit.isSuccess), [true, false, true])
      assert.deepStrictEqual(created().toSorted(), ["a", "c"])
    }).pipe(Effect.provide(layer()))
  )

  it.live("keeps waiting if onProgress throws", () => {
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      yield* service
      const runs = yield* Runs
      const onProgress = () => {
        throw new Error("no paper")
      }
      const { results } = yield* runs.runAll(tasks("a", "bad"), { onProgress })
      assert.deepStrictEqual(results.map(said), ["a completed", "bad failed"])
      assert.deepStrictEqual(new Set(warnings), new Set(["Warn onProgress has thrown"]))
    }).pipe(Effect.provide(layer()), Effect.provide(layerLogger))
  })
})

describe("Runs.runAll over time", () => {
  it.effect.each([
    [undefined, 10],
    [3, 3],
    [0, 1],
    [Number.NaN, 1]
  ] as const)("with a concurrency of %s runs %i at a time", ([concurrency, atWork]) => {
    let created = 0
    const client = answering((method) =>
      method === "POST" ? json(201, { id: `r-${++created}` }) : json(200, { status: "running" })
    )
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const runs = yield* Runs
      const inputs = Array.from({ length: 25 }, () => ({ task: "t" }))
      const fiber = yield* Effect.forkChild(runs.runAll(inputs, { concurrency }))
      yield* elapse("1 minute")
      assert.strictEqual(created, atWork)
      yield* Fiber.interrupt(fiber)
      // each that was created is accounted for, and nothing else is sent
      assert.deepStrictEqual(
        warnings.map((warning) => /run (r-\d+) has ended/u.exec(warning)?.[1]),
        Array.from({ length: atWork }, (_, index) => `r-${index + 1}`)
      )
      const sent = client.sent.length
      yield* elapse("1 minute")
      assert.strictEqual(client.sent.length, sent)
    }).pipe(Effect.provide([client.layer, layerLogger]))
  })
})
