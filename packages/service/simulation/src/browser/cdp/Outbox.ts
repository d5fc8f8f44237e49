import type { CdpReceiver } from "@webagent/engine"

/** Messages for one connection, kept until its client reads them. */
export interface Outbox {
  /** Says a message; false, and nothing said, when far too much is unread. */
  readonly push: (text: string) => boolean
  /** Returns whether there are more unread messages than allowed, so that the connection's own commands must wait. */
  readonly isFull: () => boolean
  readonly receive: (receiver: Pick<CdpReceiver, "onMessage">) => void
  readonly pause: () => void
  readonly resume: () => void
  /** Says all that is unread, whether it is read or not. */
  readonly flush: () => void
}

/** Characters unread from which on a connection's own commands wait, and at which nothing more is kept for it. */
const enough = 1024 * 1024
const tooMuch = 16 * enough

/** A message of no length is not for free. */
const costOf = (text: string) => text.length + 64

export const make = (): Outbox => {
  const unread: Array<string> = []
  let cost = 0
  let isPaused = true
  let say: CdpReceiver["onMessage"] = () => undefined
  const resume = (): void => {
    isPaused = false
    let count = 0
    for (const text of unread) {
      cost -= costOf(text)
      count++
      say(text)
      if (isPaused) break
    }
    unread.splice(0, count)
  }
  return {
    push: (text) => {
      if (!isPaused && unread.length === 0) {
        say(text)
        return true
      }
      if (cost > tooMuch) return false
      cost += costOf(text)
      unread.push(text)
      return true
    },
    isFull: () => cost >= enough,
    receive: ({ onMessage }) => {
      say = onMessage
      resume()
    },
    pause: () => {
      isPaused = true
    },
    resume,
    flush: () => {
      while (unread.length > 0) resume()
    }
  }
}
