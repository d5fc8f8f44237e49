import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Runs } from "../src/index.ts"
import { answering, elapse, json } from "./virtual.ts"

const run = { id: "r-1", status: "completed", result: 42 }

/** A service whose run is over, and that answers reads of the full run with `reads`, the last for ever. */
const service = (...reads: ReadonlyArray<Effect.Effect<Response>>) => {
  let count = 0
  return answering((_, path) =>
    path.endsWith("/status")
      ? json(200, { status: "completed" })
      : (reads[Math.min(count++, reads.length - 1)] ?? json(200, run))
  )
}

describe("a run that is over", () => {
  it.effect("is read once", () => {
    const { layer, requests } = service()
    return Effect.gen(function* () {
      const runs = yield* Runs
      assert.deepStrictEqual(yield* runs.untilTerminal("r-1"), run)
      assert.deepStrictEqual(requests(), ["GET /runs/r-1/status", "GET /runs/r-1"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is read again where the full run is behind its status", () => {
    const behind = json(200, { id: "r-1", status: "running", result: null })
    const { layer, requests } = service(behind, behind, behind, json(200, run))
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(runs.untilTerminal("r-1"))
      yield* elapse("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).result, 42)
      assert.strictEqual(requests().length, 5)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is not lost to an outage that outlasts a call's retries, not even at the deadline", () => {
    const { layer } = service(...Array.from({ length: 12 }, () => json(503, {})), json(200, run))
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(runs.untilTerminal("r-1", { timeout: "1 second" }))
      yield* elapse("40 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).result, 42)
    }).pipe(Effect.provide(layer))
  })

  it.effect("ends the wait with its last status where it cannot be read", () => {
    const { layer } = service(json(503, {}))
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(Effect.flip(runs.untilTerminal("r-1", { timeout: "1 second" })))
      yield* elapse("2 minutes")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error._tag === "WaitTimeoutError" && error.lastStatus, "completed")
    }).pipe(Effect.provide(layer))
  })

  it.effect("ends the wait at once where the service does not know it any more", () => {
    const { layer } = service(json(404, { detail: "No run r-1" }))
    return Effect.gen(function* () {
      const runs = yield* Runs
      assert.strictEqual((yield* Effect.flip(runs.untilTerminal("r-1")))._tag, "RunNotFoundError")
    }).pipe(Effect.provide(layer))
  })

  it.effect("is not lost to a redirect, which is not followed", () => {
    const { layer, requests } = service(json(302, {}), json(200, run))
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(runs.untilTerminal("r-1"))
      yield* elapse("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).result, 42)
      assert.strictEqual(requests().length, 3)
    }).pipe(Effect.provide(layer))
  })
})

describe("a wait that is redirected", () => {
  const polls = (...statuses: ReadonlyArray<number>) => {
    let count = 0
    return answering((_, path) =>
      path.endsWith("/status")
        ? json(statuses[count++] ?? 200, { status: count > statuses.length ? "completed" : "running" })
        : json(200, run)
    )
  }

  it.effect("ends at once where the service has never answered: the base address may be wrong", () => {
    const { layer, requests } = polls(302)
    return Effect.gen(function* () {
      const runs = yield* Runs
      const error = yield* Effect.flip(runs.untilTerminal("r-1"))
      assert.match(error.message, /\/api\/v4\/runs\/r-1\/status: status 302.*Redirects are not followed/u)
      assert.strictEqual(requests().length, 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("goes on where it has", () => {
    const { layer, requests } = polls(200, 302, 200, 307, 302)
    return Effect.gen(function* () {
      const runs = yield* Runs
      const fiber = yield* Effect.forkChild(runs.untilTerminal("r-1"))
      yield* elapse("20 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).result, 42)
      assert.strictEqual(requests().length, 7)
    }).pipe(Effect.provide(layer))
  })
})
