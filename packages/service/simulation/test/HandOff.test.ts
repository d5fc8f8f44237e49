import { assert, describe, it } from "@effect/vitest"
import { Server } from "@webagent/server"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as TestClock from "effect/testing/TestClock"
import * as SimulatedService from "../src/SimulatedService.ts"

const send = Effect.fnUntraced(function* (method: "GET" | "POST", path: string, body?: unknown) {
  const { apiKeys } = yield* Server
  const request = HttpClientRequest.make(method)(new URL(path, "http://simulated.invalid")).pipe(
    HttpClientRequest.setHeader("x-service-api-key", apiKeys[0] ?? ""),
    body === undefined ? (same) => same : HttpClientRequest.bodyJsonUnsafe(body)
  )
  const response = yield* HttpClient.execute(request)
  return { status: response.status, body: (yield* response.json) as Readonly<Record<string, unknown>> }
})

const create = Effect.fnUntraced(function* (script: string, handOff?: object) {
  const { body } = yield* send("POST", "/api/v4/runs", { task: `Buy a mug [simulate ${script}]`, ...handOff })
  return String(body["id"])
})

const run = (id: string) => Effect.map(send("GET", `/api/v4/runs/${id}`), ({ body }) => body)

const served = Effect.provide(SimulatedService.layerHttpClient({}))

describe("a simulated run that asks a person", () => {
  it.effect("waits in the middle of its task, and its result has the answer", () =>
    Effect.gen(function* () {
      const id = yield* create(`duration=10s cost=1 ask="Which mug?" choices=["Red","Blue"]`)
      yield* TestClock.adjust("2 minutes")
      const { cost, status, waitingFor } = yield* run(id)
      assert.strictEqual(status, "running")
      assert.deepInclude(waitingFor, { id: "1", question: "Which mug?", choices: ["Red", "Blue"], askedBy: "agent" })
      // nothing is done, or paid for, while it waits
      assert.isBelow(Number(cost), 0.6)
      const answered = yield* send("POST", `/api/v4/runs/${id}/answer`, { questionId: "1", answer: "Blue" })
      assert.strictEqual(answered.status, 200)
      yield* TestClock.adjust("4 seconds")
      assert.propertyVal(yield* run(id), "status", "running")
      yield* TestClock.adjust("1 second")
      const done = yield* run(id)
      assert.deepInclude(done, { status: "completed", cost: "1" })
      assert.match(String(done["result"]), /Answer: Blue$/u)
      assert.notProperty(done, "waitingFor")
    }).pipe(served)
  )

  it.effect("fails after ten minutes without an answer, or continues if its hand-off says so", () =>
    Effect.gen(function* () {
      const failing = yield* create(`duration=10s ask="Which mug?"`)
      const going = yield* create(`duration=10s ask="Which mug?"`, {
        handOff: { timeout: 60, whenUnanswered: "continue" }
      })
      yield* TestClock.adjust("64 seconds")
      assert.propertyVal(yield* run(going), "status", "running")
      yield* TestClock.adjust("6 seconds")
      assert.propertyVal(yield* run(going), "status", "completed")
      yield* TestClock.adjust("10 minutes")
      assert.deepInclude(yield* run(failing), {
        status: "failed",
        error: "No person answered within 10 minutes: Which mug?"
      })
    }).pipe(served)
  )

  it.effect("also waits for a question from a request", () =>
    Effect.gen(function* () {
      const id = yield* create("duration=1m")
      yield* TestClock.adjust("30 seconds")
      const asked = yield* send("POST", `/api/v4/runs/${id}/ask`, { question: "Still wanted?" })
      assert.strictEqual(asked.status, 200)
      yield* TestClock.adjust("5 minutes")
      assert.propertyVal(yield* run(id), "status", "running")
      yield* send("POST", `/api/v4/runs/${id}/answer`, { questionId: "1", answer: "Yes" })
      yield* TestClock.adjust("29 seconds")
      assert.propertyVal(yield* run(id), "status", "running")
      yield* TestClock.adjust("2 seconds")
      assert.propertyVal(yield* run(id), "status", "completed")
    }).pipe(served)
  )

  it.effect("ends immediately when it is cancelled", () =>
    Effect.gen(function* () {
      const id = yield* create(`duration=10s ask="Which mug?"`)
      yield* TestClock.adjust("1 minute")
      yield* send("POST", `/api/v4/runs/${id}/cancel`)
      assert.propertyVal(yield* run(id), "status", "cancelled")
      const late = yield* send("POST", `/api/v4/runs/${id}/answer`, { questionId: "1", answer: "Red" })
      assert.strictEqual(late.status, 409)
    }).pipe(served)
  )
})

