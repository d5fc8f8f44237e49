import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import { LinkTokens } from "../api/LinkTokens.ts"
import { cdpPath } from "../api/v4/Conversion.ts"
import type { CdpConnection } from "../browser/BrowserPool.ts"
import { BrowserNotFound } from "../domain/Errors.ts"
import { Engine } from "../engine/Engine.ts"
import * as Answer from "./Answer.ts"

/** The WebSocket close code that tells a client that its browser was stopped. */
export const stoppedCode = 4001

/** Carries messages both ways until the client hangs up or the browser stops. */
const pump = Effect.fnUntraced(function* (socket: Socket.Socket, connection: CdpConnection) {
  const pull = yield* Socket.readerString(socket)
  const { write } = yield* socket.writer
  const inbound = Effect.forever(
    Effect.flatMap(pull, (messages) => Effect.forEach(messages, connection.send, { discard: true }))
  )
  const outbound = Effect.andThen(
    Stream.runForEach(connection.messages, write),
    write(new Socket.CloseEvent(stoppedCode, "The browser was stopped"))
  )
  // inbound only ever fails, and `Effect.race` would wait for a success
  yield* Effect.raceFirst(inbound, outbound)
})

/**
 * A browser's CDP endpoint. It takes no key: a CDP library is given a URL and nothing else, so the token in
 * it is the secret: without it a browser is as good as unknown. A client that leaves stops nothing.
 */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const engine = yield* Engine
    const tokens = yield* LinkTokens
    yield* router.add(
      "GET",
      cdpPath(":browser_id"),
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { browser_id } = yield* HttpRouter.params
        const id = (browser_id ?? "").toLowerCase()
        const { token } = yield* HttpServerRequest.ParsedSearchParams
        if (!tokens.opens(cdpPath(id), token)) return yield* new BrowserNotFound({ id })
        const connection = yield* engine.connectBrowser(id)
        if (request.headers["upgrade"]?.toLowerCase() !== "websocket") {
          return Answer.detail(426, "This is a CDP endpoint: connect with a WebSocket", {
            connection: "Upgrade",
            upgrade: "websocket"
          })
        }
        const socket = yield* Effect.orDie(request.upgrade)
        yield* Effect.ignore(pump(socket, connection))
        return HttpServerResponse.empty()
      }).pipe(
        Effect.catchTags({
          BrowserNotFound: () => Effect.succeed(Answer.detail(404, "Browser not found")),
          BrowserStopped: () => Effect.succeed(Answer.detail(410, "Browser is stopped"))
        })
      )
    )
  })
)
