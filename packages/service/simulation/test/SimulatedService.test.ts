import { assert, describe, it } from "@effect/vitest"
import type { FaultPlan } from "@webagent/control"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as TestClock from "effect/testing/TestClock"
import { Server } from "@webagent/server"
import { Control } from "../src/control/Control.ts"
import * as SimulatedService from "../src/SimulatedService.ts"

/** Where the service is that has no socket. */
const address = "http://simulated.invalid"

const ask = Effect.fnUntraced(function* (method: "GET" | "POST" | "PUT" | "HEAD", path: string, body?: unknown) {
  const { apiKeys } = yield* Server
  const request = HttpClientRequest.make(method)(new URL(path, address)).pipe(
    HttpClientRequest.setHeader("x-service-api-key", apiKeys[0] ?? ""),
    body === undefined ? (same) => same : HttpClientRequest.bodyJsonUnsafe(body)
  )
  const response = yield* HttpClient.execute(request)
  const text = yield* response.text
  return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) }
})

/** A careful little client: creates, polls every two seconds, reads. */
const useService = Effect.fnUntraced(function* (task: string) {
  const created = yield* ask("POST", "/api/v4/runs", { task })
  const id = String(created.body.id)
  let polls = 0
  for (;;) {
    yield* Effect.sleep("2 seconds")
    polls++
    const { body } = yield* ask("GET", `/api/v4/runs/${id}/status`)
    if (["completed", "failed", "cancelled"].includes(body.status)) break
  }
  const run = yield* ask("GET", `/api/v4/runs/${id}`)
  return { id, polls, status: run.body.status, at_ms: yield* Clock.currentTimeMillis }
})

const onCreate = (fault: FaultPlan[number]["fault"]): FaultPlan => [
  { name: "f", fault, when: { operations: ["v4.createRun"] } }
]

const causeOf = (fault: FaultPlan[number]["fault"]) =>
  Effect.flip(ask("POST", "/api/v4/runs", { task: "x" })).pipe(
    Effect.map((error) => {
      const { reason } = error
      const cause = "cause" in reason ? reason.cause : undefined
      return { reason: reason._tag, code: (cause as { readonly code?: string }).code }
    }),
    Effect.provide(SimulatedService.layerHttpClient({ faults: onCreate(fault) }))
  )

