import { assert, describe, it } from "@effect/vitest"
import type { Fault } from "@webagent/control"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { Control } from "../../src/control/Control.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { Ask, layer } from "../inProcess.ts"

const create = Ask.use((ask) => ask("POST", "/api/v4/runs", { task: "mug" }))
const health = Ask.use((ask) => ask("GET", "/health"))

const hit = (fault: Fault) =>
  Effect.provide(layer({ faults: [{ name: "f", fault, when: { operations: ["v4.createRun"], attempts: [1] } }] }), {
    local: true
  })

const evidence = Journal.use((journal) =>
  Effect.map(journal.read(), ({ entries }) => ({
    row: entries.find((entry) => entry.type === "request" && entry.fault === "f"),
    runs: entries.filter((entry) => entry.type === "move" && entry.of === "turn" && entry.from === null).length
  }))
)

describe("InProcessDelivery", () => {
  it.effect("delivers a whole response without a fault, with the date of service time", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 day")
      const answer = yield* health
      assert.deepStrictEqual([answer.status, answer.body], [200, '{"status":"ok"}'])
      assert.strictEqual(answer.headers["date"], "Fri, 02 Jan 1970 00:00:00 GMT")
    }).pipe(Effect.provide(layer({}), { local: true }))
  )

  it.effect("reports a reset with the error of a socket", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(create)).code, "ECONNRESET")
      const { row, runs } = yield* evidence
      assert.strictEqual(runs, 0)
      assert.deepInclude(row, { answered: "none", status: null })
    }).pipe(hit({ kind: "reset" }))
  )

  it.effect("fails halfway through a body that is cut", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(create)).code, "ECONNRESET")
      const { row, runs } = yield* evidence
      assert.strictEqual(runs, 1)
      assert.deepInclude(row, { answered: "part", status: 201 })
    }).pipe(hit({ kind: "cut-body" }))
  )

  it.effect("delivers a slow body in its time and completely", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(create)
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const answer = yield* Fiber.join(fiber)
      assert.property(JSON.parse(answer.body), "id")
      assert.deepInclude((yield* evidence).row, { answered: "whole", status: 201, duration_ms: 30_000 })
    }).pipe(hit({ kind: "slow-body", for: Duration.seconds(30) }))
  )

  it.effect("hangs until the caller leaves", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(create)
      yield* TestClock.adjust("1 hour")
      assert.isUndefined(fiber.pollUnsafe())
      yield* Fiber.interrupt(fiber)
      assert.deepInclude((yield* evidence).row, { answered: "left", status: null, duration_ms: 3_600_000 })
    }).pipe(hit({ kind: "hang" }))
  )

  it.effect("refuses connections for the given time, and drops those in progress", () =>
    Effect.gen(function* () {
      const under = yield* Effect.forkChild(
        Ask.use((ask) => ask("POST", "/api/v4/runs", { task: "slow" })).pipe(Effect.flip)
      )
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Effect.flip(create)).code, "ECONNRESET")
      assert.strictEqual((yield* Fiber.join(under)).code, "ECONNRESET")
      assert.strictEqual((yield* Effect.flip(health)).code, "ECONNREFUSED")
      yield* TestClock.adjust("9999 millis")
      assert.strictEqual((yield* Effect.flip(health)).code, "ECONNREFUSED")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* health).status, 200)
    }).pipe(
      Effect.provide(
        layer({
          faults: [
            { fault: { kind: "hang" }, when: { operations: ["v4.createRun"], nth: [1] } },
            { fault: { kind: "refuse-connections", for: Duration.seconds(10) }, when: { operations: ["v4.createRun"] } }
          ]
        }),
        { local: true }
      )
    )
  )

  it.effect("ends an outage at a reset", () =>
    Effect.gen(function* () {
      const control = yield* Control
      yield* control.refuseConnections("1 hour")
      assert.strictEqual((yield* Effect.flip(health)).code, "ECONNREFUSED")
      yield* control.reset()
      assert.strictEqual((yield* health).status, 200)
    }).pipe(Effect.provide(layer({}), { local: true }))
  )
})
