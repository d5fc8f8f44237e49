import { assert, describe, it } from "@effect/vitest"
import { type Answer, ScriptedServer } from "@webagent/scripted-server"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import { ClientConfig, type ClientOptions, Transport } from "../src/index.ts"
import { layer } from "./client.ts"

const reason = Effect.gen(function* () {
  const transport = yield* Transport
  const error = yield* Effect.flip(transport.execute("v4", HttpClientRequest.get("/x")))
  return { error, reason: error.reason }
})

const silent: Answer = () => undefined
const stalled: Answer = (response) => void response.writeHead(200, { "content-type": "text/plain" }).write("{")

const cases: ReadonlyArray<readonly [string, ClientOptions["timeouts"], Answer, "headers" | "body", string]> = [
  ["headers", { headers: "40 millis" }, silent, "headers", "no answer within 40ms, the headers timeout."],
  [
    "the whole, before headers",
    { total: "40 millis" },
    silent,
    "headers",
    "no answer within 40ms, the requestTimeout."
  ],
  ["body", { body: "40 millis" }, stalled, "body", "an answer whose body did not end within 40ms, the body timeout."],
  [
    "the whole, in the body",
    { headers: "10 seconds", total: "60 millis" },
    stalled,
    "body",
    "within 60ms, the requestTimeout."
  ]
]

describe("timeouts", () => {
  it.live.each(cases)("%s", ([, timeouts, answer, phase, sentence]) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => answer
      const { error, reason: timeout } = yield* reason
      assert.strictEqual(timeout._tag === "Timeout" && timeout.phase, phase)
      assert.include(error.message, sentence)
    }).pipe(Effect.provide(layer({ timeouts })))
  )

  it.live("a body may take longer than the headers may", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => (response) => {
        response.writeHead(200, { "content-length": "2" }).write("{")
        setTimeout(() => response.end("}"), 150)
      }
      const transport = yield* Transport
      assert.strictEqual((yield* transport.execute("v4", HttpClientRequest.get("/x"))).status, 200)
    }).pipe(Effect.provide(layer({ timeouts: { headers: "100 millis" } })))
  )

  it.live.each([
    ["UND_ERR_CONNECT_TIMEOUT", undefined, "Timeout"],
    ["ETIMEDOUT", "connect", "Timeout"],
    ["ETIMEDOUT", "read", "ConnectionFailed"]
  ] as const)("what undici says of connecting, %s in %s, is a %s", ([code, syscall, tag]) => {
    const failing = HttpClient.make((request) =>
      Effect.fail(
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({
            request,
            cause: new TypeError("fetch failed", { cause: Object.assign(new Error("late"), { code, syscall }) })
          })
        })
      )
    )
    return Effect.gen(function* () {
      const { error, reason: timeout } = yield* reason
      assert.strictEqual(timeout._tag, tag)
      if (timeout._tag === "Timeout") {
        assert.strictEqual(timeout.phase, "connect")
        assert.match(error.message, /: no connection within /u)
      }
    }).pipe(
      Effect.provide(Transport.layer),
      Effect.provide(ClientConfig.layer({ baseUrl: "http://a.example", apiKey: "k" })),
      Effect.provide(Layer.succeed(HttpClient.HttpClient, failing))
    )
  })
})
