import { assert, describe, it } from "@effect/vitest"
import { Ledger, LedgerMemory, Metrics } from "@webagent/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { Runs, Sessions } from "../src/index.ts"
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

const goesOn = "it may continue and cost money"

describe("a wait for its own run without cancel", () => {
  it.effect("names the run in a warning when it's interrupted", () => {
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

  it.effect("names the run once at a timeout, in the error", () => {
    const { layer } = service()
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(Effect.flip(runs.createAndWait({ task: "t" }, { timeout: "1 minute" })))
      yield* elapse("1 minute")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error._tag, "WaitTimeoutError")
      assert.match(error.message, /^run r-1 is still "running" after 1m .* It may continue and cost money/u)
      assert.deepStrictEqual(warnings, [])
    }).pipe(Effect.provide([layer, layerLogger]))
  })
})

describe("a wait for its own run with cancel", () => {
  it.effect("cancels at the timeout, and returns the canceled run", () => {
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

  it.effect("fails with the timeout if the run doesn't end, or canceling fails or takes too long", () => {
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

  it.effect("cancels when a read fails permanently, and fails with its error", () => {
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

  it.effect("reads the response of an interrupted create, and cancels the run", () => {
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

  it.effect("doesn't cancel a run that finishes", () => {
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

describe("the records of a run", () => {
  it.effect("keep it open in the ledger until its status is final", () => {
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

  it.effect("keep a run open in the ledger whose wait was interrupted or timed out", () => {
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

  it.effect("add its cost to the metric once", () => {
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

describe("a program that is interrupted", () => {
  /** Runs a program that creates two runs and reads one of them as finished, and interrupts it. */
  const interrupted = (onInterrupt: "cancel" | "continue" | undefined) => {
    let count = 0
    const client = answering(
      (method, path) =>
        method === "POST" && path === "/runs"
          ? json(201, { id: `r-${++count}` })
          : json(200, { id: "r", status: path.endsWith("r-2/status") ? "completed" : "cancelled" }),
      { onInterrupt }
    )
    const { layerLogger, warnings } = warned()
    const program = Effect.gen(function* () {
      const runs = yield* Runs
      yield* runs.create({ task: "t" })
      const { id } = yield* runs.create({ task: "t" })
      yield* runs.status(id)
      return yield* Effect.never
    }).pipe(Effect.provide(client.layer), Effect.provide(layerLogger))
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(program)
      yield* elapse("1 second")
      yield* Fiber.interrupt(fiber)
      return { warnings, requests: client.requests() }
    })
  }

  it.effect("names its unfinished runs", () =>
    Effect.gen(function* () {
      const { requests, warnings } = yield* interrupted(undefined)
      assert.deepStrictEqual(warnings, ["Warn These may continue and cost money: run r-1"])
      assert.notInclude(requests.join(), "cancel")
    })
  )

  it.effect("cancels them with onInterrupt: cancel", () =>
    Effect.gen(function* () {
      const { requests, warnings } = yield* interrupted("cancel")
      assert.deepStrictEqual(warnings, ["Warn Canceled: run r-1"])
      assert.strictEqual(requests.at(-1), "POST /runs/r-1/cancel")
    })
  )

  it.effect.each(["continue", "cancel"] as const)("names a run once if it waits for it: %s", (onInterrupt) => {
    const { layer, requests } = answering(
      (method, path) =>
        method === "POST" && path === "/runs"
          ? json(201, { id: "r-1" })
          : json(200, { id: "r-1", status: requests().includes("POST /runs/r-1/cancel") ? "cancelled" : "running" }),
      { onInterrupt }
    )
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const program = Runs.use((runs) => runs.createAndWait({ task: "t" }))
      const fiber = yield* Effect.forkChild(program.pipe(Effect.provide(layer), Effect.provide(layerLogger)))
      yield* elapse("10 seconds")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(warnings, [
        `Warn The wait for run r-1 has ended: ${goesOn}`,
        ...(onInterrupt === "cancel" ? ["Warn Canceled: run r-1"] : [])
      ])
    })
  })

  /** Runs a program over a service whose message 3 is pending until it's removed, and interrupts it after 10 seconds. */
  const following = (
    onInterrupt: "cancel" | "continue",
    use: (sessions: Sessions["Service"]) => Effect.Effect<unknown, unknown>,
    message: object = { status: "pending" }
  ) => {
    let removed = {}
    const client = answering(
      (method, path) => {
        if (method === "DELETE") removed = { status: "cancelled" }
        if (!path.includes("/queue"))
          return json(200, { id: "r-2", status: path.endsWith("/cancel") ? "cancelled" : "running" })
        return json(method === "POST" ? 201 : 200, {
          id: 3,
          runId: null,
          status: "pending",
          ...(method === "POST" ? {} : { ...message, ...removed })
        })
      },
      { onInterrupt }
    )
    const { layerLogger, warnings } = warned()
    const program = Effect.andThen(Sessions.use(use), Effect.never)
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(program.pipe(Effect.provide(client.layer), Effect.provide(layerLogger)))
      yield* elapse("10 seconds")
      yield* Fiber.interrupt(fiber)
      return { warnings, requests: client.requests() }
    })
  }

  const left = "Warn These may continue and cost money:"

  it.effect("names a message that has no run yet, with its session", () =>
    Effect.gen(function* () {
      const { requests, warnings } = yield* following("continue", (sessions) => sessions.queue("s-1", { text: "t" }))
      assert.deepStrictEqual(warnings, [`${left} message 3 of session s-1`])
      assert.notInclude(requests.join(), "DELETE")
    })
  )

  it.effect("removes such a message with onInterrupt: cancel", () =>
    Effect.gen(function* () {
      const { requests, warnings } = yield* following("cancel", (sessions) => sessions.queue("s-1", { text: "t" }))
      assert.deepStrictEqual(warnings, ["Warn Canceled: message 3 of session s-1"])
      assert.strictEqual(requests.at(-1), "DELETE /sessions/s-1/queue/3")
    })
  )

  it.effect("names a message once if it waits for its run, with the session", () =>
    Effect.gen(function* () {
      const { warnings } = yield* following("continue", (sessions) => sessions.followUpAndWait("s-1", "t"))
      assert.deepStrictEqual(warnings, [`Warn The wait for message 3 of session s-1 has ended: ${goesOn}`])
    })
  )

  it.effect("names the run that a message has become instead of the message, and no removed message", () =>
    Effect.gen(function* () {
      const read = (sessions: Sessions["Service"]) =>
        Effect.andThen(sessions.queue("s-1", { text: "t" }), sessions.message("s-1", 3))
      const became = yield* following("continue", read, { runId: "r-2", status: "consumed" })
      assert.deepStrictEqual(became.warnings, [`${left} run r-2`])
      const canceled = yield* following("cancel", read, { runId: "r-2", status: "consumed" })
      assert.deepStrictEqual(canceled.warnings, ["Warn Canceled: run r-2"])
      const removed = yield* following("continue", (sessions) =>
        Effect.andThen(sessions.queue("s-1", { text: "t" }), sessions.removeMessage("s-1", 3))
      )
      assert.deepStrictEqual(removed.warnings, [])
    })
  )

  it.effect("doesn't name the runs and messages of a purged session, and closes them in the ledger", () => {
    const { layerLogger, warnings } = warned()
    let created = 0
    const client = answering((_, path) => {
      if (path.endsWith("/queue")) return json(201, { id: 3, runId: null, status: "pending" })
      if (path.endsWith("/purge")) return Effect.succeed(new Response(null, { status: 204 }))
      created++
      return json(201, { id: `r-${created}`, sessionId: created < 3 ? "s-1" : "s-2" })
    })
    return Effect.gen(function* () {
      const ledger = yield* LedgerMemory.make
      const program = Effect.gen(function* () {
        const runs = yield* Runs
        const sessions = yield* Sessions
        for (const task of ["a", "b", "c"]) yield* runs.create({ task })
        yield* sessions.queue("s-1", { text: "t" })
        yield* sessions.purge("s-1")
        return yield* Effect.never
      })
      const fiber = yield* Effect.forkChild(
        program.pipe(
          Effect.provide(client.layer),
          Effect.provide(layerLogger),
          Effect.provideService(Ledger.Current, ledger)
        )
      )
      yield* elapse("1 second")
      yield* Fiber.interrupt(fiber)
      const ids = (yield* ledger.open).map(({ id }) => id)
      // a message without a run has nothing to cancel yet
      assert.deepStrictEqual(ids, ["r-3", undefined])
      assert.deepStrictEqual(warnings, [`${left} run r-3`])
    })
  })

  it.effect("names no runs if it isn't interrupted", () => {
    const { layer } = answering(() => json(201, { id: "r-1" }))
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      yield* Effect.provide(
        Effect.flatMap(Runs, (runs) => runs.create({ task: "t" })),
        layer
      )
      assert.deepStrictEqual(warnings, [])
    }).pipe(Effect.provide(layerLogger))
  })
})

describe("a wait with onEnd: cancel leaves nothing behind", () => {
  /** A service with one run, whose cancels are answered as the test says. */
  const cancelling = (cancel: (count: number) => Effect.Effect<Response>, create = json(201, { id: "r-1" })) => {
    let cancels = 0
    let status = "running"
    const client = answering((method, path) => {
      if (path === "/runs") return create
      if (method !== "POST") return json(200, { id: "r-1", status })
      return Effect.tap(cancel(++cancels), (response) =>
        Effect.sync(() => {
          if (response.ok) status = "cancelled"
        })
      )
    })
    return { ...client, cancels: () => cancels, status: () => status }
  }

  const canceled = json(200, { id: "r-1", status: "cancelled" })

  it.effect.each([
    ["a service that is down for half a minute", (count: number) => (count < 9 ? json(503, {}) : canceled)],
    ["a throttled service", (count: number) => (count < 6 ? json(429, { detail: "Slow down" }) : canceled)],
    ["a service that hangs once", (count: number) => (count < 2 ? Effect.never : canceled)]
  ] as const)("after its timeout, with retries: 0, over %s", ([, cancel]) => {
    const { layer, status } = cancelling(cancel)
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(
        runs.createAndWait({ task: "t" }, { timeout: "1 minute", onEnd: "cancel", retries: 0 })
      )
      yield* elapse("3 minutes")
      assert.strictEqual((yield* Fiber.join(fiber)).status, "cancelled")
      assert.deepStrictEqual([status(), warnings], ["cancelled", []])
    }).pipe(Effect.provide([layer, layerLogger]))
  })

  it.effect("and names the run if the service is down for longer than a minute", () => {
    const { cancels, layer } = cancelling(() => json(503, {}))
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(
        Effect.flip(runs.createAndWait({ task: "t" }, { timeout: "1 minute", onEnd: "cancel" }))
      )
      yield* elapse("3 minutes")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "WaitTimeoutError")
      assert.isAbove(cancels(), 8)
      assert.deepStrictEqual(warnings, [`Warn The run r-1 could not be cancelled: ${goesOn}`])
      // what a failed cancel took of the quota is no reason to give up a read
      assert.isAtMost(cancels(), 40)
    }).pipe(Effect.provide([layer, layerLogger]))
  })

  it.effect.each([
    ["before the response to the create", "500 millis"],
    ["between the create and the first poll", "2100 millis"],
    ["while it polls", "20 seconds"]
  ] as const)("when it is interrupted %s", ([, after]) => {
    const { layer, status } = cancelling(() => canceled, Effect.delay(json(201, { id: "r-1" }), "2 seconds"))
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(runs.createAndWait({ task: "t" }, { onAbort: "cancel" }))
      yield* elapse(after)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber))
      yield* elapse("10 seconds")
      yield* Fiber.join(interrupting)
      assert.deepStrictEqual([status(), warnings], ["cancelled", []])
    }).pipe(Effect.provide([layer, layerLogger]))
  })

  it.effect("and names the create if it's interrupted and the response is lost", () => {
    const { layer } = cancelling(() => canceled, Effect.never)
    const { layerLogger, warnings } = warned()
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(
        runs.createAndWait({ task: "t" }, { onAbort: "cancel", idempotencyKey: "order-7" })
      )
      yield* elapse("1 second")
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber))
      yield* elapse("1 minute")
      yield* Fiber.join(interrupting)
      assert.lengthOf(warnings, 1)
      assert.include(warnings[0], "Creating a run has failed")
    }).pipe(Effect.provide([layer, layerLogger]))
  })
})
