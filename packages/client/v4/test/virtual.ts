import type { ClientOptions } from "@webagent/core"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { V4 } from "../src/index.ts"

/** JSON, as a service answers it. */
export const json = (status: number, body: unknown) => Effect.sync(() => Response.json(body, { status }))

/** A client whose requests are answered in no time, so that only the test moves the clock. */
export const answering = (
  answer: (method: string, path: string) => Effect.Effect<Response>,
  options: Partial<ClientOptions> = {}
) => {
  const sent: Array<{ readonly request: string; readonly id: string | undefined; readonly at_ms: number }> = []
  const client = HttpClient.make((request, url) =>
    Effect.gen(function* () {
      const path = url.pathname.replace("/api/v4", "")
      const id = request.headers["x-request-id"]
      sent.push({ request: `${request.method} ${path}`, id, at_ms: yield* Clock.currentTimeMillis })
      return HttpClientResponse.fromWeb(request, yield* answer(request.method, path))
    })
  )
  const layer = V4.layerClient({ baseUrl: "http://127.0.0.1:9", apiKey: "wak_test", ...options }).pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
  )
  return { layer, sent, requests: () => sent.map(({ request }) => request) }
}

/** What is logged, with its level. */
export const warned = () => {
  const warnings: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    warnings.push(`${logLevel} ${String(Array.isArray(message) ? message[0] : message)}`)
  })
  return { layerLogger: Logger.layer([logger]), warnings }
}

/** Lets time go by in steps: bodies are read by promises, and a TestClock does not know of these. */
export const elapse = Effect.fnUntraced(function* (time: Duration.Input) {
  const settled = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  yield* settled
  for (let left_ms = Duration.toMillis(time); left_ms > 0; left_ms -= 500) {
    yield* TestClock.adjust(Math.min(500, left_ms))
    yield* settled
    yield* settled
  }
})
