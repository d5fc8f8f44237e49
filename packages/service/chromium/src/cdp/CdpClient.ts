import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { Socket } from "node:net"
import { WebSocket } from "ws"

/** A command was refused, or its browser is gone. */
export class CdpError extends Data.TaggedError("CdpError")<{ readonly method: string; readonly message: string }> {}

/** What a browser tells without being asked. */
export interface CdpEvent {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** The page that it is about; undefined for the browser. */
  readonly sessionId: string | undefined
}

/** One connection to a browser's DevTools, for the server itself. */
export interface CdpClient {
  /** Carries out a command, in the session of a page or in that of the browser. */
  readonly send: (
    method: string,
    params?: Readonly<Record<string, unknown>>,
    sessionId?: string
  ) => Effect.Effect<Readonly<Record<string, unknown>>, CdpError>
  /** Hears every event, in order and at once, until the scope closes. */
  readonly listen: (listener: (event: CdpEvent) => void) => Effect.Effect<void, never, Scope.Scope>
  /** Waits for the connection to end. */
  readonly ended: Effect.Effect<void>
}

interface Reply {
  readonly id?: number
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly message: string }
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly sessionId?: string
}

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
      const refuse = (error: Error) => resume(Effect.fail(new CdpError({ method: "connect", message: error.message })))
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
  const waiting = new Map<number, (reply: Reply) => void>()
  const listeners = new Set<(event: CdpEvent) => void>()
  const ended = yield* Deferred.make<void>()
  let last = 0

  socket.on("message", (data) => {
    const reply: Reply = JSON.parse(String(data))
    if (reply.id !== undefined) {
      waiting.get(reply.id)?.(reply)
      waiting.delete(reply.id)
    } else if (reply.method !== undefined) {
      const event = { method: reply.method, params: reply.params ?? {}, sessionId: reply.sessionId }
      for (const listener of listeners) listener(event)
    }
  })
  const gone = { error: { message: "The connection to the browser ended." } }
  const over = () => {
    for (const answer of waiting.values()) answer(gone)
    waiting.clear()
    Deferred.doneUnsafe(ended, Effect.void)
  }
  socket.once("close", over)

  return {
    send: (method, params = {}, sessionId) =>
      Effect.callback((resume) => {
        const id = ++last
        const answer = ({ error, result = {} }: Reply) =>
          resume(
            error === undefined ? Effect.succeed(result) : Effect.fail(new CdpError({ method, message: error.message }))
          )
        if (socket.readyState !== WebSocket.OPEN) return void answer(gone)
        waiting.set(id, answer)
        socket.send(JSON.stringify({ id, method, params, sessionId }))
        return Effect.sync(() => void waiting.delete(id))
      }),
    listen: (listener) =>
      Effect.acquireRelease(
        Effect.sync(() => void listeners.add(listener)),
        () => Effect.sync(() => void listeners.delete(listener))
      ),
    ended: Deferred.await(ended)
  }
})
