import * as Frames from "@webagent/cdp/Frames"
import type { CdpFrames, CdpReceiver, CdpTransport, ConnectionEnd } from "@webagent/engine"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Socket } from "node:net"
import { WebSocket } from "ws"
import * as DevTools from "./DevTools.ts"
import * as Files from "./Files.ts"
import * as Policy from "./Policy.ts"

/** Connection of a client to a browser. */
interface Connected {
  readonly devTools: DevTools.DevTools
  /** Folder for downloads, regardless of the client's request. */
  readonly downloads: string
  /** Is told of every message, either way. */
  readonly used: () => void
  /** Result if DevTools close the connection of a running browser. */
  readonly cut: "closed" | "dropped"
  /** Waits for the browser to end. */
  readonly ended: Effect.Effect<Exclude<ConnectionEnd, "closed" | "dropped">>
}

/**
 * Time after the loss of its connection within which a browser's exit may be detected, because the connection breaks
 * first.
 */
const grace = "1 second"

/** Connects a client to a browser: bytes pass both ways, and what must not pass is answered here. */
export const open = Effect.fnUntraced(function* ({
  cut,
  devTools,
  downloads,
  ended,
  used
}: Connected): Effect.fn.Return<CdpTransport, never, Scope.Scope> {
  const over = yield* Deferred.make<ConnectionEnd>()
  const end = (how: ConnectionEnd) => Deferred.doneUnsafe(over, Effect.succeed(how))
  const closed = yield* Deferred.make<void>()
  const { socket, wire } = Option.getOrUndefined(yield* Effect.option(DevTools.open(devTools))) ?? {}
  let receiver: CdpReceiver | undefined
  socket?.pause()
  socket?.on("message", (data: Buffer) => {
    used()
    receiver?.onMessage(data)
  })
  socket?.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
  if (socket?.readyState !== WebSocket.OPEN) Deferred.doneUnsafe(closed, Effect.void)
  wire?.on("drain", () => receiver?.onDrain())
  const severed = Effect.andThen(Deferred.await(closed), Effect.as(Effect.sleep(grace), cut))
  yield* Effect.forkScoped(Effect.map(Effect.raceFirst(ended, severed), end))

  const takes = () => wire !== undefined && socket?.readyState === WebSocket.OPEN
  const frames = Frames.make()

  /** Tells frames in place of messages, which nothing reads any more. */
  const tellFrames = (from: Socket, onFrames: (bytes: Uint8Array) => void) =>
    from.removeAllListeners("data").on("data", (bytes: Buffer) => {
      used()
      const end = frames.follow(bytes)
      if (end > 0) onFrames(end === bytes.length ? bytes : bytes.subarray(0, end))
      if (frames.isClosed()) from.destroy()
    })

  return {
    ...(wire === undefined
      ? {}
      : {
          frames: {
            passes: Policy.passes,
            pass: (bytes) => {
              used()
              return !takes() || wire.write(bytes)
            },
            areWhole: frames.isBetween
          } satisfies CdpFrames
        }),
    send: (message) => {
      used()
      const decision = Policy.decide(message, downloads)
      if (decision._tag === "Answer") {
        receiver?.onMessage(decision.text)
        if (decision.isLast) end("closed")
        // what was said before may still wait
        return !takes() || wire?.writableNeedDrain !== true
      }
      if (wire === undefined || socket?.readyState !== WebSocket.OPEN) return true
      // what is said together leaves together
      if (wire.writableCorked === 0) {
        wire.cork()
        process.nextTick(() => wire.uncork())
      }
      socket.send(decision.message, { binary: false })
      return !wire.writableNeedDrain
    },
    receive: (client) => {
      receiver = client
      if (wire !== undefined && client.onFrames !== undefined) tellFrames(wire, client.onFrames)
      socket?.resume()
    },
    files: Files.make(downloads),
    pause: () => socket?.pause(),
    resume: () => socket?.resume(),
    ended: Deferred.await(over)
  }
})
