import { Cdp, type CdpClient, CdpError } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { Socket } from "node:net"
import { WebSocket } from "ws"

/** The largest message, such as the picture of a long page. */
export const maxMessage_bytes = 256 * 1024 * 1024

/** Connections to DevTools, for bytes as they are. Without compression, which would cost more than it saves on one machine. */
export const dial = (address: string): WebSocket =>
  new WebSocket(address, { perMessageDeflate: false, maxPayload: maxMessage_bytes, skipUTF8Validation: true })

/** The forwarder of a sandbox may listen a little later than the browser behind it. */
const patience = { schedule: Schedule.spaced("20 millis"), times: 100 }

/** An open connection to DevTools. */
export interface Link {
  readonly socket: WebSocket
  /** What it goes over. */
  readonly wire: Socket
}

/** Opens a connection to DevTools, which closes with the scope. */
export const opened = (address: string): Effect.Effect<Link, CdpError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Link, CdpError>((resume) => {
      const socket = dial(address)
      let wire = new Socket()
      const refuse = ({ message }: Error) =>
        resume(Effect.fail(new CdpError({ method: "connect", message, gone: "browser" })))
      socket.once("error", refuse)
      socket.once("upgrade", (response) => (wire = response.socket))
      socket.once("open", () => {
        // an error is followed by the close event
        socket.off("error", refuse).on("error", () => undefined)
        resume(Effect.succeed({ socket, wire }))
      })
      return Effect.sync(() => socket.on("error", () => undefined).terminate())
    }).pipe(Effect.retry(patience)),
    ({ socket }) => Effect.sync(() => socket.terminate()),
    { interruptible: true }
  )

/** Connects to a browser's DevTools until the scope closes. */
export const connect = Effect.fnUntraced(function* (
  address: string
): Effect.fn.Return<CdpClient, CdpError, Scope.Scope> {
  const { socket } = yield* opened(address)
  const { client, end, hear } = Cdp.make((message) => socket.send(message))
  socket.on("message", (data: Buffer) => hear(data))
  socket.once("close", end)
  // it may have closed before anyone listened
  if (socket.readyState !== WebSocket.OPEN) end()
  return client
})
