import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { ask, key, recording, served, simulated } from "./services.ts"

/** Answers with the body it got, as JSON with each letter escaped where it is asked to. */
const echo = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const text = yield* request.text
  const escaped = text.replaceAll("wak", String.raw`\u0077\u0061\u006b`)
  return HttpServerResponse.text(escaped, { contentType: "application/json", headers: { "x-secret": key } })
})

describe("Recorder", () => {
  it.live("stores a run's method, path, bodies and status", () =>
    Effect.gen(function* () {
      const address = yield* simulated()
      const { exchanges, http } = yield* recording()
      const created = yield* ask(http, "POST", `${address}/api/v4/runs`, { task: "Buy a mug" })
      yield* ask(http, "GET", `${address}/api/v4/runs/${created.json.id}/status`)
      yield* ask(http, "GET", `${address}/health`)
      assert.deepStrictEqual(
        exchanges.map(({ method, path, status }) => [method, path, status]),
        [
          ["POST", "/api/v4/runs", 201],
          ["GET", `/api/v4/runs/${created.json.id}/status`, 200]
        ]
      )
      assert.deepStrictEqual(exchanges[0]?.sent, { json: { task: "Buy a mug" } })
      assert.deepStrictEqual(exchanges[0]?.got, { json: created.json })
      assert.deepStrictEqual(exchanges[0]?.headers, { "content-type": "application/json" })
    })
  )

  it.live("stores neither the key, however it is echoed, nor links that work", () =>
    Effect.gen(function* () {
      const address = yield* served(echo)
      const { exchanges, http } = yield* recording()
      const body = {
        task: `log in with ${key}`,
        [`say ${key}`]: [{ deep: `${key}!` }],
        cdpUrl: "wss://cdp.service.test:9222/devtools/7f0c?token=s3cret",
        recordingUrl: null,
        page: "https://shop.test/mugs?color=red"
      }
      const answer = yield* ask(http, "POST", `${address}/api/v4/runs?key=${key}`, body)
      // the caller sees what the service said
      assert.strictEqual(answer.json.cdpUrl, body.cdpUrl)
      assert.strictEqual(answer.json.task, body.task)
      const text = JSON.stringify(exchanges)
      for (const secret of [key, "s3cret", "7f0c"]) assert.notInclude(text, secret)
      assert.deepStrictEqual(exchanges[0]?.got, {
        json: {
          task: "log in with <redacted>",
          "say <redacted>": [{ deep: "<redacted>!" }],
          cdpUrl: "wss://cdp.service.test:9222/redacted",
          recordingUrl: null,
          page: "https://shop.test/mugs?color=red"
        }
      })
    })
  )

  it.live("omits the values of secrets that a request binds to a run", () =>
    Effect.gen(function* () {
      const address = yield* served(echo)
      const { exchanges, http } = yield* recording()
      const pin = { alias: "pin", allowedDomains: ["shop.example"] }
      const user = { ...pin, alias: "user", source: { type: "server", name: "shop" } }
      const body = { task: "x", secretBindings: [{ ...pin, source: { type: "inline", value: "canary-1" } }, user] }
      yield* ask(http, "POST", `${address}/api/v4/runs`, body)
      assert.notInclude(JSON.stringify(exchanges), "canary-1")
      assert.deepStrictEqual(exchanges[0]?.sent, {
        json: {
          task: "x",
          secretBindings: [{ ...pin, source: { type: "inline", value: "<redacted>" } }, user]
        }
      })
    })
  )

  it.live("stores a response that isn't JSON as text, and skips a request without a response", () =>
    Effect.gen(function* () {
      const address = yield* served(Effect.succeed(HttpServerResponse.text("<h1>Bad gateway</h1>", { status: 502 })))
      const { exchanges, http } = yield* recording()
      yield* Effect.ignore(ask(http, "GET", `${address}/api/v4/runs/7`))
      yield* Effect.ignore(ask(http, "GET", "http://127.0.0.1:9/api/v4/runs/7"))
      assert.deepStrictEqual(
        exchanges.map(({ got, status }) => ({ got, status })),
        [{ status: 502, got: { text: "<h1>Bad gateway</h1>" } }]
      )
    })
  )
})
