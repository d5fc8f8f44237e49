import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import type { Socket as NodeSocket } from "node:net"
import { LinkTokens } from "../api/LinkTokens.ts"
import { cdpPath } from "../api/v4/Conversion.ts"
import { BrowserNotFound, type CdpConnection, type ConnectionEnd, Engine } from "@webagent/engine"
import * as Answer from "./Answer.ts"

/** The WebSocket close code that tells a client that its browser was stopped. */
const stoppedCode = 4001

/** The WebSocket close code after `Browser.close`: all went well. */
const closedCode = 1000

/** One message, whatever kind of frame it came in: characters never span two of them. */
const textOf = (frame: string | Uint8Array): string =>
  typeof frame === "string" ? frame : Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).toString("utf8")

/** Waits while what was written has not left: a client that does not read makes its browser wait, not the memory grow. */
const drained = (wire: NodeSocket) =>
  Effect.suspend(() =>
    wire.writableNeedDrain && !wire.destroyed
      ? Effect.callback<void>((resume) => {
          const forget = () => wire.off("drain", done).off("close", done)
          const done = () => {
            forget()
            resume(Effect.void)
          }
          wire.once("drain", done).once("close", done)
          return Effect.sync(forget)
        })
      : Effect.void
  )

/** Carries messages both ways until the client hangs up or the browser's side ends the connection. */
const pump = Effect.fnUntraced(function* (socket: Socket.Socket, wire: NodeSocket, connection: CdpConnection) {
  const { pull } = yield* socket.reader
  const { write } = yield* socket.writer
  const inbound = Effect.forever(
    Effect.flatMap(pull, (frames) =>
      Effect.forEach(frames, (frame) => connection.send(textOf(frame)), { discard: true })
    )
  )
  // a connection that is to end does not wait for a client that does not read: the close goes out behind the rest
  const outbound = Effect.andThen(
    Stream.runForEach(connection.messages, (message) =>
      Effect.andThen(write(message), Effect.raceFirst(drained(wire), connection.ended))
    ),
    Effect.flatMap(connection.ended, (how) => {
      if (how === "stopped") return write(new Socket.CloseEvent(stoppedCode, "The browser was stopped"))
      return how === "closed" ? write(new Socket.CloseEvent(closedCode)) : Effect.void
    })
  )
  const dropped = Effect.flatMap(connection.ended, (how) =>
    how === "dropped" ? Effect.sync(() => wire.resetAndDestroy()) : Effect.never
  )
  // inbound only ever fails, and `Effect.race` would wait for a success
  yield* Effect.raceFirst(Effect.raceFirst(inbound, outbound), dropped)
})

/** What becomes of a CDP connection. */
export type ConnectionEvent = "connected" | "refused" | "left" | "stopped" | "dropped"

interface CdpObserverService {
  /** `socket` is the client's; without one no connection was made. */
  readonly observe: (browserId: string, event: ConnectionEvent, socket?: NodeSocket) => Effect.Effect<void>
}

/** Is told what becomes of CDP connections to browsers; nothing unless a layer says otherwise. */
export const CdpObserver: Context.Reference<CdpObserverService> = Context.Reference("@webagent/server/CdpObserver", {
  defaultValue: (): CdpObserverService => ({ observe: () => Effect.void })
})

const eventOf = { stopped: "stopped", closed: "left", dropped: "dropped" } as const satisfies Record<
  ConnectionEnd,
  ConnectionEvent
>

/** A connection whose end is observed once: before its client can see it, where the browser's side ends it. */
const observed = (connection: CdpConnection, observe: (event: ConnectionEvent) => Effect.Effect<void>) => {
  let over = false
  const end = (event: ConnectionEvent) =>
    Effect.suspend(() => {
      if (over) return Effect.void
      over = true
      return observe(event)
    })
  return {
    connection: { ...connection, ended: Effect.tap(connection.ended, (how) => end(eventOf[how])) },
    end: end("left")
  }
}

/**
 * A browser's CDP endpoint. It takes no key: a CDP library is given a URL and nothing else, so the token in
 * it is the secret: without it a browser is as good as unknown. A client that leaves stops nothing.
 */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const engine = yield* Engine
    const tokens = yield* LinkTokens
    const { observe } = yield* CdpObserver
    yield* router.add(
      "GET",
      cdpPath(":browser_id"),
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { browser_id } = yield* HttpRouter.params
        const id = (browser_id ?? "").toLowerCase()
        const { token } = yield* HttpServerRequest.ParsedSearchParams
        const isWebSocket = request.headers["upgrade"]?.toLowerCase() === "websocket"
        const known = tokens.opens(cdpPath(id), token)
          ? engine.connectBrowser(id)
          : Effect.fail(new BrowserNotFound({ id }))
        const connection = yield* Effect.tapError(known, () => (isWebSocket ? observe(id, "refused") : Effect.void))
        if (!isWebSocket) {
          return Answer.detail(426, "This is a CDP endpoint: connect with a WebSocket", {
            connection: "Upgrade",
            upgrade: "websocket"
          })
        }
        const socket = yield* Effect.orDie(request.upgrade)
        const wire = NodeHttpServerRequest.toIncomingMessage(request).socket
        const watched = observed(connection, (event) => observe(id, event, wire))
        yield* observe(id, "connected", wire)
        yield* Effect.ensuring(Effect.ignore(pump(socket, wire, watched.connection)), watched.end)
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
