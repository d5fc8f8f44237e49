import { type CdpClient, type CdpError, type CdpOptions, openSocket, overSocket } from "@webagent/cdp"
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

/** Opens a connection to DevTools, which is dropped with the scope. */
export const open = (devTools: DevTools): Effect.Effect<Link, CdpError, Scope.Scope> =>
  Effect.suspend(() => {
    let wire = new Socket()
    const start = () => dial(devTools).once("upgrade", (response) => (wire = response.socket))
    return Effect.map(openSocket({ start, close: (socket) => socket.terminate() }), (socket) => ({ socket, wire }))
  })

/** Connects a client to DevTools until the scope closes. */
export const connect = (devTools: DevTools, options?: CdpOptions): Effect.Effect<CdpClient, CdpError, Scope.Scope> =>
  Effect.map(open(devTools), ({ socket }) => overSocket(socket, options))
