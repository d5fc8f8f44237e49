import { assert, describe, it } from "@effect/vitest"
import { Ledger, LedgerMemory, Metrics } from "@webagent/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { Runs } from "../src/index.ts"
import { answering, elapse, json, warned } from "./virtual.ts"

/** A service with one run, whose status a test sets. */
const service = () => {
  const run = { status: "running" }
  const client = answering((method, path) =>
    method === "POST"
      ? json(201, { id: "r-1", sessionId: "s-1" })
      : json(200, path.endsWith("/status") ? { status: run.status } : { id: "r-1", cost: "0.25", ...run })
  )
  return { ...client, run }
}

const goesOn = "it may go on at the service, and cost"

describe("a wait for a run of one's own making, without a way to cancel", () => {
  it.effect("warns of the run when it is interrupted: no other code knows its id", () => {
    const { layer, requests } = service()
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(runs.createAndWait({ task: "t" }))
      yield* elapse("10 seconds")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(warnings, [`Warn The wait for run r-1 has ended: ${goesOn}`])
      const sent = requests().length
      yield* elapse("1 hour")
      assert.strictEqual(requests().length, sent)
    }).pipe(Effect.provide([layer, layerLogger]))
  })

  it.effect("says it once at a deadline, in the error", () => {
    const { layer } = service()
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(Effect.flip(runs.createAndWait({ task: "t" }, { timeout: "1 minute" })))
      yield* elapse("1 minute")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error._tag, "WaitTimeoutError")
      assert.match(error.message, /^run r-1 is still "running" after 1m .* It may go on at the service, and cost/u)
      assert.deepStrictEqual(warnings, [])
    }).pipe(Effect.provide([layer, layerLogger]))
  })
})

describe("a wait for a run of one's own making, with a way to cancel", () => {
  it.effect("cancels at the deadline, and gives the run as it ended", () => {
    const { layer, run } = service()
    return Effect.gen(function* () {
      const runs = yield* Runs
      const cancelled: Array<unknown> = []
      const fiber = yield* Effect.forkChild(
        runs.createAndWait(
          { task: "t" },
          {
            timeout: "1 minute",
            cancel: ({ id, sessionId }, why) =>
              Effect.sync(() => cancelled.push([id, sessionId, why, (run.status = "cancelled")]))
          }
        )
      )
      yield* elapse("59 seconds")
      assert.deepStrictEqual(cancelled, [])
      yield* elapse("1 second")
      assert.strictEqual((yield* Fiber.join(fiber)).status, "cancelled")
      assert.deepStrictEqual(cancelled, [["r-1", "s-1", "timeout", "cancelled"]])
    }).pipe(Effect.provide(layer))
  })

  it.effect("keeps the deadline's error where the run does not end, or cancelling fails, takes too long", () => {
    const { layer } = service()
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const runs = yield* Runs
      for (const cancel of [Effect.void, Effect.fail("no"), Effect.never]) {
        const wait = runs.createAndWait({ task: "t" }, { timeout: "1 minute", cancel: () => cancel })
        const fiber = yield* Effect.forkChild(Effect.flip(wait))
        yield* elapse("3 minutes")
        const error = yield* Fiber.join(fiber)
        assert.strictEqual(error._tag === "WaitTimeoutError" && error.waited_ms, 60_000)
      }
      assert.deepStrictEqual(warnings, [
        `Warn The run r-1 was cancelled, but has not ended: ${goesOn}`,
        `Warn The run r-1 could not be cancelled: ${goesOn}`,
        `Warn The run r-1 could not be cancelled: ${goesOn}`
      ])
    }).pipe(Effect.provide([layer, layerLogger]))
  })

  it.effect("cancels when interrupted", () => {
    const { layer, run } = service()
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const runs = yield* Runs
      const whys: Array<string> = []
      const cancel = (_: unknown, why: string) =>
        Effect.sync(() => {
          whys.push(why)
          run.status = "cancelled"
        })
      const fiber = yield* Effect.forkChild(runs.createAndWait({ task: "t" }, { cancel }))
      yield* elapse("10 seconds")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual([whys, warnings], [["interrupted"], []])
    }).pipe(Effect.provide([layer, layerLogger]))
  })

  it.effect("cancels when a read fails for good, and fails with that", () => {
    const { layer } = answering((method, path) =>
      method === "POST" ? json(201, { id: "r-1" }) : json(path.endsWith("/status") ? 401 : 200, {})
    )
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const runs = yield* Runs
      const whys: Array<string> = []
      const cancel = (_: unknown, why: string) => Effect.sync(() => whys.push(why))
      const fiber = yield* Effect.forkChild(Effect.flip(runs.createAndWait({ task: "t" }, { cancel })))
      yield* elapse("3 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "UnauthorizedError")
      assert.deepStrictEqual(whys, ["failed"])
      assert.deepStrictEqual(warnings, [`Warn The run r-1 was cancelled, but has not ended: ${goesOn}`])
    }).pipe(Effect.provide([layer, layerLogger]))
  })

  it.effect("waits for the answer of a create that is interrupted, and cancels what it made", () => {
    const { layer, requests } = answering((method) =>
      method === "POST"
        ? Effect.delay(json(201, { id: "r-1" }), "2 seconds")
        : json(200, { id: "r-1", status: "cancelled" })
    )
    return Effect.gen(function* () {
      const runs = yield* Runs
      const cancelled = yield* Deferred.make<string>()
      const cancel = ({ id }: { readonly id: string }) => Deferred.succeed(cancelled, id)
      const fiber = yield* Effect.forkChild(runs.createAndWait({ task: "t" }, { cancel }))
      yield* elapse("1 second")
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber))
      yield* elapse("1 second")
      yield* Fiber.join(interrupting)
      assert.strictEqual(yield* Deferred.await(cancelled), "r-1")
      assert.deepStrictEqual(requests().slice(0, 2), ["POST /runs", "GET /runs/r-1/status"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("needs none for a run that ends by itself", () => {
    const { layer, run } = service()
    return Effect.gen(function* () {
      run.status = "completed"
      const runs = yield* Runs
      const cancel = () => Effect.die("nothing to cancel")
      const fiber = yield* Effect.forkChild(runs.createAndWait({ task: "t" }, { cancel }))
      yield* elapse("3 seconds")
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(fiber)))
    }).pipe(Effect.provide(layer))
  })
})

