import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { type ApiVersion, apiKeyHeader, basePath } from "@webagent/contract/Wire"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Engine } from "@webagent/engine"
import { App, Server } from "@webagent/server"
import * as SeededLinkTokens from "./behavior/SeededLinkTokens.ts"
import * as Parts from "./Parts.ts"
import * as Trap from "./control/Trap.ts"
import * as InProcessDelivery from "./faults/InProcessDelivery.ts"
import { ServiceClock } from "./time/ServiceClock.ts"
import { Simulation } from "./requests/Simulation.ts"

/** Address of the service for clients without a network: a name that no network resolves. */
export const address = "http://simulated.invalid"

/** Default target of redirect faults. */
const elsewhere = "http://elsewhere.invalid"

/** Nothing but the service is there. */
class HostNotFound extends Data.TaggedError("HostNotFound")<{ readonly host: string }> {
  readonly code = "ENOTFOUND"
  override get message() {
    return `getaddrinfo ENOTFOUND ${this.host}`
  }
}

/** Options of a simulated service without a socket. */
export type InProcessOptions = Omit<Parts.SimulatedOptions, "port" | "host" | "control">

/** The request with its key in the usual header, also if it was sent in the one that the service accepts as well. */
const withKey = (request: HttpClientRequest.HttpClientRequest, keyHeader: string) => {
  const { [keyHeader.toLowerCase()]: key, [apiKeyHeader.toLowerCase()]: usual } = request.headers
  return key === undefined || usual !== undefined ? request : HttpClientRequest.setHeader(request, apiKeyHeader, key)
}

const failure = (request: HttpClientRequest.HttpClientRequest, cause: unknown) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })

const service = {
  address,
  baseUrls: {
    v2: `${address}${basePath.v2}`,
    v3: `${address}${basePath.v3}`,
    v4: `${address}${basePath.v4}`
  } satisfies Record<ApiVersion, string>
}

/**
 * The client over the app itself. A request runs in a fiber of the service, in service time: a caller that gives up
 * waits for nothing, as with a socket, and bodies are there at once, so that a TestClock sees everything end.
 */
const make = Effect.fnUntraced(function* (apiKeys: ReadonlyArray<string>, keyHeader: string = apiKeyHeader) {
  const trap = yield* Trap.make(apiKeys)
  const { carry } = yield* InProcessDelivery.InProcessConnections
  const simulation = yield* Simulation
  const app = simulation.around(yield* App.make({ simulated: true }))
  yield* simulation.setTrap(`${elsewhere}${Trap.trapPath}`)
  const context = yield* App.forRequests(Effect.context<never>())
  const fork = Effect.runForkWith(context)

  const answer = (request: HttpClientRequest.HttpClientRequest, { host, origin }: URL) =>
    Effect.suspend((): App.HttpApp => {
      if (origin === address) return carry(app)
      return origin === elsewhere ? trap : Effect.fail(new HostNotFound({ host }))
    }).pipe(
      Effect.scoped,
      Effect.provideService(
        HttpServerRequest.HttpServerRequest,
        HttpServerRequest.fromClientRequest(withKey(HttpClientRequest.setHeader(request, "host", host), keyHeader))
      )
    )

  /** Delivers a response in service time, including the parts that the caller reads later. */
  const sent = (request: HttpClientRequest.HttpClientRequest, response: HttpServerResponse.HttpServerResponse) => {
    const { body, headers } = response
    if (request.method === "HEAD") {
      return HttpServerResponse.setHeaders(HttpServerResponse.setBody(response, HttpBody.empty), headers)
    }
    if (body._tag !== "Stream") return response
    return HttpServerResponse.setBody(
      response,
      HttpBody.stream(Stream.provideContext(body.stream, context), body.contentType, body.contentLength)
    )
  }

  return HttpClient.make((request, url) =>
    Effect.callback((resume) => {
      const fiber = fork(answer(request, url))
      fiber.addObserver((exit) =>
        resume(
          Effect.mapBoth(exit, {
            onFailure: (error) => failure(request, error),
            onSuccess: (response) => HttpServerResponse.toClientResponse(sent(request, response), { request })
          })
        )
      )
      return Effect.sync(() => fiber.interruptUnsafe())
    })
  )
})

/**
 * Provides the whole simulated service without a socket: an `HttpClient` whose requests run through the same app,
 * behind the same faults, journal and limits. Client, service and faults share the clock that the layer is built on, so
 * that under a TestClock, a wait of half an hour takes milliseconds. A connection that a fault ends is a failed request
 * whose cause has the same code as a socket's error. CDP needs a socket.
 *
 * @param options - The profile, faults, seed and API keys. Without a profile, runs take about 150 ms and succeed.
 * @returns A layer with the `HttpClient`, the server's addresses, and the services that control the simulation.
 * @example
 * ```ts
 * import { Control, Server, SimulatedService } from "@webagent/simulation"
 * import * as Effect from "effect/Effect"
 * import * as HttpClient from "effect/http/HttpClient"
 *
 * export const program = Effect.gen(function* () {
 *   const { apiKeys, baseUrls } = yield* Server
 *   const headers = { "X-Service-API-Key": apiKeys[0] ?? "" }
 *   const { status } = yield* HttpClient.get(`${baseUrls.v4}/runs/none`, { headers })
 *   return [status, yield* Control.use((control) => control.verdicts)]
 * }).pipe(Effect.provide(SimulatedService.layerHttpClient({ profile: "realistic" })))
 * ```
 */
export const layerHttpClient = (
  options: InProcessOptions = {}
): Layer.Layer<HttpClient.HttpClient | Server | Engine | Simulation | Parts.SimulationParts> => {
  const apiKeys = options.apiKeys ?? Parts.defaultKeys
  return Layer.effect(HttpClient.HttpClient, make(apiKeys, options.apiKeyHeader)).pipe(
    Layer.merge(Layer.succeed(Server, { ...service, apiKeys })),
    Layer.provide([options.linkTokens ?? SeededLinkTokens.layer(options.seed ?? 1), NodeHttpServer.layerHttpServices]),
    Layer.provideMerge(Parts.layer({ ...options, apiKeys })),
    Layer.provide(Layer.fresh(InProcessDelivery.layer)),
    Layer.provide(Parts.layerClocks()),
    Layer.provideMerge(ServiceClock.layer(options.time))
  )
}
