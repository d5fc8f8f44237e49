import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import { type CdpClient, type CdpOptions, make } from "./CdpClient.ts"
import { CdpError } from "./CdpError.ts"

/** A connection in callbacks, such as one of an engine's browser pool. */
export interface Transport {
  /** Sends a message. Returns false if the client must wait for `onDrain` before it sends another one. */
  readonly send: (message: string) => boolean
  readonly receive: (receiver: {
    readonly onMessage: (message: string | Uint8Array) => void
    readonly onDrain: () => void
  }) => void
  readonly ended: Effect.Effect<unknown>
}

/** Makes a client over a transport. */
export const overTransport = Effect.fnUntraced(function* (
  { ended, receive, send }: Transport,
  options?: CdpOptions
): Effect.fn.Return<CdpClient, never, Scope.Scope> {
  const unsent: Array<string> = []
  let mustWait = false
  const { client, onClose, onMessage } = make((message) => {
    if (mustWait) unsent.push(message)
    else mustWait = !send(message)
  }, options)
  receive({
    onMessage,
    onDrain: () => {
      mustWait = false
      for (let next = unsent.shift(); next !== undefined; next = mustWait ? undefined : unsent.shift()) {
        mustWait = !send(next)
      }
    }
  })
  yield* Effect.forkScoped(Effect.andThen(ended, Effect.sync(onClose)))
  return client
})

const isOpen = ({ readyState }: Socket.WebSocketLike) => readyState === 1

/** Makes a client over an open WebSocket. */
export const overSocket = (socket: Socket.WebSocketLike, options?: CdpOptions): CdpClient => {
  const { client, onClose, onMessage } = make((message) => socket.send(message), options)
  socket.addEventListener("message", ({ data }) => onMessage(data as string | Uint8Array))
  socket.addEventListener("close", onClose)
  // it may have closed before anyone listened
  if (!isOpen(socket)) onClose()
  return client
}

const closedBefore = "it was closed before it was open"

/** Starts to open a WebSocket, and closes it. */
interface Dial<S extends Socket.WebSocketLike> {
  readonly start: () => S
  readonly close: (socket: S) => void
  /** Time limit for opening; a minute by default, because an overloaded machine doesn't prove that the browser is gone. */
  readonly timeout?: Duration.Input
}

/** Opens a WebSocket, and closes it with the scope. */
export const openSocket = <S extends Socket.WebSocketLike>({
  close,
  start,
  timeout = "1 minute"
}: Dial<S>): Effect.Effect<S, CdpError, Scope.Scope> => {
  const failed = (why: string, reason: "closed" | "timeout" = "closed") =>
    Effect.fail(new CdpError({ method: "connect", message: `The CDP connection was refused: ${why}`, reason }))
  return Effect.acquireRelease(
    Effect.callback<S, CdpError>((resume) => {
      const socket = start()
      const opened = () => resume(Effect.succeed(socket))
      if (isOpen(socket)) opened()
      socket.addEventListener("open", opened)
      socket.addEventListener("close", () => resume(failed(closedBefore)))
      // stays, because closing a socket that isn't open yet is an error, too
      socket.addEventListener("error", (event) =>
        resume(failed("message" in event && event.message !== "" ? String(event.message) : closedBefore))
      )
      return Effect.sync(() => close(socket))
    }).pipe(
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => failed(`no response within ${Duration.format(Duration.fromInputUnsafe(timeout))}`, "timeout")
      })
    ),
    (socket) => Effect.sync(() => close(socket)),
    { interruptible: true }
  )
}

/** Connects to the WebSocket of a browser until the scope closes, which doesn't stop the browser. */
export const connect = Effect.fnUntraced(function* (
  url: string,
  options: CdpOptions = {}
): Effect.fn.Return<CdpClient, CdpError, Scope.Scope | Socket.WebSocketConstructor> {
  const construct = yield* Socket.WebSocketConstructor
  const dial = { start: () => construct(url), close: (socket: Socket.WebSocketLike) => socket.close(1000) }
  return overSocket(yield* openSocket({ ...options, ...dial }), options)
})
