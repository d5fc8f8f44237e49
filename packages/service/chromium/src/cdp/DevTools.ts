import { type CdpClient, CdpError, type CdpOptions, overSocket } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { WebSocket } from "ws"

/** Address of a browser's DevTools. */
export interface DevTools {
  /** The address of the browser's target: `ws://127.0.0.1:...`. */
  readonly address: string
  /** Opens a socket to a browser in its own network namespace; null if the address is reachable from here. */
  readonly connect: ((done: (error: Error | null, socket: Duplex) => void) => void) | null
}

/** Returns the DevTools of one page. */
export const ofPage = ({ address, connect }: DevTools, targetId: string): DevTools => ({
  address: address.replace(/browser\/[^/]*$/u, `page/${targetId}`),
  connect
})

/** Maximum size of a message, such as the picture of a long page. */
const maxMessage_bytes = 256 * 1024 * 1024

/** Starts a WebSocket to DevTools, without compression, which costs more than it saves on one machine. */
const dial = ({ address, connect }: DevTools): WebSocket => {
  // Node accepts the socket in a callback, which the types of `ws` don't allow
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

/** Time limit for opening a connection: long, because an overloaded machine doesn't prove that the browser is gone. */
const opensWithin_s = 60

/** Opens a connection to DevTools, which closes with the scope. */
export const open = (devTools: DevTools): Effect.Effect<Link, CdpError, Scope.Scope> => {
  const failed = (message: string, reason: "closed" | "timeout") =>
    Effect.fail(new CdpError({ method: "connect", message, reason }))
  return Effect.acquireRelease(
    Effect.callback<Link, CdpError>((resume) => {
      const socket = dial(devTools)
      let wire = new Socket()
      const refuse = ({ message }: Error) => resume(failed(message, "closed"))
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
        orElse: () => failed(`DevTools did not accept a connection within ${opensWithin_s} seconds.`, "timeout")
      })
    ),
    ({ socket }) => Effect.sync(() => socket.terminate()),
    { interruptible: true }
  )
}

/** Connects a client to DevTools until the scope closes. */
export const connect = (devTools: DevTools, options?: CdpOptions): Effect.Effect<CdpClient, CdpError, Scope.Scope> =>
  Effect.map(open(devTools), ({ socket }) => overSocket(socket, options))
