import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Socket from "effect/socket/Socket"
import * as CdpConnection from "../src/CdpConnection.ts"

/** An open WebSocket that nothing arrives at. */
const idle: Socket.WebSocketLike = {
  readyState: 1,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  close: () => undefined,
  send: () => undefined
}

it.effect("CdpConnection connects to the WebSocket that an HTTP address leads to", () =>
  Effect.gen(function* () {
    const requests: Array<string> = []
    const client = HttpClient.make((request) => {
      requests.push(request.url)
      const body = { webSocketDebuggerUrl: "ws://x/devtools" }
      return Effect.succeed(HttpClientResponse.fromWeb(request, Response.json(body)))
    })
    const opened: Array<string> = []
    yield* CdpConnection.open(client, "http://x:9222/").pipe(
      Effect.provideService(Socket.WebSocketConstructor, (url) => {
        opened.push(url)
        return idle
      })
    )
    assert.deepStrictEqual([requests, opened], [["http://x:9222/json/version"], ["ws://x/devtools"]])
  })
)
