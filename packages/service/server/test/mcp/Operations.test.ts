import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as TestClock from "effect/testing/TestClock"
import { over } from "../../src/mcp/Operations.ts"

const failing = HttpClient.make((request) =>
  Effect.fail(
    new HttpClientError.HttpClientError({
      reason: new HttpClientError.TransportError({ request, cause: new Error("socket hang up") })
    })
  )
)

const answering = (body: string, init: ResponseInit) =>
  HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body, init))))

const failure = (client: HttpClient.HttpClient, method: "GET" | "POST") =>
  Effect.map(
    Effect.flip(over(client, "http://a.example", Effect.succeed("wak_secret")).call(method, "/runs")),
    ({ message }) => message
  )

describe("Operations", () => {
  it.effect("warn that a create without a response may have acted", () =>
    Effect.gen(function* () {
      const message = yield* failure(failing, "POST")
      assert.include(message, "It may have acted all the same: look before you call the tool again.")
      assert.notInclude(message, "wak_secret")
      assert.include(yield* failure(failing, "GET"), "Try again.")
    })
  )

  it.effect("wait for a response for one minute", () =>
    Effect.gen(function* () {
      const silent = HttpClient.make(() => Effect.never)
      const asked = yield* Effect.forkChild(failure(silent, "POST"))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(
        yield* Fiber.join(asked),
        "The server did not respond (within 1m). It may have acted all the same: look before you call the tool again."
      )
    })
  )

  it.effect("report the server's refusal, and when to retry", () =>
    Effect.gen(function* () {
      const busy = answering(JSON.stringify({ detail: "Too many requests" }), {
        status: 429,
        headers: { "retry-after": "7" }
      })
      assert.strictEqual(
        yield* failure(busy, "POST"),
        "The server answered 429: Too many requests. Try again in 7 seconds."
      )
      assert.strictEqual(
        yield* failure(answering("<html>", { status: 502 }), "GET"),
        "The server answered 502 without JSON."
      )
    })
  )
})
