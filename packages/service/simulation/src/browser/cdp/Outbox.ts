import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

/** What was said to one connection and not read yet. */
export interface Outbox {
  /** Adds a message; false, and nothing added, when far too much is unread. */
  readonly push: (text: string) => boolean
  /** Waits while too much is unread. */
  readonly room: Effect.Effect<void>
  /** Everything that was pushed before the end, one by one. */
  readonly messages: Stream.Stream<string>
  readonly end: () => void
}

/** Characters unread from which on a connection's own commands wait, and at which nothing more is kept for it. */
const enough = 1024 * 1024
const tooMuch = 16 * enough

/** A message of no length is not for free. */
const costOf = (text: string) => text.length + 64

export const make: Effect.Effect<Outbox> = Effect.map(Queue.unbounded<string, Cause.Done>(), (queue) => {
  const room = Latch.makeUnsafe(true)
  let unread = 0
  const take = Effect.map(Queue.take(queue), (text) => {
    unread -= costOf(text)
    if (unread < enough) room.openUnsafe()
    return text
  })
  return {
    push: (text) => {
      if (unread > tooMuch) return false
      unread += costOf(text)
      if (unread >= enough) room.closeUnsafe()
      Queue.offerUnsafe(queue, text)
      return true
    },
    room: room.await,
    messages: Stream.fromEffectRepeat(take),
    end: () => {
      Queue.endUnsafe(queue)
      room.openUnsafe()
    }
  }
})