describe("SimulatedService", () => {
  it.effect("waits half an hour without real delay, and client and service share a clock", () =>
    Effect.gen(function* () {
      const using = yield* Effect.forkChild(useService("[simulate duration=30m output=found]"))
      yield* TestClock.adjust("31 minutes")
      assert.deepInclude(yield* Fiber.join(using), { polls: 900, status: "completed", at_ms: 1_800_000 })
      const { holds, verdicts } = yield* Control.use((control) => control.verdicts)
      assert.isTrue(holds, JSON.stringify(verdicts))
    }).pipe(Effect.provide(SimulatedService.layerHttpClient()))
  )

  it.effect("also serves documents, 404, 405, 401 and HEAD", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* ask("GET", "/")).body.versions.v4.baseUrl, "http://simulated.invalid/api/v4")
      assert.strictEqual((yield* ask("GET", "/nothing")).status, 404)
      assert.strictEqual((yield* ask("PUT", "/api/v4/runs")).headers["allow"], "GET, HEAD, POST")
      const { id } = (yield* ask("POST", "/api/v4/runs", { task: "x" })).body
      const whole = yield* ask("GET", `/api/v4/runs/${id}/status`)
      const head = yield* ask("HEAD", `/api/v4/runs/${id}/status`)
      assert.deepStrictEqual([head.status, head.body], [200, {}])
      assert.strictEqual(head.headers["content-type"], whole.headers["content-type"])
      const keyless = yield* HttpClient.get(`${address}/api/v4/runs/${id}`)
      assert.strictEqual(keyless.status, 401)
    }).pipe(Effect.provide(SimulatedService.layerHttpClient()))
  )

  it.effect("fails a request on a connection that a fault closed, with the error code of a socket", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* causeOf({ kind: "reset" }), { reason: "TransportError", code: "ECONNRESET" })
      const refusing = { kind: "refuse-connections", for: Duration.seconds(30) } as const
      const codes = yield* Effect.all(
        [ask("POST", "/api/v4/runs", { task: "x" }), ask("GET", "/health")].map(Effect.flip)
      ).pipe(
        Effect.map((errors) => errors.map(({ cause }) => (cause as { readonly code?: string }).code)),
        Effect.provide(SimulatedService.layerHttpClient({ faults: onCreate(refusing) }))
      )
      assert.deepStrictEqual(codes, ["ECONNRESET", "ECONNREFUSED"])
      assert.deepStrictEqual(yield* causeOf({ kind: "cut-body" }), { reason: "DecodeError", code: "ECONNRESET" })
    })
  )

  it.effect("doesn't delay a caller that disconnects, and records it in the journal", () =>
    Effect.gen(function* () {
      const asking = yield* Effect.forkChild(Effect.timeout(ask("POST", "/api/v4/runs", { task: "x" }), "5 seconds"))
      yield* TestClock.adjust("5 seconds")
      const exit = yield* Fiber.await(asking)
      assert.strictEqual(exit._tag, "Failure")
      const { entries } = yield* Control.use((control) => control.journal({ type: "request" }))
      assert.deepInclude(entries[0], { answered: "left", status: null, duration_ms: 5000 })
    }).pipe(Effect.provide(SimulatedService.layerHttpClient({ faults: onCreate({ kind: "hang" }) })))
  )

  it.effect("sends a complete body at the next request after a fault damaged one", () =>
    Effect.gen(function* () {
      const { body } = yield* ask("POST", "/api/v4/runs", { task: "[simulate duration=1h]" })
      const isWhole = Effect.map(Effect.exit(ask("GET", `/api/v4/runs/${body.id}/status`)), Exit.isSuccess)
      const answers = yield* Effect.all(Array.from({ length: 6 }, () => isWhole))
      assert.deepStrictEqual(answers, [true, true, true, false, true, true])
    }).pipe(
      Effect.provide(
        SimulatedService.layerHttpClient({
          faults: [{ fault: { kind: "malformed-json" }, when: { operations: ["v4.getRunStatus"], attempts: [4] } }]
        })
      )
    )
  )

  it.effect("redirects to the trap, and can't reach any other host", () =>
    Effect.gen(function* () {
      const answer = yield* ask("POST", "/api/v4/runs", { task: "x" })
      const location = answer.headers["location"] ?? ""
      assert.strictEqual(location, "http://elsewhere.invalid/trap/api/v4/runs")
      const followed = yield* HttpClient.get(location, { headers: { "x-service-api-key": "wak_test" } })
      assert.strictEqual(yield* followed.text, "{}")
      assert.isFalse((yield* Control.use((control) => control.verdicts)).holds)
      const lost = yield* Effect.flip(HttpClient.get("http://example.com/"))
      assert.match(JSON.stringify(lost.cause), /ENOTFOUND/u)
    }).pipe(Effect.provide(SimulatedService.layerHttpClient({ faults: onCreate({ kind: "redirect" }) })))
  )

  it.effect("keeps manual time still until it is advanced, whatever the surrounding clock does", () =>
    Effect.gen(function* () {
      const { body } = yield* ask("POST", "/api/v4/runs", { task: "[simulate duration=1h]" })
      const status = Effect.map(ask("GET", `/api/v4/runs/${body.id}/status`), (answer) => answer.body.status)
      yield* TestClock.adjust("1 day")
      assert.notStrictEqual(yield* status, "completed")
      yield* Control.use((control) => control.advance("1 hour"))
      assert.strictEqual(yield* status, "completed")
    }).pipe(Effect.provide(SimulatedService.layerHttpClient({ time: { mode: "manual" } })))
  )

  it.effect("produces the same journal, byte for byte, for the same seed", () =>
    Effect.gen(function* () {
      const journal = Effect.gen(function* () {
        const using = yield* Effect.forEach(Array.from("abcdefghijkl"), (task) =>
          Effect.forkChild(Effect.exit(useService(task)))
        )
        yield* TestClock.adjust("3 hours")
        yield* Effect.forEach(using, Fiber.interrupt)
        const view = yield* Control.use((control) => control.journal({ limit: 20_000 }))
        return JSON.stringify(view.entries.map((entry) => ({ ...entry, realAt_ms: 0 })))
      }).pipe(Effect.provide(SimulatedService.layerHttpClient({ profile: "hostile", seed: 7 })))
      const once = yield* Effect.provide(journal, TestClock.layer())
      assert.isAbove(once.length, 10_000)
      assert.strictEqual(yield* Effect.provide(journal, TestClock.layer()), once)
    })
  )
})
