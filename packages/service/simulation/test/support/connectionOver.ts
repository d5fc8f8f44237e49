import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { CdpMessage, CdpTransport, ConnectionEnd } from "@webagent/engine"

/** Length of what waits to be read, from which on the browser waits. */
const enough = 1024 * 1024

/** Connection of a test that sends and reads raw messages. */
export interface CdpConnection {
  /** Sends a message; waits while the browser doesn't read. */
  readonly send: (message: CdpMessage) => Effect.Effect<void>
  readonly messages: Stream.Stream<CdpMessage>
  readonly ended: Effect.Effect<ConnectionEnd>
}

/** A connection for use in process, over the callbacks of a transport. */
export const connectionOver = Effect.fnUntraced(function* (
  transport: CdpTransport
): Effect.fn.Return<CdpConnection, never, Scope.Scope> {
  const unread = yield* Queue.unbounded<CdpMessage, Cause.Done>()
  const takes = Latch.makeUnsafe(true)
  let unread_length = 0
  transport.receive({
    onMessage: (message) => {
      unread_length += message.length
      Queue.offerUnsafe(unread, message)
      if (unread_length > enough) transport.pause()
    },
    onDrain: () => takes.openUnsafe()
  })
  const over = () => {
    Queue.endUnsafe(unread)
    takes.openUnsafe()
  }
  yield* Effect.forkScoped(Effect.map(transport.ended, over))
  const taken = Effect.map(Queue.takeAll(unread), (messages) => {
    const wasFull = unread_length > enough
    unread_length = 0
    if (wasFull) transport.resume()
    return messages
  })
  return {
    send: (message) =>
      Effect.suspend(() => {
        if (transport.send(message)) return Effect.void
        takes.closeUnsafe()
        return takes.await
      }),
    messages: Stream.fromPull(Effect.succeed(taken)),
    ended: transport.ended
  }
})
