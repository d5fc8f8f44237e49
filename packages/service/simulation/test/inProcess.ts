import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { App } from "@webagent/server"
import * as InProcessDelivery from "../src/faults/InProcessDelivery.ts"
import { ConnectionLost } from "../src/faults/FaultDelivery.ts"
import { ServiceClock } from "../src/time/ServiceClock.ts"
import * as SkewedClock from "../src/time/SkewedClock.ts"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { SimulatedOptions } from "../src/Parts.ts"
import * as Parts from "../src/Parts.ts"
import * as SeededLinkTokens from "../src/behavior/SeededLinkTokens.ts"
import { Simulation } from "../src/requests/Simulation.ts"

/** An answer that came whole. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What asks a service in the same process. */
export class Ask extends Context.Service<
  Ask,
  (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>
  ) => Effect.Effect<Answer, ConnectionLost>
>()("test/Ask") {}

const webRequest = (method: string, path: string, body: unknown, headers: Record<string, string>) =>
  new Request(`http://service${path}`, {
    method,
    headers: {
      "x-service-api-key": "wak_test",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

const bytesOf = (response: HttpServerResponse.HttpServerResponse): Effect.Effect<Uint8Array, ConnectionLost> => {
  if (response.body._tag !== "Stream") {
    return Effect.promise(async () => new Uint8Array(await HttpServerResponse.toWeb(response).arrayBuffer()))
  }
  return response.body.stream.pipe(
    Stream.runCollect,
    Effect.map((pieces) => Buffer.concat(pieces)),
    Effect.mapError((error) => (error instanceof ConnectionLost ? error : new ConnectionLost({ code: "ECONNRESET" })))
  )
}

/** The whole simulated service without a socket, and what watches it. */
export const layer = (options: SimulatedOptions) =>
  Layer.effect(
    Ask,
    Effect.gen(function* () {
      const { around } = yield* Simulation
      const app = around(yield* App.make({ simulated: true }))
      const { carry } = yield* InProcessDelivery.InProcessConnections
      return (method, path, body, headers = {}) =>
        Effect.gen(function* () {
          const request = HttpServerRequest.fromWeb(webRequest(method, path, body, headers))
          const response = yield* app.pipe(
            Effect.provideService(HttpServerRequest.HttpServerRequest, request),
            Effect.catchIf(
              (error) => !(error instanceof ConnectionLost),
              (error) => Effect.die(error)
            )
          )
          const bytes = yield* bytesOf(response)
          return { status: response.status, headers: response.headers, body: Buffer.from(bytes).toString() }
        }).pipe(Effect.scoped, carry) as Effect.Effect<Answer, ConnectionLost>
    })
  ).pipe(
    Layer.provide([SeededLinkTokens.layer(1), NodeHttpServer.layerHttpServices]),
    Layer.provideMerge(Parts.layer(options)),
    Layer.provideMerge(InProcessDelivery.layer),
    Layer.provide(Layer.provideMerge(Layer.fresh(SkewedClock.layer), ServiceClock.layerClock)),
    Layer.provideMerge(ServiceClock.layer(options.time))
  )
