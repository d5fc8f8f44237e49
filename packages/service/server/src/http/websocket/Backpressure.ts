import * as Effect from "effect/Effect"
import type { Socket } from "node:net"

/** Waits until the socket has sent what was written, so that a client that reads slowly does not fill the memory. */
export const awaitDrain = (wire: Socket): Effect.Effect<void> =>
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
