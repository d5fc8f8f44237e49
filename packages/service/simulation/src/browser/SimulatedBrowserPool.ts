import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { CdpConnection, CdpMessage, ConnectionEnd, LaunchedBrowser } from "@webagent/engine"
import * as Dispatch from "./cdp/Dispatch.ts"
import * as Outbox from "./cdp/Outbox.ts"
import * as Pages from "./cdp/Pages.ts"
import * as Sessions from "./cdp/Sessions.ts"
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

  const open = Effect.gen(function* () {
    const outbox = yield* Outbox.make
    const ended = yield* Deferred.make<ConnectionEnd>()
    const number = ++last
    const end = (how: ConnectionEnd) => {
      Deferred.doneUnsafe(ended, Effect.succeed(how))
      outbox.end()
    }
    lines.set(number, { outbox, end })
    Sessions.connect(current(), number)
    if (stopped) end("stopped")
    const send = (message: CdpMessage) =>
      Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
        deliver(Dispatch.receive(current(), number, textOf(message), now_ms / 1000))
        return outbox.room
      })
    return {
      number,
      connection: { send, messages: outbox.messages, ended: Deferred.await(ended) } satisfies CdpConnection
    }
  })

  const connect = Effect.acquireRelease(open, ({ number }) =>
    Effect.sync(() => {
      lines.get(number)?.outbox.end()
      lines.delete(number)
      deliver(Dispatch.disconnect(current(), number))
    })
  ).pipe(Effect.map(({ connection }) => connection))

  return {
    connect,
    drop: Effect.sync(() => endAll("dropped")),
    stop: Effect.sync(() => {
      stopped = true
      endAll("stopped")
      state = undefined
    })
  }
}