describe("what is noted of a run", () => {
  it.effect("it is open in the ledger until its status is terminal", () => {
    const { layer, run } = service()
    return Effect.gen(function* () {
      const runs = yield* Runs
      const ledger = yield* Ledger.Current
      const items = Effect.map(ledger.open, (items) => items.map(({ id, kind, state }) => [kind, id, state]))
      const fiber = yield* Effect.forkChild(runs.createAndWait({ task: "t" }))
      yield* elapse("10 seconds")
      assert.deepStrictEqual(yield* items, [["run", "r-1", "opened"]])
      run.status = "failed"
      yield* elapse("10 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* items, [])
      for (const read of ["status", "get"] as const) {
        yield* runs.create({ task: "t" })
        assert.lengthOf(yield* items, 1)
        yield* Effect.asVoid(Effect.flatMap(Runs, (runs): Effect.Effect<unknown, unknown> => runs[read]("r-1")))
        assert.deepStrictEqual(yield* items, [])
      }
    }).pipe(Effect.provide(layer.pipe(Layer.provideMerge(LedgerMemory.layer))))
  })

  it.effect("a run whose wait was interrupted or timed out is named by the ledger", () => {
    const { layer } = service()
    return Effect.gen(function* () {
      const runs = yield* Runs
      const ledger = yield* Ledger.Current
      const items = Effect.map(ledger.open, (items) => items.map(({ id, kind, state }) => [kind, id, state]))
      const waiting = yield* Effect.forkChild(runs.createAndWait({ task: "t" }))
      yield* elapse("10 seconds")
      yield* Fiber.interrupt(waiting)
      assert.deepStrictEqual(yield* items, [["run", "r-1", "opened"]])
      const timed = yield* Effect.forkChild(Effect.flip(runs.createAndWait({ task: "t" }, { timeout: "1 minute" })))
      yield* elapse("1 minute")
      yield* Fiber.join(timed)
      assert.deepStrictEqual(yield* items, [["run", "r-1", "opened"]])
    }).pipe(Effect.provide(layer.pipe(Layer.provideMerge(LedgerMemory.layer))))
  })

  it.effect("what it cost is added to the metric, once", () => {
    const { layer, run } = service()
    return Effect.gen(function* () {
      run.status = "completed"
      const runs = yield* Runs
      for (const total of [0.25, 0.5]) {
        const fiber = yield* Effect.forkChild(runs.createAndWait({ task: "t" }))
        yield* elapse("3 seconds")
        yield* Fiber.join(fiber)
        assert.strictEqual((yield* Metric.value(Metrics.cost)).value, total)
      }
    }).pipe(Effect.provide(layer), Effect.provideService(Metric.MetricRegistry, new Map()))
  })
})
