import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { BrowserPool, type CdpConnection, type LaunchedBrowser } from "./BrowserPool.ts"

const Command = Schema.Struct({
  id: Schema.Int,
  method: Schema.String,
  sessionId: Schema.optionalKey(Schema.String)
})

const decodeCommand = Schema.decodeUnknownOption(Schema.fromJsonString(Command))

const version = {
  protocolVersion: "1.3",
  product: "SimulatedBrowser/1.0",
  revision: "@simulated",
  userAgent: "Mozilla/5.0 (simulated) WebAgent/1.0",
  jsVersion: "0.0"
}

/** What CDP answers to `message`, with the error codes of JSON-RPC that Chromium uses too. */
const answer = (message: string): string => {
  const command = Option.getOrUndefined(decodeCommand(message))
  if (command === undefined) {
    return JSON.stringify({ error: { code: -32600, message: "Message must be an object with integer id and method" } })
  }
  const { method, ...address } = command
  return JSON.stringify(
    method === "Browser.getVersion"
      ? { ...address, result: version }
      : { ...address, error: { code: -32601, message: `'${method}' wasn't found: this browser is simulated` } }
  )
}

const launch = Effect.sync((): LaunchedBrowser => {
  const connections = new Set<Queue.Queue<string, Cause.Done>>()
  const connect = Effect.acquireRelease(
    Effect.tap(Queue.unbounded<string, Cause.Done>(), (queue) => Effect.sync(() => connections.add(queue))),
    (queue) =>
      Effect.andThen(
        Queue.shutdown(queue),
        Effect.sync(() => connections.delete(queue))
      )
  ).pipe(
    Effect.map((queue): CdpConnection => ({
      send: (message) => Effect.asVoid(Queue.offer(queue, answer(message))),
      messages: Stream.fromQueue(queue)
    }))
  )
  const stop = Effect.suspend(() => Effect.forEach(connections, Queue.end, { discard: true }))
  return { connect, stop }
})

/** Browsers that answer `Browser.getVersion` and refuse every other method: no page is ever loaded. */
export const layer: Layer.Layer<BrowserPool> = Layer.succeed(BrowserPool, { launch: () => launch })
