import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { CdpMessage, CdpReceiver, CdpTransport, ConnectionEnd, LaunchedBrowser } from "@webagent/engine"
import * as Dispatch from "./cdp/Dispatch.ts"
import * as Outbox from "./cdp/Outbox.ts"
import * as Pages from "./cdp/Pages.ts"
import * as Sessions from "./cdp/Sessions.ts"
import * as Targets from "./cdp/Targets.ts"
import type * as State from "./cdp/State.ts"

const textOf = (message: CdpMessage): string =>
  typeof message === "string"
    ? message
    : Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString("utf8")

interface Line {
  readonly outbox: Outbox.Outbox
  readonly end: (how: ConnectionEnd) => void
}

/** A browser whose connections can be cut. */
export interface SimulatedBrowser extends LaunchedBrowser {
  readonly connectPage: NonNullable<LaunchedBrowser["connectPage"]>
  /** Cuts every connection; the browser runs on, with its pages, and can be connected to again. */
  readonly drop: Effect.Effect<void>
}

/**
 * Starts a simulated browser. It speaks enough CDP for Playwright and Puppeteer to connect, open a page and evaluate
 * constants in it. No page is loaded from anywhere and no script is run.
 */
export const start = (id: string): SimulatedBrowser => {
  const lines = new Map<number, Line>()
  let state: State.State | undefined
  let stopped = false
  let last = 0

  // a browser without a connection so far holds nothing
  const current = () => (state ??= Pages.start(id))

  const deliver = (deliveries: ReadonlyArray<State.Delivery>) => {
    for (const { text, to } of deliveries) {
      const line = lines.get(to)
      if (text === undefined) line?.end("closed")
      else if (line?.outbox.push(text) === false) line.end("dropped")
    }
  }

  const endAll = (how: ConnectionEnd) => {
    for (const line of lines.values()) line.end(how)
  }

  const open = Effect.fnUntraced(function* (targetId?: string) {
    const clock = yield* Clock.Clock
    const outbox = Outbox.make()
    const ended = yield* Deferred.make<ConnectionEnd>()
    const number = ++last
    const end = (how: ConnectionEnd) => {
      if (how !== "dropped") outbox.flush()
      Deferred.doneUnsafe(ended, Effect.succeed(how))
    }
    lines.set(number, { outbox, end })
    const target = targetId === undefined ? undefined : Targets.findTarget(current(), targetId)
    Sessions.connect(current(), number, target)
    if (targetId !== undefined && target === undefined) end("closed")
    if (stopped) end("stopped")
    /** Commands that came while too much was unread: it may be their answers that fill the memory. */
    const waiting: Array<CdpMessage> = []
    const carryOut = (message: CdpMessage) =>
      deliver(Dispatch.receive(current(), number, textOf(message), clock.currentTimeMillisUnsafe() / 1000))
    let drained: CdpReceiver["onDrain"] = () => undefined
    const transport: CdpTransport = {
      send: (message) => {
        const takes = waiting.length === 0 && !outbox.isFull()
        if (takes) carryOut(message)
        else waiting.push(message)
        return takes
      },
      receive: (receiver) => {
        drained = receiver.onDrain
        outbox.receive(receiver)
      },
      pause: outbox.pause,
      resume: () => {
        outbox.resume()
        if (waiting.length === 0) return
        let count = 0
        for (const message of waiting) {
          if (outbox.isFull()) break
          count++
          carryOut(message)
        }
        waiting.splice(0, count)
        if (waiting.length === 0) drained()
      },
      ended: Deferred.await(ended)
    }
    return { number, transport }
  })

  const connect = (targetId?: string) =>
    Effect.acquireRelease(open(targetId), ({ number }) =>
      Effect.sync(() => {
        lines.delete(number)
        deliver(Dispatch.disconnect(current(), number))
      })
    ).pipe(Effect.map(({ transport }) => transport))

  return {
    connect: connect(),
    connectPage: connect,
    drop: Effect.sync(() => endAll("dropped")),
    stop: Effect.sync(() => {
      stopped = true
      endAll("stopped")
      state = undefined
    })
  }
}
