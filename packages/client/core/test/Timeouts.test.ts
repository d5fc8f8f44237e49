import { assert, describe, it } from "@effect/vitest"
import { type Answer, ScriptedServer } from "@webagent/scripted-server"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import { ClientConfig, type ClientOptions, execute, Transport } from "../src/index.ts"
import { hastened, headersRead, silence } from "@webagent/scripted-server/Haste"
import { layer } from "./client.ts"

const far = "10 hours"

const reason = Effect.gen(function* () {
  const transport = yield* Transport
  const error = yield* Effect.flip(execute(transport, "v4", HttpClientRequest.get("/x")))
  return { error, reason: error.reason }
})

const begins: Answer = (response) => void response.writeHead(200, { "content-type": "text/plain" }).write("{")

/** What limits there are, where the answer stops, what is said of it. The other limits are far off. */
const cases: ReadonlyArray<readonly [string, ClientOptions["timeouts"], "headers" | "body", string]> = [
  ["headers", { headers: "1 minute", total: far }, "headers", "no answer within 1m, the headers timeout."],
  ["the whole, before headers", { total: "1 minute" }, "headers", "no answer within 1m, the total timeout."],
  ["body", { body: "1 minute", total: far }, "body", "a response whose body did not end within 1m, the body timeout."],
  ["the whole, in the body", { headers: far, total: "1 minute" }, "body", "within 1m, the total timeout."]
]

describe("timeouts", () => {
  it.live.each(cases)("%s", ([, timeouts, phase, sentence]) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const { answer, arrived } = silence()
      server.script = () => (phase === "headers" ? answer : begins)
      const nothingComes = phase === "headers" ? arrived : yield* headersRead(server)
      const { error, reason: timeout } = yield* hastened(nothingComes)(reason)
      assert.strictEqual(timeout._tag === "Timeout" && timeout.phase, phase)
      assert.include(error.message, sentence)
    }).pipe(Effect.scoped, Effect.provide(layer({ timeouts })))
  )

  it.live("allow a body more time than the headers", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const begun = yield* headersRead(server)
      server.script = () => (response) => {
        response.writeHead(200, { "content-length": "2" }).write("{")
        Effect.runFork(
          Effect.andThen(
            begun,
            Effect.delay(
              Effect.sync(() => response.end("}")),
              "150 millis"
            )
          )
        )
      }
      const transport = yield* Transport
      // from its first byte on the headers' minute is over in 60 ms
      const { status } = yield* hastened(begun)(execute(transport, "v4", HttpClientRequest.get("/x")))
      assert.strictEqual(status, 200)
    }).pipe(Effect.scoped, Effect.provide(layer({ timeouts: { headers: "1 minute", total: far } })))
  )

  it.live.each([
    ["UND_ERR_CONNECT_TIMEOUT", undefined, "Timeout"],
    ["ETIMEDOUT", "connect", "Timeout"],
    ["ETIMEDOUT", "read", "ConnectionFailed"]
  ] as const)("convert undici's %s in %s to a %s", ([code, syscall, tag]) => {
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
