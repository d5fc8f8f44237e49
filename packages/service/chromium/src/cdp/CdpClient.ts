import { Cdp, type CdpClient, CdpError } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Socket } from "node:net"
import { WebSocket } from "ws"
import type { DevTools } from "./DevTools.ts"

/** The largest message, such as the picture of a long page. */
const maxMessage_bytes = 256 * 1024 * 1024

/** Connections to DevTools, for bytes as they are. Without compression, which would cost more than it saves on one machine. */
const dial = ({ address, connect }: DevTools): WebSocket => {
  // Node lets a socket come later; the types of `ws` do not know it
  const later = (_: object, done: Parameters<NonNullable<typeof connect>>[0]) => void connect?.(done)
  return new WebSocket(address, {
    perMessageDeflate: false,
    maxPayload: maxMessage_bytes,
    skipUTF8Validation: true,
    ...(connect === null ? {} : { createConnection: later as never })
  })
}

/** An open connection to DevTools. */
export interface Link {
  readonly socket: WebSocket
  /** The underlying TCP connection. */
  readonly wire: Socket
}

/**
 * Time limit for a browser to accept a connection, because an overloaded machine is no proof that the browser is gone.
 */
const opensWithin_s = 60

/** Opens a connection to DevTools, which closes with the scope. */
export const opened = (devTools: DevTools): Effect.Effect<Link, CdpError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Link, CdpError>((resume) => {
      const socket = dial(devTools)
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
    }).pipe(
      Effect.timeoutOrElse({
        duration: `${opensWithin_s} seconds`,
        orElse: () =>
          Effect.fail(
            new CdpError({
              method: "connect",
              message: `DevTools did not accept a connection within ${opensWithin_s} seconds.`,
              gone: "browser"
            })
          )
      })
    ),
    ({ socket }) => Effect.sync(() => socket.terminate()),
    { interruptible: true }
  )

/** Connects to a browser's DevTools until the scope closes. */
export const connect = Effect.fnUntraced(function* (
  devTools: DevTools
): Effect.fn.Return<CdpClient, CdpError, Scope.Scope> {
  const { socket } = yield* opened(devTools)
  const { client, end, hear } = Cdp.make((message) => socket.send(message))
  socket.on("message", (data: Buffer) => hear(data))
  socket.once("close", end)
  // it may have closed before anyone listened
  if (socket.readyState !== WebSocket.OPEN) end()
  return client
})