describe("a simulated run with a cost limit at which it waits", () => {
  const limited = { maxCostUsd: "0.5", onMaxCost: "pause", handOff: { timeout: 60 } }

  const answer = (id: string, questionId: string, text: string) =>
    send("POST", `/api/v4/runs/${id}/answer`, { questionId, answer: text })

  it.effect("waits when it reaches the limit, and continues with each higher limit", () =>
    Effect.gen(function* () {
      // a tenth of the time passes before it runs
      const id = yield* create("duration=10s cost=1", limited)
      yield* TestClock.adjust("5 seconds")
      assert.notProperty(yield* run(id), "waitingFor")
      yield* TestClock.adjust("20 seconds")
      const waiting = yield* run(id)
      assert.deepInclude(waiting, { status: "running", cost: "0.5" })
      assert.deepInclude(waiting["waitingFor"], { id: "1", reason: "max_cost", askedBy: "rule", choices: null })
      assert.strictEqual((yield* answer(id, "1", "0.75")).status, 200)
      yield* TestClock.adjust("3 seconds")
      assert.deepInclude((yield* run(id))["waitingFor"], { id: "2", reason: "max_cost" })
      yield* answer(id, "2", "5")
      yield* TestClock.adjust("3 seconds")
      const done = yield* run(id)
      assert.deepInclude(done, { status: "completed", cost: "1", maxCostUsd: "5" })
      assert.notMatch(String(done["result"]), /Answer/u)
    }).pipe(served)
  )

  it.effect("fails at its limit if a person ends it or no person answers", () =>
    Effect.gen(function* () {
      const ended = yield* create("duration=10s cost=1", limited)
      const unanswered = yield* create("duration=10s cost=1", limited)
      const cheap = yield* create("duration=10s cost=0.5", limited)
      yield* TestClock.adjust("20 seconds")
      yield* answer(ended, "1", "end")
      yield* TestClock.adjust("60 seconds")
      for (const id of [ended, unanswered]) {
        assert.deepInclude(yield* run(id), {
          status: "failed",
          cost: "0.5",
          error: "The run reached its cost limit of 0.5 USD."
        })
      }
      assert.deepInclude(yield* run(cheap), { status: "completed", cost: "0.5" })
    }).pipe(served)
  )

  it.effect("accepts secrets, stores no value, and shows where they may be typed", () =>
    Effect.gen(function* () {
      const id = yield* create("duration=1s", {
        secretBindings: [
          { alias: "pin", source: { type: "inline", value: "canary-1" }, allowedDomains: ["shop.example"] },
          { alias: "user", source: { type: "server", name: "any" }, allowedDomains: ["shop.example"] }
        ]
      })
      yield* TestClock.adjust("2 seconds")
      const done = yield* run(id)
      assert.strictEqual(done["status"], "completed")
      assert.deepStrictEqual(done["secretBindings"], [
        { alias: "pin", source: { type: "inline" }, allowedDomains: ["shop.example"] },
        { alias: "user", source: { type: "server", name: "any" }, allowedDomains: ["shop.example"] }
      ])
      const events = yield* send("GET", `/api/v4/runs/${id}/events`)
      assert.notInclude(JSON.stringify([done, events.body]), "canary-1")
    }).pipe(served)
  )
})
