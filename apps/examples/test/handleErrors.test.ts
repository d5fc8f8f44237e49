import { assert, describe, it } from "@effect/vitest"
import { Server, SimulatedService } from "@webagent/simulation"
import { V4 } from "@webagent/v4"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { type ServerResponse } from "node:http"
import * as handleErrors from "../src/11_handle-errors.ts"
import * as service from "./service.ts"

const refusing =
  (status: number, detail: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify({ detail }))

describe("11_handle-errors with a service that", () => {
  const at = (address: string, requestTimeout: Duration.Input = "10 seconds") =>
    handleErrors.program.pipe(
      Effect.provide(V4.layerClient({ baseUrl: address, apiKey: "wak_test", requestTimeout })),
      Effect.provide(FetchHttpClient.layer)
    )

  const answers: Record<string, [answer: (response: ServerResponse) => void, sentence: string]> = {
    "refuses the key": [refusing(401, "Invalid API key"), "The service does not take this API key."],
    "refuses the body": [
      refusing(422, [{ loc: ["body", "task"], msg: "too vague", type: "value_error" }]),
      "POST /api/v4/runs: status 422, body.task: too vague. Change the request. Request id ...."
    ],
    "refuses a task that is too long": [refusing(413, "Content too large"), "The task is too long for the service."],
    "is busy": [refusing(429, "Too many requests", { "retry-after": "7" }), "Too many requests. Try again in 7s."],
    "hangs up": [(response) => response.destroy(), "There may be a run (waiting, ConnectionFailed)."],
    "sends half of a response": [
      (response) => void response.writeHead(201).end('{"status":"queued"}'),
      "There may be a run (answered, UndecodableAnswer)."
    ]
  }
  for (const [behaviour, [answer, sentence]] of Object.entries(answers)) {
    it.live(behaviour, () =>
      Effect.gen(function* () {
        const { address } = yield* service.answering(answer)
        const said = yield* at(address)
        assert.strictEqual(said.replace(address, "").replace(/Request id [\w-]+/u, "Request id ..."), sentence)
      })
    )
  }

  it.live("never responds", () =>
    Effect.gen(function* () {
      const { address } = yield* service.answering(() => {})
      assert.strictEqual(yield* at(address, "100 millis"), "There may be a run (waiting, Timeout).")
    })
  )

  it.live("doesn't exist", () =>
    Effect.gen(function* () {
      // no port that a system hands out
      assert.strictEqual(yield* at("http://127.0.0.1:2"), "Nothing listens there.")
    })
  )

  it.live("has an agent that fails", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      assert.strictEqual(
        yield* at(address),
        "The run is failed: Made up: the profile default fails every run. Choose another profile."
      )
    }).pipe(
      Effect.provide(SimulatedService.layer({ turnDuration: "5 millis", failureRate: 1 })),
      Effect.provide(service.impatient)
    )
  )
})
