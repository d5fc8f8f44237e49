import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { NodeListener } from "@webagent/server"
import { type IncomingMessage, ServerResponse } from "node:http"
import { type Answered, FaultDelivery, type Script } from "./FaultDelivery.ts"
import * as Outage from "./Outage.ts"
import { wait } from "./Waits.ts"

/** A response that is not this: what came in is HTTP/1.1, as the listener makes nothing else. */
const responseOf = (request: HttpServerRequest.HttpServerRequest): ServerResponse<IncomingMessage> => {
  const response = NodeHttpServerRequest.toServerResponse(request)
  if (response instanceof ServerResponse) return response
  throw new Error("Faults are delivered over HTTP/1.1 only")
}

/** Ends when the operating system has the bytes: a reset takes back what it has not. */
const write = (response: ServerResponse, bytes: Uint8Array): Effect.Effect<void> =>
  bytes.length === 0 ? Effect.void : Effect.callback((resume) => void response.write(bytes, () => resume(Effect.void)))

const flushHead = (response: ServerResponse, head: NonNullable<Script["head"]>) => {
  response.writeHead(head.status, head.headers)
  response.flushHeaders()
}

const end = (response: ServerResponse<IncomingMessage>, how: Script["end"]) => {
  if (how === "complete") return void response.end()
  if (how === "reset") response.req.socket.resetAndDestroy()
  // the server is told as well: it would write an answer otherwise
  response.destroy()
}

/** Takes the socket of a request over and plays a script on it. */
const deliver: FaultDelivery["Service"]["deliver"] = (request, script, ended) =>
  Effect.suspend(() => {
    const response = responseOf(request)
    let answered: Answered = "left"
    return Effect.gen(function* () {
      // an unread body would turn the end of the connection into a reset
      response.req.resume()
      if (script.head !== null) {
        flushHead(response, script.head)
        answered = "part"
      }
      for (const { after_ms, bytes } of script.pieces) {
        yield* wait(after_ms)
        yield* write(response, bytes)
      }
      yield* wait(script.pause_ms)
    }).pipe(
      Effect.interruptible,
      Effect.onInterrupt(() => Effect.sync(() => ended(answered))),
      Effect.map(() => {
        ended(script.head === null ? "none" : script.end === "complete" ? "whole" : "part")
        end(response, script.end)
        return HttpServerResponse.empty()
      })
    )
  })

/** Delivery over the sockets of what listens. */
export const layer: Layer.Layer<FaultDelivery, never, NodeListener> = Layer.effect(
  FaultDelivery,
  Effect.gen(function* () {
    const outage = yield* Outage.make(yield* NodeListener)
    return { deliver, refuseConnections: outage.begin, acceptConnections: outage.end }
  })
)
