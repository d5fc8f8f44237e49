import type { CdpConnection, CdpMessage, ConnectionEnd } from "@webagent/engine"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Socket } from "node:net"
import * as CdpClient from "./CdpClient.ts"
import * as Policy from "./Policy.ts"

/** What a client is connected to. */
export interface Connected {
  readonly address: string
  /** Where downloads go, whatever a client asks for. */
  readonly downloads: string
  /** Is told of every message, either way. */
  readonly used: () => void
  /** Waits for the browser to end. */
  readonly ended: Effect.Effect<Exclude<ConnectionEnd, "closed" | "dropped">>
}

/** Bytes that wait for the client, from which on the browser waits too. */
const enough_bytes = 1024 * 1024

/** How long after its connection a browser may be found to have ended: the connection is the first to know. */
const grace = "1 second"

const drained = (wire: Socket) =>
  Effect.callback<void>((resume) => {
    const done = () => {
      wire.off("drain", done).off("close", done)
      resume(Effect.void)
    }
    wire.once("drain", done).once("close", done)
    return Effect.sync(() => void wire.off("drain", done).off("close", done))
  })

/** Connects a client to a browser: bytes pass both ways, and what must not pass is answered here. */
export const open = Effect.fnUntraced(function* ({
  address,
  downloads,
  ended,
  used
}: Connected): Effect.fn.Return<CdpConnection, never, Scope.Scope> {
  const queue = yield* Queue.unbounded<CdpMessage, Cause.Done>()
  const over = yield* Deferred.make<ConnectionEnd>()
  const end = (how: ConnectionEnd) =>
    Effect.sync(() => {
      Deferred.doneUnsafe(over, Effect.succeed(how))
      Queue.endUnsafe(queue)
    })
  const opened = yield* Effect.option(CdpClient.opened(address))
  const closed = yield* Deferred.make<void>()
  let unread_bytes = 0
  /** Answers of our own wait for a client that does not read, as the browser does. */
  let room: Deferred.Deferred<void> | undefined
  const link = opened._tag === "Some" ? opened.value : undefined
  if (link === undefined) Deferred.doneUnsafe(closed, Effect.void)
  else {
    link.socket.on("message", (data: Buffer) => {
      used()
      unread_bytes += data.byteLength
      Queue.offerUnsafe(queue, data)
      if (unread_bytes > enough_bytes) link.socket.pause()
    })
    if (link.socket.readyState !== link.socket.OPEN) Deferred.doneUnsafe(closed, Effect.void)
    link.socket.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
  }
  const cut = Effect.andThen(Deferred.await(closed), Effect.as(Effect.sleep(grace), "dropped" as const))
  yield* Effect.forkScoped(Effect.flatMap(Effect.raceFirst(ended, cut), end))

  const taken = Effect.map(Queue.takeAll(queue), (messages) => {
    unread_bytes = 0
    if (room !== undefined) Deferred.doneUnsafe(room, Effect.void)
    room = undefined
    if (link?.socket.isPaused === true) link.socket.resume()
    return messages
  })

  return {
    send: (message) =>
      Effect.suspend(() => {
        used()
        const verdict = Policy.judge(message, downloads)
        if (verdict._tag === "Answer") {
          unread_bytes += verdict.text.length
          Queue.offerUnsafe(queue, verdict.text)
          if (verdict.isLast) return end("closed")
          if (unread_bytes <= enough_bytes) return Effect.void
          room ??= Deferred.makeUnsafe()
          return Deferred.await(room)
        }
        if (link === undefined || link.socket.readyState !== link.socket.OPEN) return Effect.void
        link.socket.send(verdict.message, { binary: false })
        return link.wire.writableNeedDrain ? drained(link.wire) : Effect.void
      }),
    messages: Stream.fromPull(Effect.succeed(taken)),
    ended: Deferred.await(over)
  }
})
